import type { Image, VipsApi } from '../../../codecs/vips.ts';

/** Values of 8 bits that become 0 and 255; what lies between is spread. */
export type Levels = readonly [number, number];

/** A table for `maplut`. */
export function ramp(vips: VipsApi, [low, high]: Levels): Image {
  const values = Uint8ClampedArray.from({ length: 256 }, (_, value) => ((value - low) / (high - low)) * 255);
  return vips.Image.newFromMemory(new Uint8Array(values.buffer), 256, 1, 1, vips.BandFormat.uchar);
}
