/** A common form of decoded images, so that results of any decoder can be compared. */
import sharp from 'sharp';

// Decoders write to the same file names repeatedly, so caching would return old files.
sharp.cache(false);

/** Red, green, blue and alpha of 16 bits; rows from top to bottom. */
export interface Raster {
  width: number;
  height: number;
  data: Uint16Array;
  /** Whether the decoder returned an alpha channel; without one every alpha is 65535. */
  hasAlpha: boolean;
}

const OPAQUE = 65_535;
/** Scales 255 to 65535. */
const WIDEN = 257;

/** Converts interleaved samples of 8 or 16 bits: grey, grey with alpha, RGB or RGBA. */
export function rasterOf(
  samples: Uint8Array | Uint16Array,
  { width, height, channels }: { width: number; height: number; channels: number },
): Raster {
  const scale = samples instanceof Uint16Array ? 1 : WIDEN;
  const colours = channels < 3 ? 1 : 3;
  const hasAlpha = channels > colours;
  const data = new Uint16Array(width * height * 4);
  for (let from = 0, to = 0; to < data.length; from += channels, to += 4) {
    data[to] = samples[from]! * scale;
    data[to + 1] = samples[from + (colours === 3 ? 1 : 0)]! * scale;
    data[to + 2] = samples[from + (colours === 3 ? 2 : 0)]! * scale;
    data[to + 3] = hasAlpha ? samples[from + colours]! * scale : OPAQUE;
  }
  return { width, height, data, hasAlpha };
}

/**
 * Reads a file with native libvips, in sRGB.
 * @param page starts at 1
 * @param upright rotates the image as the file says
 * @param failOn 'none' accepts the readable part of a damaged file
 */
export async function readBySharp(
  file: string | Uint8Array,
  page = 1,
  upright = false,
  failOn: 'none' | 'warning' = 'warning',
): Promise<Raster> {
  const options = { limitInputPixels: false, unlimited: true, failOn } as const;
  const paged = page > 1 ? { ...options, page: page - 1 } : options;
  const image = sharp(file, paged);
  const { depth } = await image.metadata();
  const deep = depth !== undefined && depth !== 'uchar';
  const { data, info } = await (upright ? image.autoOrient() : image)
    .toColourspace(deep ? 'rgb16' : 'srgb')
    .raw({ depth: deep ? 'ushort' : 'uchar' })
    .toBuffer({ resolveWithObject: true });
  const samples = deep ? new Uint16Array(data.buffer, data.byteOffset, data.length / 2) : data;
  return rasterOf(samples, info);
}
