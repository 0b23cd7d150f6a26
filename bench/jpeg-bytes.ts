/**
 * `npm run bench:jpeg-bytes`: bytes of our JPEGs compared with sharp with `mozjpeg: true` at equal quality
 * (equal-quality.ts), over sixty images of six classes.
 *
 *     npm run bench:jpeg-bytes -- --qualities 75,90 --class text
 *     npm run bench:jpeg-bytes -- --qualities 60,80 --source 90
 */
import { rm } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import sharp from 'sharp';
import { withJpegCodec } from '../codecs/jpeg/codec.ts';
import { recodeJpeg } from '../codecs/jpeg/recode.ts';
import { UPRIGHT } from '../codecs/jpeg/requantize.ts';
import { compressJpeg, encodeJpeg } from '../codecs/jpeg.ts';
import { compileModules } from '../codecs/modules.ts';
import { startVips, withFreedHandles } from '../codecs/vips.ts';
import { type Compared, compareImages, type Encoded, ratiosOf, Tools } from './equal-quality.ts';
import type { BenchImage } from './images.ts';

const { values: options } = parseArgs({
  options: {
    /** Qualities of mozjpeg. */
    qualities: { type: 'string', default: '60,80,90' },
    class: { type: 'string' },
    /** First encodes the images as JPEG of this quality, to measure from JPEG to JPEG. */
    source: { type: 'string' },
    /** Prints every image. */
    all: { type: 'boolean', default: false },
  },
});

/** Offsets from mozjpeg's quality that are tried. */
const OFFSETS = [-72, -60, -45, -30, -20, -12, -6, -2, 2, 6, 12];
const MAX_QUALITY = 99;

const modules = await compileModules();
const { vips } = await startVips(modules);
const tools = await Tools.open();

interface Source extends BenchImage {
  /** The source file. */
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
  return withFreedHandles(vips, async () => {
    const image = vips.Image.newFromMemory(data, width, height, 3, vips.BandFormat.uchar).copy({
      interpretation: 'srgb',
    });
    return encodeJpeg({ vips, modules }, image, { quality, fullChroma: false });
  });
}

async function compare(drawn: BenchImage): Promise<Compared[]> {
  const image = await sourceOf(drawn);
  const { data, width, height } = image;
  const raw = () => sharp(data, { raw: { width, height, channels: 3 } });
  const reference = await tools.writePng(raw());
  const known = new Map<number, Promise<Encoded>>();
  const ours = async (quality: number) => tools.encoded(reference, await encodeOurs(image, quality));
  const compared: Compared[] = [];
  for (const quality of options.qualities.split(',').map(Number)) {
    const theirs = await tools.encoded(reference, await raw().jpeg({ quality, mozjpeg: true }).toBuffer());
    const tried: Encoded[] = [];
    for (const offset of OFFSETS) {
      const own = Math.max(1, Math.min(MAX_QUALITY, quality + offset));
      const encoded = known.get(own) ?? ours(own);
      known.set(own, encoded);
      tried.push(await encoded);
    }
    compared.push({ image, quality, theirs, ratios: ratiosOf(tried, theirs) });
  }
  await rm(reference);
  return compared;
}

await compareImages(tools, 'mozjpeg', options, compare);
await tools.close();
