/** Finds the ink of drawn texts, and compares it. */
import sharp from 'sharp';

/** The part of an image with ink, on a white background. */
export interface Ink {
  width: number;
  height: number;
  /** Interleaved samples of the part: grey or RGB. */
  samples: Buffer;
  channels: 1 | 2 | 3 | 4;
  /** 0 white to 255 black, row by row. */
  darkness: Uint8Array;
}

/** Fainter pixels belong to the edges that both renderers smooth differently. */
const MIN_DARKNESS = 32;
/** How far the images are moved to find their best overlap. */
const MAX_SHIFT = 2;

/** @throws Error if the image is empty */
export async function findInk(file: Buffer): Promise<Ink> {
  const { data, info } = await sharp(file)
    .flatten({ background: '#ffffff' })
    .removeAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const dark = darknessOf(data, info.channels);
  const { width, height } = info;
  let [left, right, top, bottom] = [width, -1, height, -1];
  for (let at = 0; at < dark.length; at += 1) {
    if (dark[at]! < MIN_DARKNESS) continue;
    const [x, y] = [at % width, Math.floor(at / width)];
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  if (right < 0) throw new Error('Expected visible text but received an empty image.');
  const box = { left, top, width: right - left + 1, height: bottom - top + 1 };
  const samples = await sharp(data, { raw: info }).extract(box).raw().toBuffer();
  return {
    width: box.width,
    height: box.height,
    samples,
    channels: info.channels,
    darkness: darknessOf(samples, info.channels),
  };
}

function darknessOf(samples: Uint8Array, channels: number): Uint8Array {
  return Uint8Array.from(
    { length: samples.length / channels },
    (_, at) => 255 - Math.min(...samples.subarray(channels * at, channels * (at + 1))),
  );
}

export const toPng = ({ samples, width, height, channels }: Ink): Promise<Buffer> =>
  sharp(samples, { raw: { width, height, channels } }).png().toBuffer();

/** The intersection of the ink over its union, 0 to 1, at the best of a few shifts. Smoothed edges count by their darkness. */
export function overlap(one: Ink, other: Ink): number {
  let best = 0;
  for (let dy = -MAX_SHIFT; dy <= MAX_SHIFT; dy += 1)
    for (let dx = -MAX_SHIFT; dx <= MAX_SHIFT; dx += 1) best = Math.max(best, overlapAt(one, other, dx, dy));
  return best;
}

function overlapAt(one: Ink, other: Ink, dx: number, dy: number): number {
  const valueAt = ({ darkness, width, height }: Ink, x: number, y: number) =>
    x < 0 || y < 0 || x >= width || y >= height ? 0 : darkness[y * width + x]!;
  let [common, either] = [0, 0];
  for (let y = -MAX_SHIFT; y < Math.max(one.height, other.height) + MAX_SHIFT; y += 1) {
    for (let x = -MAX_SHIFT; x < Math.max(one.width, other.width) + MAX_SHIFT; x += 1) {
      const [a, b] = [valueAt(one, x, y), valueAt(other, x + dx, y + dy)];
      common += Math.min(a, b);
      either += Math.max(a, b);
    }
  }
  return common / either;
}
