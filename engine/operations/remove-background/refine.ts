/**
 * Pulls a mask onto the edges of its photo with the guided filter (He, Sun and Tang, "Guided Image Filtering", TPAMI
 * 2013, equations 14 to 16, colours as the guide): inside each window the mask is taken to be a linear function of the
 * colours. The functions are found on a small picture and applied to the full one (He and Sun, "Fast Guided Filter",
 * arXiv 1505.00996).
 */
import { boxMeans, type Field } from './field.ts';

/** Pixels around each pixel whose colours tell subject and background apart, at the size where the functions are found. */
const RADIUS = 6;
/** Variance of the colours, 0 to 1, below which a window counts as flat. */
const FLAT = 1e-4;

/** Products whose means the filter needs: the mask, the colours, mask with colours, colours with colours. */
const MOMENTS = 13;

/**
 * @param guide three channels, 0 to 1
 * @param mask one channel, of the same size
 * @returns four channels: the factors of red, green and blue, and what is added to them
 */
export function guidedFunctions(guide: Field, mask: Field): Field {
  const { width, height } = guide;
  const moments: Field = { data: new Float32Array(width * height * MOMENTS), width, height, channels: MOMENTS };
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    const p = mask.data[pixel]!;
    const r = guide.data[3 * pixel]!;
    const g = guide.data[3 * pixel + 1]!;
    const b = guide.data[3 * pixel + 2]!;
    const at = pixel * MOMENTS;
    moments.data[at] = p;
    moments.data[at + 1] = r;
    moments.data[at + 2] = g;
    moments.data[at + 3] = b;
    moments.data[at + 4] = p * r;
    moments.data[at + 5] = p * g;
    moments.data[at + 6] = p * b;
    moments.data[at + 7] = r * r;
    moments.data[at + 8] = r * g;
    moments.data[at + 9] = r * b;
    moments.data[at + 10] = g * g;
    moments.data[at + 11] = g * b;
    moments.data[at + 12] = b * b;
  }
  boxMeans(moments, RADIUS);
  const functions: Field = { data: new Float32Array(width * height * 4), width, height, channels: 4 };
  for (let pixel = 0; pixel < width * height; pixel += 1)
    solve(moments.data, pixel * MOMENTS, functions.data, pixel * 4);
  boxMeans(functions, RADIUS);
  return functions;
}

/** The linear function of the colours that comes nearest to the mask in a window, by its moments. */
function solve(moments: Float32Array, from: number, functions: Float32Array, to: number): void {
  const p = moments[from]!;
  const r = moments[from + 1]!;
  const g = moments[from + 2]!;
  const b = moments[from + 3]!;
  const pr = moments[from + 4]! - p * r;
  const pg = moments[from + 5]! - p * g;
  const pb = moments[from + 6]! - p * b;
  const rr = moments[from + 7]! - r * r + FLAT;
  const rg = moments[from + 8]! - r * g;
  const rb = moments[from + 9]! - r * b;
  const gg = moments[from + 10]! - g * g + FLAT;
  const gb = moments[from + 11]! - g * b;
  const bb = moments[from + 12]! - b * b + FLAT;
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
  functions[to] = red;
  functions[to + 1] = green;
  functions[to + 2] = blue;
  functions[to + 3] = p - red * r - green * g - blue * b;
}
