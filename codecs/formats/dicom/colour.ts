/** Converts colour samples to 8-bit RGB (DICOM PS3.3, C.7.6.3.1.2). */
import type { StoredValues } from './stored.ts';

/** What the three samples of a pixel are. */
export type SampleModel = 'rgb' | 'ybr' | 'ybrPartial';

/**
 * Keeps the top 8 of the used bits. Exact for 8-bit colours that were expanded to more bits in either of the usual
 * ways.
 */
export function toBytes(values: StoredValues, bits: number): Uint8Array {
  if (bits === 8 && values instanceof Uint8Array) return values;
  const bytes = new Uint8Array(values.length);
  if (bits < 8) {
    const factor = 255 / (2 ** bits - 1);
    for (let index = 0; index < values.length; index++) bytes[index] = Math.round(values[index]! * factor);
  } else {
    for (let index = 0; index < values.length; index++) bytes[index] = values[index]! >>> (bits - 8);
  }
  return bytes;
}

/** Converts planes to pixels. */
export function interleave(planes: Uint8Array): Uint8Array {
  const pixels = planes.length / 3;
  const interleaved = new Uint8Array(planes.length);
  for (let read = 0, write = 0; read < pixels; read++, write += 3) {
    interleaved[write] = planes[read]!;
    interleaved[write + 1] = planes[read + pixels]!;
    interleaved[write + 2] = planes[read + 2 * pixels]!;
  }
  return interleaved;
}

/** Expands pairs of pixels that share their chroma, in the order Y Y Cb Cr, to one triple for each pixel. */
export function spreadChroma(pairs: StoredValues, pixels: number): StoredValues {
  const spread = new (pairs.constructor as new (length: number) => StoredValues)(pixels * 3);
  for (let pixel = 0, write = 0; pixel < pixels; pixel++, write += 3) {
    const pair = (pixel >> 1) * 4;
    spread[write] = pairs[pair + (pixel & 1)]!;
    spread[write + 1] = pairs[pair + 2]!;
    spread[write + 2] = pairs[pair + 3]!;
  }
  return spread;
}

/** Converts luma and chroma of ITU-R BT.601. Ranges are 0 to 255 (`ybr`), or 16 to 235 for luma and 240 for chroma. */
export function toRgb(ybr: Uint8Array, model: Exclude<SampleModel, 'rgb'>): Uint8ClampedArray<ArrayBuffer> {
  const partial = model === 'ybrPartial';
  const black = partial ? 16 : 0;
  const luma = partial ? 255 / 219 : 1;
  const chroma = partial ? 255 / 224 : 1;
  // A clamped array also rounds to the nearest integer.
  const rgb = new Uint8ClampedArray(ybr.length);
  for (let at = 0; at + 2 < ybr.length; at += 3) {
    const y = (ybr[at]! - black) * luma;
    const cb = (ybr[at + 1]! - 128) * chroma;
    const cr = (ybr[at + 2]! - 128) * chroma;
    rgb[at] = y + 1.402 * cr;
    rgb[at + 1] = y - 0.344136 * cb - 0.714136 * cr;
    rgb[at + 2] = y + 1.772 * cb;
  }
  return rgb;
}
