/**
 * Snaps a mask to the edges of its photo with the guided filter (He, Sun and Tang, "Guided Image Filtering", TPAMI
 * 2013, equations 14 to 16, with colours as the guide): inside each window the mask is assumed to be a linear function
 * of the colours. The coefficients are computed on a reduced image and applied to the full one (He and Sun, "Fast
 * Guided Filter", arXiv 1505.00996).
 */
import { boxMeans, type FloatImage } from './float-image.ts';

/**
 * Radius of the windows in which colours separate subject and background, as a share of the longer side. Equals the
 * usual error of masks at edges. In a larger window, part of the subject has the background's colours and gets holes.
 */
const RADIUS = 0.012;
const MIN_RADIUS = 2;
/** Variance of the colours, 0 to 1, below which a window counts as flat. */
const FLAT = 1e-4;

/**
 * Values of the first pass are stretched between these limits for the second pass, which halves the distance to the
 * edge.
 */
const UNDECIDED = [0.25, 0.75] as const;

/**
 * Number of products whose means the filter needs: colours with themselves and each other, and the mask with the
 * colours.
 */
const GUIDE_MOMENTS = 9;
const MASK_MOMENTS = 4;

/**
 * @param guide three channels, 0 to 1
 * @param mask one channel, at the same size
 * @returns four channels: the factors of red, green and blue, and a constant
 */
export function guidedCoefficients(guide: FloatImage, mask: FloatImage): FloatImage {
  const radius = Math.max(MIN_RADIUS, Math.round(RADIUS * Math.max(guide.width, guide.height)));
  const moments = guideMoments(guide, radius);
  const first = fit(guide, moments, mask, radius);
  return fit(guide, moments, { ...mask, data: sharpen(first, guide) }, radius);
}

/** The mask that the linear functions give for their own guide, with fewer undecided pixels. */
function sharpen(functions: FloatImage, guide: FloatImage): Float32Array {
  const [low, high] = UNDECIDED;
  const data = new Float32Array(guide.width * guide.height);
  for (let pixel = 0; pixel < data.length; pixel += 1) {
    const value =
      functions.data[4 * pixel]! * guide.data[3 * pixel]! +
      functions.data[4 * pixel + 1]! * guide.data[3 * pixel + 1]! +
      functions.data[4 * pixel + 2]! * guide.data[3 * pixel + 2]! +
      functions.data[4 * pixel + 3]!;
    data[pixel] = Math.min(Math.max((value - low) / (high - low), 0), 1);
  }
  return data;
}

const emptyField = ({ width, height }: FloatImage, channels: number): FloatImage => ({
  data: new Float32Array(width * height * channels),
  width,
  height,
  channels,
});

function guideMoments(guide: FloatImage, radius: number): FloatImage {
  const moments = emptyField(guide, GUIDE_MOMENTS);
  const { data } = moments;
  for (let from = 0, to = 0; from < guide.data.length; from += 3, to += GUIDE_MOMENTS) {
    const r = guide.data[from]!;
    const g = guide.data[from + 1]!;
    const b = guide.data[from + 2]!;
    data[to] = r;
    data[to + 1] = g;
    data[to + 2] = b;
    data[to + 3] = r * r;
    data[to + 4] = r * g;
    data[to + 5] = r * b;
    data[to + 6] = g * g;
    data[to + 7] = g * b;
    data[to + 8] = b * b;
  }
  boxMeans(moments, radius);
  return moments;
}

function fit(guide: FloatImage, moments: FloatImage, mask: FloatImage, radius: number): FloatImage {
  const mixed = emptyField(guide, MASK_MOMENTS);
  for (let pixel = 0; pixel < mask.data.length; pixel += 1) {
    const p = mask.data[pixel]!;
    const to = pixel * MASK_MOMENTS;
    mixed.data[to] = p;
    mixed.data[to + 1] = p * guide.data[3 * pixel]!;
    mixed.data[to + 2] = p * guide.data[3 * pixel + 1]!;
    mixed.data[to + 3] = p * guide.data[3 * pixel + 2]!;
  }
  boxMeans(mixed, radius);
  // In place: the coefficients overwrite the moments they are computed from.
  for (let pixel = 0; pixel < mask.data.length; pixel += 1) {
    solve(moments.data, pixel * GUIDE_MOMENTS, mixed.data, pixel * MASK_MOMENTS);
  }
  boxMeans(mixed, radius);
  return mixed;
}

/**
 * Computes the linear function of the colours closest to the mask in a window, and stores it over the mask's moments.
 */
function solve(guide: Float32Array, from: number, mask: Float32Array, at: number): void {
  const p = mask[at]!;
  const r = guide[from]!;
  const g = guide[from + 1]!;
  const b = guide[from + 2]!;
  const pr = mask[at + 1]! - p * r;
  const pg = mask[at + 2]! - p * g;
  const pb = mask[at + 3]! - p * b;
  const rr = guide[from + 3]! - r * r + FLAT;
  const rg = guide[from + 4]! - r * g;
  const rb = guide[from + 5]! - r * b;
  const gg = guide[from + 6]! - g * g + FLAT;
  const gb = guide[from + 7]! - g * b;
  const bb = guide[from + 8]! - b * b + FLAT;
  // The inverse of a symmetric matrix by its cofactors.
  const crr = gg * bb - gb * gb;
  const crg = gb * rb - rg * bb;
  const crb = rg * gb - gg * rb;
  const cgg = rr * bb - rb * rb;
  const cgb = rg * rb - rr * gb;
  const cbb = rr * gg - rg * rg;
  const determinant = rr * crr + rg * crg + rb * crb;
  const red = (crr * pr + crg * pg + crb * pb) / determinant;
  const green = (crg * pr + cgg * pg + cgb * pb) / determinant;
  const blue = (crb * pr + cgb * pg + cbb * pb) / determinant;
  mask[at] = red;
  mask[at + 1] = green;
  mask[at + 2] = blue;
  mask[at + 3] = p - red * r - green * g - blue * b;
}
