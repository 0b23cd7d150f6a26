/**
 * `npm run bench:jpeg-bytes`: bytes of our JPEGs beside those of sharp with `mozjpeg: true` at equal quality as butteraugli_main of libjxl
 * measures it (the 3-norm of Butteraugli), over sixty images of six classes. Needs Debian's package libjxl-devtools.
 *
 *     npm run bench:jpeg-bytes -- --qualities 75,90 --class text
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import sharp from 'sharp';
import { encodeJpeg } from '../codecs/jpeg.ts';
import { compileModules } from '../codecs/modules.ts';
import { freeingHandles, startVips } from '../codecs/vips.ts';
import { type BenchImage, benchImages, CLASSES } from './jpeg-bytes/images.ts';
import { describeMachine } from './machine.ts';
import { median } from './statistics.ts';

const run = promisify(execFile);
const { values: options } = parseArgs({
  options: {
    /** Of mozjpeg. */
    qualities: { type: 'string', default: '60,80,90' },
    class: { type: 'string' },
    /** Prints every image. */
    all: { type: 'boolean', default: false },
  },
});

/** Qualities around that of mozjpeg which are tried. */
const OFFSETS = [-30, -20, -12, -6, -2, 2, 6, 12];
const MAX_QUALITY = 99;

interface Encoded {
  bytes: number;
  distance: number;
}

const modules = await compileModules();
const { vips } = await startVips(modules);
const folder = await mkdtemp(join(tmpdir(), 'jpeg-bytes-'));

/** The 3-norm of Butteraugli. */
async function distanceOf(reference: string, file: Uint8Array, name: string): Promise<number> {
  const path = join(folder, `${name}.png`);
  await sharp(file).png({ compressionLevel: 0 }).toFile(path);
  const { stdout } = await run('butteraugli_main', [reference, path, '--pnorm', '3']);
  await rm(path);
  return Number(/3-norm: ([\d.]+)/.exec(stdout)?.[1]);
}

async function encodeOurs({ data, width, height }: BenchImage, quality: number): Promise<Uint8Array> {
  return freeingHandles(vips, async () => {
    const image = vips.Image.newFromMemory(data, width, height, 3, vips.BandFormat.uchar).copy({
      interpretation: 'srgb',
    });
    return encodeJpeg({ vips, modules }, image, { quality, fullChroma: false });
  });
}

/** Bytes at a distance, between two encodings. Where all of them are better, those of the smallest; where all are worse, undefined. */
function bytesAt(encoded: readonly Encoded[], distance: number): number | undefined {
  const sorted = encoded.toSorted((a, b) => a.distance - b.distance);
  const after = sorted.findIndex((each) => each.distance >= distance);
  if (after === 0) return Math.min(...sorted.map(({ bytes }) => bytes));
  if (after < 0) return undefined;
  const [low, high] = [sorted[after - 1]!, sorted[after]!];
  const share = (distance - low.distance) / (high.distance - low.distance || 1);
  return Math.exp(Math.log(low.bytes) * (1 - share) + Math.log(high.bytes) * share);
}

interface Compared {
  image: BenchImage;
  quality: number;
  theirs: Encoded;
  /** Of ours to theirs; undefined where no quality that was tried is as good. */
  ratio: number | undefined;
}

async function compare(image: BenchImage, index: number): Promise<Compared[]> {
  const { data, width, height } = image;
  const raw = { raw: { width, height, channels: 3 } } as const;
  const reference = join(folder, `${index}.png`);
  await sharp(data, raw).png({ compressionLevel: 0 }).toFile(reference);
  const known = new Map<number, Promise<Encoded>>();
  const ours = async (quality: number): Promise<Encoded> => {
    const file = await encodeOurs(image, quality);
    return { bytes: file.length, distance: await distanceOf(reference, file, `${index}-${quality}`) };
  };
  const compared: Compared[] = [];
  for (const quality of options.qualities.split(',').map(Number)) {
    const file = await sharp(data, raw).jpeg({ quality, mozjpeg: true }).toBuffer();
    const theirs = { bytes: file.length, distance: await distanceOf(reference, file, `${index}-theirs`) };
    const tried: Encoded[] = [];
    for (const offset of OFFSETS) {
      const own = Math.min(MAX_QUALITY, quality + offset);
      const encoded = known.get(own) ?? ours(own);
      known.set(own, encoded);
      tried.push(await encoded);
    }
    const bytes = bytesAt(tried, theirs.distance);
    compared.push({ image, quality, theirs, ratio: bytes === undefined ? undefined : bytes / theirs.bytes });
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
  for (const { image, quality, theirs, ratio } of compared)
    console.log(
      `${image.class} | ${image.name} | ${quality} | ${theirs.bytes} bytes at ${theirs.distance.toFixed(3)} | ${ratio?.toFixed(3) ?? 'not reached'}`,
    );
const figure = (list: readonly Compared[]) => {
  const ratios = list.map(({ ratio }) => ratio ?? Number.POSITIVE_INFINITY);
  return `${median(ratios).toFixed(3)} (worst ${Math.max(...ratios).toFixed(3)})`;
};
console.log('Bytes of ours, of those of mozjpeg at the same Butteraugli, median:');
for (const name of CLASSES) {
  const own = compared.filter(({ image }) => image.class === name);
  if (own.length > 0) console.log(`${name}: ${figure(own)}`);
}
console.log(`all: ${figure(compared)}`);
