/**
 * `npm run bench:png`: the PNG codec (codecs/png) in one process and one thread: bytes compared with oxipng and sharp,
 * and processor time, the minimum of several runs.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import initOxipng, { optimise } from '@jsquash/oxipng/codec/pkg/squoosh_oxipng.js';
import sharp from 'sharp';
import { compileModules } from '../codecs/modules.ts';
import { encodePng } from '../codecs/png.ts';
import { startVips, withFreedHandles } from '../codecs/vips.ts';
import { benchFiles, type LosslessInput } from './lossless-files.ts';
import { minProcessorTime } from './min-processor-time.ts';
import { median } from './statistics.ts';

const OXIPNG_LEVEL = 3;
const { values: flags } = parseArgs({
  options: {
    /** Class of images to measure. */
    class: { type: 'string' },
    runs: { type: 'string', default: '5' },
    /** Prints a line for each image. */
    all: { type: 'boolean', default: false },
  },
});

sharp.concurrency(1);
sharp.cache(false);
const wasm = createRequire(import.meta.url).resolve('@jsquash/oxipng/codec/pkg/squoosh_oxipng_bg.wasm');
await initOxipng(readFileSync(wasm));
const modules = await compileModules();
const { vips } = await startVips(modules);

interface Measured {
  /** Our bytes relative to oxipng's, and to sharp's with filters chosen by row. */
  ofOxipng: number;
  ofSharp: number;
  /** Milliseconds. */
  own: number;
  sharp: number;
}

async function measure({ file }: LosslessInput): Promise<Measured> {
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
for (const image of await benchFiles()) {
  if (flags.class && image.class !== flags.class) continue;
  const measured = await withFreedHandles(vips, () => measure(image));
  if (flags.all || image.class === 'large') console.log(line(image.name, [measured]));
  byClass.set(image.class, [...(byClass.get(image.class) ?? []), measured]);
}
for (const [name, measured] of byClass) console.log(line(name, measured));
console.log(line('all', [...byClass.values()].flat()));
