/** Measures how close a result is to its reference. */
import sharp, { type Sharp } from 'sharp';
import type { Luminance } from '../engine/quality/scales.ts';
import { similarity } from '../engine/quality/similarity.ts';
import { decode } from './jsquash.ts';
import type { Workload } from './workloads.ts';

export interface Score {
  /** Multi-scale structural similarity of luma and colour, 0 to 1. */
  similarity: number;
  /** Peak signal-to-noise ratio of red, green and blue in decibels; null if every sample is the same. */
  psnr: number | null;
}

/**
 * Y, Cb and Cr of JFIF (ITU-T T.871) with their weights: 6:1:1, with which video coding averages PSNR. Luma alone would
 * prefer quantisation tables that degrade the colours, which Butteraugli does not.
 */
const PLANES = [
  { weight: 6 / 8, offset: 0, red: 0.299, green: 0.587, blue: 0.114 },
  { weight: 1 / 8, offset: 128, red: -0.168736, green: -0.331264, blue: 0.5 },
  { weight: 1 / 8, offset: 128, red: 0.5, green: -0.418688, blue: -0.081312 },
] as const;

/** Decoded RGB, 8 bits; the frames of an animation are stacked vertically. */
export interface Decoded {
  data: Buffer;
  width: number;
  height: number;
}

/** Background that shows both dark and light differences in transparent areas. */
const BEHIND = { r: 128, g: 128, b: 128 };

/**
 * Returns the expected result of a workload: the whole source decoded by sharp, then resized with its Lanczos 3. It
 * does not contain any contender's shortcut of decoding at a smaller size, so it favours none.
 */
export async function referenceOf({ animated = false, width }: Workload, input: Buffer): Promise<Decoded> {
  const { data, info } = await sharp(input, { animated }).raw().toBuffer({ resolveWithObject: true });
  const source = sharp(data, { raw: { width: info.width, height: info.height, channels: info.channels } });
  return toRgb(width === undefined ? source : source.resize(width));
}

export async function decodeFile(format: string, file: Buffer, animated = false): Promise<Decoded> {
  if (format !== 'jxl') return toRgb(sharp(file, { animated }));
  // sharp's prebuilt libvips has no JPEG XL.
  const { data, width, height } = await decode('jxl', file);
  return toRgb(sharp(data, { raw: { width, height, channels: 4 } }));
}

/** Converts to red, green and blue of 8 bits. */
export async function toRgb(image: Sharp): Promise<Decoded> {
  const { data, info } = await image
    .flatten({ background: BEHIND })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

/** @throws RangeError if the sizes differ */
export function scoreOf(reference: Decoded, result: Decoded): Score {
  if (reference.width !== result.width || reference.height !== result.height) {
    throw new RangeError(
      `Expected a result of ${reference.width} x ${reference.height} but received ${result.width} x ${result.height}.`,
    );
  }
  const weighted = PLANES.map((plane) => plane.weight * similarity(planeOf(reference, plane), planeOf(result, plane)));
  return { similarity: weighted.reduce((sum, part) => sum + part), psnr: psnr(reference.data, result.data) };
}

function planeOf({ data, width, height }: Decoded, { offset, red, green, blue }: (typeof PLANES)[number]): Luminance {
  const plane = new Uint8ClampedArray(width * height);
  for (let pixel = 0, at = 0; pixel < plane.length; pixel++, at += 3) {
    plane[pixel] = offset + red * data[at]! + green * data[at + 1]! + blue * data[at + 2]!;
  }
  return { data: new Uint8Array(plane.buffer), width, height };
}

/** Returns decibels; null for equal samples. */
export function psnr(one: Uint8Array, other: Uint8Array): number | null {
  let squares = 0;
  for (let index = 0; index < one.length; index++) squares += (one[index]! - other[index]!) ** 2;
  return squares === 0 ? null : 10 * Math.log10((255 ** 2 * one.length) / squares);
}
