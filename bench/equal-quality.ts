/**
 * Compares the bytes of two encoders at equal quality, as measured by the tools of libjxl: the 3-norm of Butteraugli,
 * and SSIMULACRA2 if its program is installed. Needs Debian's package libjxl-devtools; a release after bookworm has
 * both.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import sharp, { type Sharp } from 'sharp';
import { type BenchImage, benchImages, CLASSES } from './images.ts';
import { describeMachine } from './machine.ts';
import { median } from './statistics.ts';

const run = promisify(execFile);

export interface Encoded {
  bytes: number;
  /** Distance by each measure; smaller is better. */
  distances: readonly number[];
}

interface Measure {
  title: string;
  command: string;
  options: readonly string[];
  read(output: string): number;
}

export const BUTTERAUGLI: Measure = {
  title: 'Butteraugli',
  command: 'butteraugli_main',
  options: ['--pnorm', '3'],
  read: (output) => Number(/3-norm: ([\d.]+)/.exec(output)?.[1]),
};
const SSIMULACRA2: Measure = {
  title: 'SSIMULACRA2',
  command: 'ssimulacra2',
  options: [],
  read: (output) => 100 - Number(output),
};

async function isInstalled({ command }: Measure): Promise<boolean> {
  // Without arguments the programs print their usage and fail.
  const code = await run(command).catch((error: NodeJS.ErrnoException) => error.code);
  return code !== 'ENOENT';
}

/** A folder of PNG files for the tools: PNG is the only format that all of them read the same way. */
export class Tools {
  readonly titles: readonly string[];
  readonly #measures: readonly Measure[];
  readonly #folder: string;
  #files = 0;

  private constructor(measures: readonly Measure[], folder: string) {
    this.#measures = measures;
    this.titles = measures.map(({ title }) => title);
    this.#folder = folder;
  }

  /** @param measures those whose programs are not installed are skipped */
  static async open(measures: readonly Measure[] = [BUTTERAUGLI, SSIMULACRA2]): Promise<Tools> {
    const installed: Measure[] = [];
    for (const measure of measures) if (await isInstalled(measure)) installed.push(measure);
    return new Tools(installed, await mkdtemp(join(tmpdir(), 'equal-quality-')));
  }

  async close(): Promise<void> {
    await rm(this.#folder, { recursive: true });
  }

  async writePng(image: Sharp): Promise<string> {
    this.#files += 1;
    const path = join(this.#folder, `${this.#files}.png`);
    await image.png({ compressionLevel: 0 }).toFile(path);
    return path;
  }

  /** @param reference path of a PNG */
  async encoded(reference: string, file: Uint8Array): Promise<Encoded> {
    const path = await this.writePng(sharp(file));
    const distances: number[] = [];
    for (const { command, options, read } of this.#measures)
      distances.push(read((await run(command, [reference, path, ...options])).stdout));
    await rm(path);
    return { bytes: file.length, distances };
  }
}

/**
 * Interpolates the bytes at a distance between two encodings. If all are better, returns the bytes of the smallest; if
 * all are worse, infinity.
 */
function bytesAt(encoded: readonly Encoded[], measure: number, distance: number): number {
  const points = encoded.map(({ bytes, distances }) => ({ bytes, distance: distances[measure]! }));
  const sorted = points.toSorted((a, b) => a.distance - b.distance);
  const after = sorted.findIndex((each) => each.distance >= distance);
  if (after < 0) return Math.min(...sorted.map(({ bytes }) => bytes));
  if (after === 0) return Number.POSITIVE_INFINITY;
  const [low, high] = [sorted[after - 1]!, sorted[after]!];
  const share = (distance - low.distance) / (high.distance - low.distance || 1);
  return Math.exp(Math.log(low.bytes) * (1 - share) + Math.log(high.bytes) * share);
}

/** Returns the ratios of our bytes to theirs, one per measure. */
export function ratiosOf(ours: readonly Encoded[], theirs: Encoded): number[] {
  return theirs.distances.map((distance, measure) => bytesAt(ours, measure, distance) / theirs.bytes);
}

export interface Compared {
  image: BenchImage;
  quality: number;
  theirs: Encoded;
  ratios: readonly number[];
}

export interface ComparisonOptions {
  /** Class of images; default: all. */
  class?: string | undefined;
  /** Prints every image. */
  all: boolean;
}

const PARALLEL = 2;

/** Compares the sixty images, two at a time, and prints the median and the worst of each class. */
export async function compareImages(
  tools: Tools,
  peer: string,
  options: ComparisonOptions,
  compare: (image: BenchImage) => Promise<Compared[]>,
): Promise<void> {
  const images = (await benchImages()).filter(({ class: name }) => !options.class || name === options.class);
  console.log(JSON.stringify(describeMachine()));
  console.log(`${images.length} images`);
  const compared: Compared[] = [];
  const queue = [...images];
  const work = async () => {
    for (let image = queue.shift(); image; image = queue.shift()) compared.push(...(await compare(image)));
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  if (options.all) printImages(compared);
  printClasses(tools, peer, compared);
}

function printImages(compared: readonly Compared[]): void {
  for (const { image, quality, theirs, ratios } of compared) {
    const figures = ratios.map((ratio, measure) => `${ratio.toFixed(3)} at ${theirs.distances[measure]!.toFixed(3)}`);
    console.log(`${image.class} | ${image.name} | ${quality} | ${theirs.bytes} bytes | ${figures.join(' | ')}`);
  }
}

function printClasses({ titles }: Tools, peer: string, compared: readonly Compared[]): void {
  const figuresOf = (list: readonly Compared[]) =>
    titles.map((_, measure) => {
      const ratios = list.map(({ ratios: all }) => all[measure]!);
      return `${median(ratios).toFixed(3)} (worst ${Math.max(...ratios).toFixed(3)})`;
    });
  console.log(`Bytes of ours, of those of ${peer} at the same ${titles.join(' and at the same ')}, median:`);
  for (const name of CLASSES) {
    const own = compared.filter(({ image }) => image.class === name);
    if (own.length > 0) console.log(`| ${name} | ${figuresOf(own).join(' | ')} |`);
  }
  console.log(`| all | ${figuresOf(compared).join(' | ')} |`);
}
