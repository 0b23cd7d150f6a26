/**
 * `npm run bench:png`: the PNG codec (codecs/png) in one process and one thread: bytes beside oxipng and sharp, and processor time, the least of
 * several runs. Images are the sixty of `bench:jpeg-bytes` at their own size, the PNG files beside the repository, and larger pictures.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import initOxipng, { optimise } from '@jsquash/oxipng/codec/pkg/squoosh_oxipng.js';
import sharp from 'sharp';
import { compileModules } from '../codecs/modules.ts';
import { encodePng } from '../codecs/png.ts';
import { freeingHandles, startVips } from '../codecs/vips.ts';
import { corpus, corpusFiles } from '../test/support/corpus.ts';
import { benchImages } from './images.ts';
import { minProcessorTime } from './min-processor-time.ts';
import { cutout, page, photograph, screenshot } from './pictures.ts';
import { median } from './statistics.ts';

const OXIPNG_LEVEL = 3;
/** Smaller ones are headers. */
const MIN_BYTES = 512;
const { values: flags } = parseArgs({
  options: {
    /** One class. */
    class: { type: 'string' },
    runs: { type: 'string', default: '5' },
    /** A line for each image. */
    all: { type: 'boolean', default: false },
  },
});

sharp.concurrency(1);
sharp.cache(false);
const wasm = createRequire(import.meta.url).resolve('@jsquash/oxipng/codec/pkg/squoosh_oxipng_bg.wasm');
await initOxipng(readFileSync(wasm));
const modules = await compileModules();
const { vips } = await startVips(modules);

interface Image {
  class: string;
  name: string;
  /** Of which each contender makes its own. */
  file: Buffer;
}

async function images(): Promise<Image[]> {
  const drawn = (await benchImages()).map(async ({ class: kind, name, data, width, height }) => ({
    class: kind,
    name,
    file: await sharp(data, { raw: { width, height, channels: 3 } })
      .png()
      .toBuffer(),
  }));
  const found = corpusFiles('png')
    .map((path) => ({ path, bytes: corpus(path)! }))
    .filter(({ bytes }) => bytes.length >= MIN_BYTES)
    .map(async ({ path, bytes }) => ({ class: 'file', name: path, file: await sharp(bytes).png().toBuffer() }));
  const large = Object.entries({
    'screenshot 1920 x 1080': async () => sharp(await screenshot(1920, 1080)).removeAlpha(),
    'photograph 1224 x 816': () => photograph(1224, 816),
    'cut-out 1224 x 816': () => cutout(1224, 816),
    'page 1000 x 1000': async () => sharp(await page(1000)),
  }).map(async ([name, make]) => ({ class: 'large', name, file: await (await make()).png().toBuffer() }));
  const all = await Promise.allSettled([...drawn, ...found, ...large]);
  return all.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}

interface Measured {
  /** Of oxipng's bytes, and of sharp's with filters chosen by row. */
  ofOxipng: number;
  ofSharp: number;
  /** Milliseconds. */
  own: number;
  sharp: number;
}

async function measure({ file }: Image): Promise<Measured> {
  const image = vips.Image.pngloadBuffer(file).copyMemory();
  const pixels = await sharp(file).raw().toBuffer({ resolveWithObject: true });
  const raw = { raw: pixels.info };
  const encode = () => encodePng({ vips, modules }, image);
  const encodeBySharp = () => sharp(pixels.data, raw).png({ adaptiveFiltering: true }).toBuffer();
  const [made, peer] = [encode(), await encodeBySharp()];
  const [own, theirs] = await minProcessorTime([encode, encodeBySharp], Number(flags.runs));
  const least = optimise(file, OXIPNG_LEVEL, false, false).length;
  return { ofOxipng: made.length / least, ofSharp: made.length / peer.length, own: own!, sharp: theirs! };
}

const line = (name: string, measured: readonly Measured[]): string => {
  const ratios = measured.map(({ ofOxipng }) => ofOxipng);
  const middle = (value: (each: Measured) => number) => median(measured.map(value)).toFixed(3);
  const total = (value: (each: Measured) => number) => measured.reduce((sum, each) => sum + value(each), 0).toFixed(0);
  return [
    name.padEnd(40),
    `${measured.length}`.padStart(4),
    middle(({ ofOxipng }) => ofOxipng),
    Math.max(...ratios).toFixed(3),
    middle(({ ofSharp }) => ofSharp),
    `${total(({ own }) => own)} ms, sharp ${total(({ sharp: time }) => time)} ms`,
  ].join('  ');
};

const byClass = new Map<string, Measured[]>();
console.log(
  `${'class'.padEnd(40)}  count  of oxipng ${OXIPNG_LEVEL}: median, worst; of sharp with filters: median; time`,
);
for (const image of await images()) {
  if (flags.class && image.class !== flags.class) continue;
  const measured = await freeingHandles(vips, () => measure(image));
  if (flags.all || image.class === 'large') console.log(line(image.name, [measured]));
  byClass.set(image.class, [...(byClass.get(image.class) ?? []), measured]);
}
for (const [name, measured] of byClass) console.log(line(name, measured));
console.log(line('all', [...byClass.values()].flat()));
