/** Images of the layers of a page, and operations on whole images. */

import type { Size } from '../../../base/geometry.ts';
import type { Rotation } from './info.ts';

export interface Raster extends Size {
  /** Interleaved grey or RGB, rows from top to bottom. */
  data: Uint8Array;
  channels: 1 | 3;
}

const REDUCTIONS = 12;

/**
 * Returns how many times smaller than its page a layer is. A valid size is the page's, divided by a whole number up to
 * 12 and rounded up (DjVu 3 Specification, 2005, section 10.3). Returns undefined for any other size.
 */
export function reductionOf(layer: Size, page: Size): number | undefined {
  for (let reduction = 1; reduction <= REDUCTIONS; reduction++) {
    const fits =
      Math.ceil(page.width / reduction) === layer.width && Math.ceil(page.height / reduction) === layer.height;
    if (fits) return reduction;
  }
  return undefined;
}

/** Returns the size of a page or layer that is decoded `reduction` times smaller. */
export const reducedSize = ({ width, height }: Size, reduction: number): Size => ({
  width: Math.ceil(width / reduction),
  height: Math.ceil(height / reduction),
});

/**
 * Shrinks by averaging squares of pixels. The first square is in the bottom left corner; those at the top and right may
 * be cut off.
 */
export function shrinkRaster({ data, width, height, channels }: Raster, side: number): Raster {
  const size = reducedSize({ width, height }, side);
  const means = new Uint8Array(size.width * size.height * channels);
  const sums = new Uint32Array(size.width * channels);
  for (let fromBottom = 0; fromBottom < height; fromBottom++) {
    const start = (height - 1 - fromBottom) * width * channels;
    for (let x = 0, read = start; x < width; x++) {
      const square = Math.floor(x / side) * channels;
      for (let channel = 0; channel < channels; channel++) sums[square + channel]! += data[read++]!;
    }
    const rows = (fromBottom % side) + 1;
    if (rows < side && fromBottom < height - 1) continue;
    const to = (size.height - 1 - Math.floor(fromBottom / side)) * sums.length;
    for (let at = 0; at < sums.length; at++) {
      const columns = Math.min(side, width - Math.floor(at / channels) * side);
      means[to + at] = Math.round(sums[at]! / (rows * columns));
    }
    sums.fill(0);
  }
  return { data: means, ...size, channels };
}

/** Converts the image to RGB. */
export function toColour({ data, width, height, channels }: Raster): Raster {
  if (channels === 3) return { data, width, height, channels };
  const colour = new Uint8Array(data.length * 3);
  for (let read = 0, write = 0; read < data.length; read++, write += 3) {
    const sample = data[read]!;
    colour[write] = sample;
    colour[write + 1] = sample;
    colour[write + 2] = sample;
  }
  return { data: colour, width, height, channels: 3 };
}

/** The gamma that displays are assumed to have. */
const DISPLAY_GAMMA = 2.2;

/** Corrects samples made for a display of another gamma, in place. */
export function correctGamma(samples: Uint8Array, gamma: number): void {
  if (Math.abs(gamma - DISPLAY_GAMMA) < 0.01) return;
  const corrected = Uint8Array.from({ length: 256 }, (_, sample) =>
    Math.round(255 * (sample / 255) ** (gamma / DISPLAY_GAMMA)),
  );
  for (let at = 0; at < samples.length; at++) samples[at] = corrected[samples[at]!]!;
}

/** Rotates an image anticlockwise. */
export function rotate(raster: Raster, degrees: Rotation): Raster {
  if (degrees === 0) return raster;
  const { data, width, height, channels } = raster;
  const sideways = degrees !== 180;
  const turned = new Uint8Array(data.length);
  // Index of the first pixel of the result in the source, and the steps to the next pixel and to the next row.
  const [first, across, down] = {
    90: [width - 1, width, -1],
    180: [width * height - 1, -1, -width],
    270: [(height - 1) * width, -width, 1],
  }[degrees] as [number, number, number];
  const size = sideways ? { width: height, height: width } : { width, height };
  let write = 0;
  for (let y = 0; y < size.height; y++) {
    let read = (first + y * down) * channels;
    for (let x = 0; x < size.width; x++, read += across * channels) {
      for (let channel = 0; channel < channels; channel++) turned[write++] = data[read + channel]!;
    }
  }
  return { data: turned, ...size, channels };
}
