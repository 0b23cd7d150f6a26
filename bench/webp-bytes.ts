/**
 * `npm run bench:webp-bytes`: bytes of our lossy WebP files compared with libwebp in sharp at equal quality
 * (equal-quality.ts), over sixty images of six classes, and the processor time of both.
 *
 *     npm run bench:webp-bytes -- --qualities 60,80 --class text
 */
import { rm } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import sharp from 'sharp';
import { compileModule } from '../codecs/modules.ts';
import { WebpCodec } from '../codecs/webp/codec.ts';
import { WebpEncoder } from '../codecs/webp/encode.ts';
import { type Compared, compareImages, type Encoded, ratiosOf, Tools } from './equal-quality.ts';
import { type BenchImage, benchImages } from './images.ts';
import { minProcessorTime } from './min-processor-time.ts';

const { values: options } = parseArgs({
  options: {
    /** Qualities of libwebp. */
    qualities: { type: 'string', default: '50,75,90' },
    class: { type: 'string' },
    /** Prints every image. */
    all: { type: 'boolean', default: false },
  },
});

/** Qualities of our encoder. */
const QUALITIES = [5, 15, 25, 35, 45, 55, 65, 72, 78, 83, 88, 92, 96, 99];
const TIMED_QUALITY = 75;
const RUNS = 5;

sharp.concurrency(1);
const codec = new WebpCodec(await compileModule('webp'));
const tools = await Tools.open();

function encodeOurs(image: BenchImage, quality: number): Uint8Array {
  const encoder = WebpEncoder.start(codec, { ...image, bands: 3 }, quality)!;
  encoder.push(image.data);
  return encoder.finish()!;
}

function encodeTheirs({ data, width, height }: BenchImage, quality: number): Promise<Uint8Array> {
  return sharp(data, { raw: { width, height, channels: 3 } })
    .webp({ quality })
    .toBuffer();
}

async function compare(image: BenchImage): Promise<Compared[]> {
  const { data, width, height } = image;
  const reference = await tools.writePng(sharp(data, { raw: { width, height, channels: 3 } }));
  const ours: Encoded[] = [];
  for (const quality of QUALITIES) ours.push(await tools.encoded(reference, encodeOurs(image, quality)));
  const compared: Compared[] = [];
  for (const quality of options.qualities.split(',').map(Number)) {
    const theirs = await tools.encoded(reference, await encodeTheirs(image, quality));
    compared.push({ image, quality, theirs, ratios: ratiosOf(ours, theirs) });
  }
  await rm(reference);
  return compared;
}

await compareImages(tools, 'libwebp', options, compare);
await tools.close();

let own = 0;
let peer = 0;
for (const image of await benchImages()) {
  if (options.class && image.class !== options.class) continue;
  const [ours, theirs] = await minProcessorTime(
    [() => encodeOurs(image, TIMED_QUALITY), () => encodeTheirs(image, TIMED_QUALITY)],
    RUNS,
  );
  own += ours!;
  peer += theirs!;
}
console.log(
  `Processor time at quality ${TIMED_QUALITY}: ${own.toFixed(0)} ms, libwebp ${peer.toFixed(0)} ms: ${(own / peer).toFixed(2)}`,
);
