/**
 * `npm run bench:smart`: results of `mode=smart` for sixty images of six classes: the 3-norm of Butteraugli, the bytes
 * compared with the lowest fixed quality of sharp with the same 95th percentile, what a second and a third round
 * change, and the time. Needs Debian's package libjxl-devtools.
 *
 *     npm run bench:smart -- --formats jpeg --class text --all
 */
import { parseArgs } from 'node:util';
import sharp, { type Sharp } from 'sharp';
import { compressParams } from '../engine/operations/compress/params.ts';
import { createPool } from '../engine/pool.ts';
import type { ImageResult } from '../engine/result.ts';
import { BUTTERAUGLI, Tools } from './equal-quality.ts';
import { type BenchImage, benchImages } from './images.ts';
import { describeMachine } from './machine.ts';
import { median, percentile } from './statistics.ts';

const { values: options } = parseArgs({
  options: {
    formats: { type: 'string', default: 'jpeg,webp,avif' },
    class: { type: 'string' },
    /** Skips the comparison with sharp. */
    alone: { type: 'boolean', default: false },
    /** Prints every image. */
    all: { type: 'boolean', default: false },
  },
});

type Format = 'jpeg' | 'webp' | 'avif';
/** Code that a user of sharp writes for small files, with half and full colour resolution where there is a choice. */
const PEERS: Record<Format, readonly ((image: Sharp, quality: number) => Sharp)[]> = {
  jpeg: ['4:2:0', '4:4:4'].map(
    (chromaSubsampling) => (image, quality) => image.jpeg({ quality, mozjpeg: true, chromaSubsampling }),
  ),
  webp: [(image, quality) => image.webp({ quality })],
  avif: ['4:2:0', '4:4:4'].map((chromaSubsampling) => (image, quality) => image.avif({ quality, chromaSubsampling })),
};
const PEER_QUALITIES = [40, 50, 60, 70, 75, 80, 85, 90, 94, 97];
const ROUNDS = 3;

const engine = await createPool({ workers: 2 });
const tools = await Tools.open([BUTTERAUGLI]);

async function butteraugli(reference: string, file: Uint8Array): Promise<number> {
  return (await tools.encoded(reference, file)).distances[0]!;
}

async function smart(file: Uint8Array, format: Format): Promise<ImageResult> {
  const params = { ...compressParams.parse({ format, mode: 'smart' }), page: 1 };
  return engine.run('compress', { image: { data: new Uint8Array(file).buffer }, params });
}

interface Measured {
  image: BenchImage;
  bytes: number;
  distance: number;
  milliseconds: number;
  encodings: number;
  /** Whether the later rounds changed no byte. */
  isStable: boolean;
  /** Distance after the last round. */
  lastDistance: number;
  /** For each peer, one file per quality. */
  peers: { bytes: number; distance: number }[][];
}

async function measure(image: BenchImage, format: Format): Promise<Measured> {
  const { data, width, height } = image;
  const raw = () => sharp(data, { raw: { width, height, channels: 3 } });
  const reference = await tools.writePng(raw());
  const start = performance.now();
  const first = await smart(await raw().png().toBuffer(), format);
  const milliseconds = performance.now() - start;
  const bytes = Buffer.from(first.data);
  let last = bytes;
  for (let round = 1; round < ROUNDS; round += 1) last = Buffer.from((await smart(last, format)).data);
  const peers: Measured['peers'] = [];
  for (const encode of options.alone ? [] : PEERS[format]) {
    const made: Measured['peers'][number] = [];
    for (const quality of PEER_QUALITIES) {
      const file = await encode(raw(), quality).toBuffer();
      made.push({ bytes: file.length, distance: await butteraugli(reference, file) });
    }
    peers.push(made);
  }
  const distance = await butteraugli(reference, bytes);
  const isStable = last.equals(bytes);
  const lastDistance = isStable ? distance : await butteraugli(reference, last);
  const encodings = first.explain?.length ?? 0;
  return { image, bytes: bytes.length, distance, milliseconds, encodings, isStable, lastDistance, peers };
}

const totalOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

/** Interpolates a peer's bytes at the lowest quality whose 95th percentile is at most this, between two qualities. */
function peerBytes(measured: readonly Measured[], peer: number, p95: number): number {
  const points = PEER_QUALITIES.map((_, index) => {
    const files = measured.map(({ peers }) => peers[peer]![index]!);
    const bytes = totalOf(files.map((file) => file.bytes));
    return {
      bytes,
      p95: percentile(
        files.map((file) => file.distance),
        0.95,
      ),
    };
  });
  const after = points.findIndex((point) => point.p95 <= p95);
  if (after < 0) return Number.POSITIVE_INFINITY;
  if (after === 0) return points[0]!.bytes;
  const [low, high] = [points[after - 1]!, points[after]!];
  const share = (low.p95 - p95) / (low.p95 - high.p95 || 1);
  return low.bytes * (1 - share) + high.bytes * share;
}

console.log(JSON.stringify(describeMachine()));
const images = (await benchImages()).filter((image) => !options.class || image.class === options.class);
for (const format of options.formats.split(',') as Format[]) {
  const measured: Measured[] = [];
  const queue = [...images];
  const worker = async () => {
    for (let image = queue.shift(); image; image = queue.shift()) measured.push(await measure(image, format));
  };
  await Promise.all([worker(), worker()]);
  const distances = measured.map(({ distance }) => distance);
  const p95 = percentile(distances, 0.95);
  const bytes = totalOf(measured.map((each) => each.bytes));
  const stable = measured.filter(({ isStable }) => isStable).length;
  const times = measured.map(({ milliseconds }) => milliseconds);
  const worstLater = Math.max(...measured.map(({ lastDistance }) => lastDistance));
  console.log(
    `${format}: 3-norm median ${median(distances).toFixed(2)}, p95 ${p95.toFixed(2)}, worst ${Math.max(...distances).toFixed(2)}; ` +
      `${bytes} bytes, sharp ${options.alone ? '-' : Math.min(...PEERS[format].map((_, peer) => peerBytes(measured, peer, p95))).toFixed(0)}; ` +
      `unchanged by more rounds ${stable} of ${measured.length}, worst then ${worstLater.toFixed(2)}; ` +
      `encodings ${median(measured.map(({ encodings }) => encodings))}, ms median ${median(times).toFixed(0)}, worst ${Math.max(...times).toFixed(0)}`,
  );
  const shown = measured.filter(({ distance, isStable }) => options.all || distance > 1.5 || !isStable);
  for (const { image, distance, isStable, lastDistance, bytes: own } of shown)
    console.log(
      `  ${image.name}: ${own} bytes, ${distance.toFixed(2)}${isStable ? '' : `, changed by more rounds: ${lastDistance.toFixed(2)}`}`,
    );
}
await tools.close();
await engine.close();
