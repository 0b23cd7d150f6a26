import type { Image, VipsApi } from '../../../codecs/vips.ts';

/** The 8-bit values that are mapped to 0 and to 255; values between are stretched. */
export type Levels = readonly [number, number];

/** A table for `maplut`. */
export function ramp(vips: VipsApi, [low, high]: Levels): Image {
  const values = Uint8ClampedArray.from({ length: 256 }, (_, value) => ((value - low) / (high - low)) * 255);
  return vips.Image.newFromMemory(new Uint8Array(values.buffer), 256, 1, 1, vips.BandFormat.uchar);
}
