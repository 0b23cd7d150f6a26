/** Small images that the tests create. */
import sharp, { type Sharp } from 'sharp';

export interface RawImage {
  data: Buffer;
  width: number;
  height: number;
  channels: number;
}

/** Creates an image with structure everywhere: no two quadrants, rows or columns are alike. */
export function pattern(width: number, height: number, channels: 3 | 4 = 3): RawImage {
  const data = Buffer.alloc(width * height * channels);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = (y * width + x) * channels;
      data[at] = (x * 255) / width;
      data[at + 1] = (y * 255) / height;
      data[at + 2] = 127 + 120 * Math.sin(x / 7 + y / 11);
      if (channels === 4) data[at + 3] = x < width / 2 ? 255 : (255 * y) / height;
    }
  }
  return { data, width, height, channels };
}

/** Creates an image of one colour. */
export function flat(width: number, height: number, ...samples: [number, number, number, number?]): RawImage {
  const pixel = Buffer.from(samples.filter((sample) => sample !== undefined));
  return { data: Buffer.alloc(width * height * pixel.length, pixel), width, height, channels: pixel.length };
}

export function sharpOf({ data, width, height, channels }: RawImage): Sharp {
  return sharp(data, { raw: { width, height, channels: channels as 3 } });
}

export const png = (raw: RawImage): Promise<Buffer> => sharpOf(raw).png().toBuffer();
export const jpeg = (raw: RawImage, quality = 90): Promise<Buffer> => sharpOf(raw).jpeg({ quality }).toBuffer();

/** Decodes with sharp, the trusted reference, to interleaved 8-bit samples. */
export async function decode(bytes: Uint8Array): Promise<RawImage> {
  const { data, info } = await sharp(bytes, { limitInputPixels: false })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: info.channels };
}

/** Returns the samples of one pixel. Tests call it for each pixel of an image, so it makes no view of the buffer. */
export function pixel({ data, width, channels }: RawImage, x: number, y: number): number[] {
  const at = (y * width + x) * channels;
  const samples: number[] = [];
  for (let channel = 0; channel < channels; channel += 1) samples.push(data[at + channel]!);
  return samples;
}

/** Returns the maximum and the mean difference between the samples of two images of the same size. */
export function difference(a: RawImage, b: RawImage): { max: number; mean: number } {
  if (a.width !== b.width || a.height !== b.height || a.channels !== b.channels) {
    throw new Error(
      `sizes differ: ${a.width} x ${a.height} x ${a.channels} and ${b.width} x ${b.height} x ${b.channels}`,
    );
  }
  let max = 0;
  let sum = 0;
  for (let at = 0; at < a.data.length; at += 1) {
    const step = Math.abs((a.data[at] as number) - (b.data[at] as number));
    sum += step;
    if (step > max) max = step;
  }
  return { max, mean: sum / a.data.length };
}

/** Creates an image that compresses like a photograph: smooth areas, edges and some grain. */
export function grainyPattern(width: number, height: number): RawImage {
  const raw = pattern(width, height);
  let seed = 1;
  for (let at = 0; at < raw.data.length; at += 1) {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    const x = Math.floor(at / 3) % width;
    const edge = Math.floor(x / 40) % 2 ? 40 : 0;
    raw.data[at] = Math.max(0, Math.min(255, (raw.data[at] as number) + edge + ((seed >> 16) % 13) - 6));
  }
  return raw;
}
