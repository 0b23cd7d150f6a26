/**
 * `npm run bench:target-bytes`: how close `mode=target` comes to its target. Each target is reachable: it is the size
 * of a file that some quality and colour resolution make of one of sixty images, plus up to 3%.
 *
 *     npm run bench:target-bytes -- --formats jpeg,webp --count 100 --seed 2 --all
 */
import { parseArgs } from 'node:util';
import sharp from 'sharp';
import type { OutputFormat } from '../codecs/formats/registry.ts';
import { compressParams } from '../engine/operations/compress/params.ts';
import { createPool } from '../engine/pool.ts';
import type { ImageResult } from '../engine/result.ts';
import { Random } from '../test/support/random.ts';
import { benchImages } from './images.ts';
import { describeMachine } from './machine.ts';
import { percentile } from './statistics.ts';

const { values: options } = parseArgs({
  options: {
    formats: { type: 'string', default: 'jpeg,webp,avif' },
    /** Targets for each format. */
    count: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    /** Prints every target. */
    all: { type: 'boolean', default: false },
  },
});

const MIN_QUALITY = 5;
const MAX_QUALITY = 98;
/** Maximum relative amount by which a result may be smaller than its target. */
const MAX_SHORTFALL = 0.03;
/** Quality of those images that are JPEG files. */
const SOURCE_QUALITY = 95;

const engine = await createPool({ workers: 2 });
const random = new Random(Number(options.seed));
const images = await benchImages();

async function compress(file: Buffer, asked: object): Promise<ImageResult> {
  const params = { ...compressParams.parse(asked), page: 1 };
  return engine.run('compress', { image: { data: new Uint8Array(file).buffer }, params });
}

interface TargetResult {
  name: string;
  target: number;
  bytes: number;
  milliseconds: number;
}

async function measureTarget(format: OutputFormat): Promise<TargetResult> {
  const image = random.pick(images);
  const { data, width, height, name } = image;
  const raw = sharp(data, { raw: { width, height, channels: 3 } });
  const isJpeg = random.integer(3) === 0;
  const quality = MIN_QUALITY + random.integer(MAX_QUALITY + 1 - MIN_QUALITY);
  const share = 1 + random.next() * MAX_SHORTFALL;
  const source = await (isJpeg ? raw.jpeg({ quality: SOURCE_QUALITY }) : raw.png()).toBuffer();
  // Stripped, because metadata would count towards the size.
  const known = await compress(source, { format, quality, metadata: 'strip' });
  const target = Math.floor(known.data.byteLength * share);
  const start = performance.now();
  const { data: result } = await compress(source, { format, mode: 'target', target_bytes: target, metadata: 'strip' });
  const title = `${name}, ${isJpeg ? 'JPEG' : 'PNG'} to ${format} of quality ${quality}`;
  return { name: title, target, bytes: result.byteLength, milliseconds: performance.now() - start };
}

console.log(JSON.stringify(describeMachine()));
console.log('| format | 97 to 100 % | below | above | smallest share | ms, median | ms, p95 |');
console.log('| --- | ---: | ---: | ---: | ---: | ---: | ---: |');
for (const format of options.formats.split(',') as OutputFormat[]) {
  const landed: TargetResult[] = [];
  for (let index = 0; index < Number(options.count); index += 1) landed.push(await measureTarget(format));
  const shares = landed.map(({ bytes, target }) => bytes / target);
  const below = shares.filter((share) => share < 1 - MAX_SHORTFALL).length;
  const above = shares.filter((share) => share > 1).length;
  const within = ((landed.length - below - above) / landed.length) * 100;
  const times = landed.map(({ milliseconds }) => milliseconds);
  const timeOf = (share: number) => percentile(times, share).toFixed(0);
  console.log(
    `| ${format} | ${within.toFixed(1)} % | ${below} | ${above} | ${Math.min(...shares).toFixed(3)} | ${timeOf(0.5)} | ${timeOf(0.95)} |`,
  );
  for (const { name, target, bytes } of landed)
    if (options.all || bytes > target || bytes < target * (1 - MAX_SHORTFALL))
      console.log(`  ${name}: ${bytes} of ${target} (${(bytes / target).toFixed(3)})`);
}
await engine.close();
