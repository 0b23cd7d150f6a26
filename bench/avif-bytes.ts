/**
 * `npm run bench:avif-bytes`: bytes of our AVIF files compared with avifenc at speed 6 at equal quality
 * (equal-quality.ts), over sixty images of six classes. avifenc encodes each image with half and with full colour
 * resolution; the ratio is to the one that is harder to match. Needs Debian's package libavif-bin, from a release after
 * bookworm.
 *
 *     npm run bench:avif-bytes -- --qualities 50,70 --class text
 */
import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { parseArgs, promisify } from 'node:util';
import sharp from 'sharp';
import { encodeAvif } from '../codecs/formats/avif/write.ts';
import { compileModules } from '../codecs/modules.ts';
import { startVips, withFreedHandles } from '../codecs/vips.ts';
import { lossyEncoding } from '../engine/quality/candidate.ts';
import { type Compared, compareImages, type Encoded, ratiosOf, Tools } from './equal-quality.ts';
import type { BenchImage } from './images.ts';

const run = promisify(execFile);
const { values: options } = parseArgs({
  options: {
    /** Qualities of avifenc. */
    qualities: { type: 'string', default: '45,60,75' },
    class: { type: 'string' },
    /** Prints every image. */
    all: { type: 'boolean', default: false },
  },
});

/** Qualities of our encoder. */
const QUALITIES = [20, 30, 40, 48, 56, 64, 72, 80, 86, 92, 96, 99];
const LAYOUTS = ['420', '444'];

const modules = await compileModules();
const { vips } = await startVips(modules);
const tools = await Tools.open();

function encodeOurs({ data, width, height }: BenchImage, quality: number): Promise<Uint8Array> {
  return withFreedHandles(vips, async () => {
    const image = vips.Image.newFromMemory(data, width, height, 3, vips.BandFormat.uchar).copy({
      interpretation: 'srgb',
    });
    return encodeAvif(image, lossyEncoding(quality), modules);
  });
}

async function encodeTheirs(reference: string, quality: number, layout: string): Promise<Uint8Array> {
  const path = `${reference}.avif`;
  await run('avifenc', ['--speed', '6', '--qcolor', String(quality), '--yuv', layout, '--jobs', '1', reference, path]);
  const file = await readFile(path);
  await rm(path);
  return file;
}

async function compare(image: BenchImage): Promise<Compared[]> {
  const { data, width, height } = image;
  const reference = await tools.writePng(sharp(data, { raw: { width, height, channels: 3 } }));
  const ours: Encoded[] = [];
  for (const quality of QUALITIES) ours.push(await tools.encoded(reference, await encodeOurs(image, quality)));
  const compared: Compared[] = [];
  for (const quality of options.qualities.split(',').map(Number)) {
    const both: Compared[] = [];
    for (const layout of LAYOUTS) {
      const theirs = await tools.encoded(reference, await encodeTheirs(reference, quality, layout));
      both.push({ image, quality, theirs, ratios: ratiosOf(ours, theirs) });
    }
    const [half, full] = both as [Compared, Compared];
    compared.push({ ...half, ratios: half.ratios.map((ratio, measure) => Math.max(ratio, full.ratios[measure]!)) });
  }
  await rm(reference);
  return compared;
}

await compareImages(tools, 'avifenc', options, compare);
await tools.close();
