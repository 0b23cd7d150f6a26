/**
 * `npm run bench:webp-lossless`: lossless WebP compared with `cwebp -lossless -exact -z 9`: bytes, and our processor
 * time, the minimum of several runs. Needs Debian's package webp.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { compileModules } from '../codecs/modules.ts';
import { startVips, withFreedHandles } from '../codecs/vips.ts';
import { encodeLosslessWebp } from '../codecs/webp.ts';
import { benchFiles, type LosslessInput } from './lossless-files.ts';
import { minProcessorTime } from './min-processor-time.ts';
import { median } from './statistics.ts';

const run = promisify(execFile);
const { values: flags } = parseArgs({
  options: {
    /** Class of images to measure. */
    class: { type: 'string' },
    runs: { type: 'string', default: '3' },
    /** Prints a line for each image. */
    all: { type: 'boolean', default: false },
  },
});

const modules = await compileModules();
const { vips } = await startVips(modules);
const folder = await mkdtemp(join(tmpdir(), 'webp-lossless-'));

interface Measured {
  /** Our bytes relative to cwebp's. */
  ratio: number;
  milliseconds: number;
}

async function measure({ file }: LosslessInput): Promise<Measured> {
  const [source, result] = [join(folder, 'source.png'), join(folder, 'result.webp')];
  await writeFile(source, file);
  await run('cwebp', ['-quiet', '-lossless', '-exact', '-z', '9', source, '-o', result]);
  const image = vips.Image.pngloadBuffer(file).copyMemory();
  const encode = () => encodeLosslessWebp(image);
  const bytes = encode().length;
  const [milliseconds] = await minProcessorTime([encode], Number(flags.runs));
  return { ratio: bytes / (await stat(result)).size, milliseconds: milliseconds! };
}

function print(name: string, measured: readonly Measured[]): void {
  const ratios = measured.map(({ ratio }) => ratio);
  const milliseconds = measured.reduce((sum, each) => sum + each.milliseconds, 0);
  const cells = [median(ratios).toFixed(3), Math.max(...ratios).toFixed(3), `${milliseconds.toFixed(0)} ms`];
  console.log([name.padEnd(50), `${measured.length}`.padStart(4), ...cells].join('  '));
}

const byClass = new Map<string, Measured[]>();
console.log(`${'class'.padEnd(50)}  count  of cwebp -z 9: median, worst; time`);
for (const image of await benchFiles()) {
  if (flags.class && image.class !== flags.class) continue;
  const measured = await withFreedHandles(vips, () => measure(image));
  if (flags.all || image.class === 'large') print(image.name, [measured]);
  byClass.set(image.class, [...(byClass.get(image.class) ?? []), measured]);
}
for (const [name, measured] of byClass) print(name, measured);
print('all', [...byClass.values()].flat());
await rm(folder, { recursive: true });
