/**
 * `npm run bench:jpeg-bytes`: bytes of our JPEGs beside those of sharp with `mozjpeg: true` at equal quality as the tools of libjxl measure it
 * (the 3-norm of Butteraugli, and SSIMULACRA2 where there is a program of that name), over sixty images of six classes. Needs Debian's
 * package libjxl-devtools, of a release after bookworm for both.
 *
 *     npm run bench:jpeg-bytes -- --qualities 75,90 --class text
 *     npm run bench:jpeg-bytes -- --qualities 60,80 --source 90
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import sharp from 'sharp';
import { withJpegCodec } from '../codecs/jpeg/codec.ts';
import { recodeJpeg } from '../codecs/jpeg/recode.ts';
import { UPRIGHT } from '../codecs/jpeg/requantize.ts';
import { compressJpeg, encodeJpeg } from '../codecs/jpeg.ts';
import { compileModules } from '../codecs/modules.ts';
import { freeingHandles, startVips } from '../codecs/vips.ts';
import { type BenchImage, benchImages, CLASSES } from './images.ts';
import { describeMachine } from './machine.ts';
import { median } from './statistics.ts';

const run = promisify(execFile);
const { values: options } = parseArgs({
  options: {
    /** Of mozjpeg. */
    qualities: { type: 'string', default: '60,80,90' },
    class: { type: 'string' },
    /** Quality of JPEG files that the images are first made: from one JPEG to another. */
    source: { type: 'string' },
    /** Prints every image. */
    all: { type: 'boolean', default: false },
  },
});

/** Qualities around that of mozjpeg which are tried. */
const OFFSETS = [-72, -60, -45, -30, -20, -12, -6, -2, 2, 6, 12];
const MAX_QUALITY = 99;

interface Encoded {
  bytes: number;
  /** By each measure, smaller for what is better. */
  distances: readonly number[];
}

interface Measure {
  title: string;
  command: string;
  options: readonly string[];
  read(output: string): number;
}

const MEASURES: readonly Measure[] = [
  {
    title: 'Butteraugli',
    command: 'butteraugli_main',
    options: ['--pnorm', '3'],
    read: (output) => Number(/3-norm: ([\d.]+)/.exec(output)?.[1]),
  },
  { title: 'SSIMULACRA2', command: 'ssimulacra2', options: [], read: (output) => 100 - Number(output) },
];

const modules = await compileModules();
const { vips } = await startVips(modules);
const folder = await mkdtemp(join(tmpdir(), 'jpeg-bytes-'));

const measures: Measure[] = [];
for (const measure of MEASURES) if (await isInstalled(measure.command)) measures.push(measure);

async function isInstalled(command: string): Promise<boolean> {
  // Without arguments they say how they are used, and fail.
  const code = await run(command).catch((error: NodeJS.ErrnoException) => error.code);
  return code !== 'ENOENT';
}

async function distancesOf(reference: string, file: Uint8Array, name: string): Promise<number[]> {
  const path = join(folder, `${name}.png`);
  await sharp(file).png({ compressionLevel: 0 }).toFile(path);
  const distances: number[] = [];
  for (const { command, options: settings, read } of measures)
    distances.push(read((await run(command, [reference, path, ...settings])).stdout));
  await rm(path);
  return distances;
}

interface Source extends BenchImage {
  /** What it was made from. */
  file: Uint8Array | undefined;
}

async function sourceOf(image: BenchImage): Promise<Source> {
  if (options.source === undefined) return { ...image, file: undefined };
  const { data, width, height } = image;
  const jpeg = sharp(data, { raw: { width, height, channels: 3 } }).jpeg({ quality: Number(options.source) });
  const file = await jpeg.toBuffer();
  return { ...image, data: await sharp(file).raw().toBuffer(), file };
}

async function encodeOurs({ data, width, height, file }: Source, quality: number): Promise<Uint8Array> {
  const written = file && compressJpeg(modules, file, { turn: UPRIGHT, quality });
  if (file && written === 'same') return withJpegCodec(modules, (codec) => recodeJpeg(codec, file)) ?? file;
  if (written && written !== 'same') return written;
  return freeingHandles(vips, async () => {
    const image = vips.Image.newFromMemory(data, width, height, 3, vips.BandFormat.uchar).copy({
      interpretation: 'srgb',
    });
    return encodeJpeg({ vips, modules }, image, { quality, fullChroma: false });
  });
}

/** Bytes at a distance, between two encodings. Where all of them are better, those of the smallest; where all are worse, infinite. */
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

interface Compared {
  image: BenchImage;
  quality: number;
  theirs: Encoded;
  /** Of ours to theirs, by each measure. */
  ratios: number[];
}

async function compare(drawn: BenchImage, index: number): Promise<Compared[]> {
  const image = await sourceOf(drawn);
  const { data, width, height } = image;
  const raw = { raw: { width, height, channels: 3 } } as const;
  const reference = join(folder, `${index}.png`);
  await sharp(data, raw).png({ compressionLevel: 0 }).toFile(reference);
  const known = new Map<number, Promise<Encoded>>();
  const ours = async (quality: number): Promise<Encoded> => {
    const file = await encodeOurs(image, quality);
    return { bytes: file.length, distances: await distancesOf(reference, file, `${index}-${quality}`) };
  };
  const compared: Compared[] = [];
  for (const quality of options.qualities.split(',').map(Number)) {
    const file = await sharp(data, raw).jpeg({ quality, mozjpeg: true }).toBuffer();
    const theirs = { bytes: file.length, distances: await distancesOf(reference, file, `${index}-theirs`) };
    const tried: Encoded[] = [];
    for (const offset of OFFSETS) {
      const own = Math.max(1, Math.min(MAX_QUALITY, quality + offset));
      const encoded = known.get(own) ?? ours(own);
      known.set(own, encoded);
      tried.push(await encoded);
    }
    const ratios = theirs.distances.map((distance, measure) => bytesAt(tried, measure, distance) / theirs.bytes);
    compared.push({ image, quality, theirs, ratios });
  }
  await rm(reference);
  return compared;
}

const PARALLEL = 2;
const images = (await benchImages()).filter(({ class: name }) => !options.class || name === options.class);
console.log(JSON.stringify(describeMachine()));
console.log(`${images.length} images`);
const compared: Compared[] = [];
let next = 0;
await Promise.all(
  Array.from({ length: PARALLEL }, async () => {
    while (next < images.length) {
      const index = next++;
      compared.push(...(await compare(images[index]!, index)));
    }
  }),
);
await rm(folder, { recursive: true });

if (options.all)
  for (const { image, quality, theirs, ratios } of compared) {
    const figures = ratios.map((ratio, measure) => `${ratio.toFixed(3)} at ${theirs.distances[measure]!.toFixed(3)}`);
    console.log(`${image.class} | ${image.name} | ${quality} | ${theirs.bytes} bytes | ${figures.join(' | ')}`);
  }
const figuresOf = (list: readonly Compared[]) =>
  measures.map((_, measure) => {
    const ratios = list.map(({ ratios: all }) => all[measure]!);
    return `${median(ratios).toFixed(3)} (worst ${Math.max(...ratios).toFixed(3)})`;
  });
console.log(
  `Bytes of ours, of those of mozjpeg at the same ${measures.map(({ title }) => title).join(' and at the same ')}, median:`,
);
for (const name of CLASSES) {
  const own = compared.filter(({ image }) => image.class === name);
  if (own.length > 0) console.log(`| ${name} | ${figuresOf(own).join(' | ')} |`);
}
console.log(`| all | ${figuresOf(compared).join(' | ')} |`);
