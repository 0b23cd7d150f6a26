/**
 * Measures how similar an image is to its original: the structural similarity of their luminance at several scales
 * (Wang, Simoncelli, Bovik: "Multi-scale structural similarity for image quality assessment", 2003), with square
 * windows: 1 - similarity is 0.7 to 1.1 times the value with Gaussian windows. It does not say whether a viewer sees
 * the difference (see distance.ts).
 */
import {
  BLOCK,
  BLOCK_AREA,
  type BlockSums,
  emptyHalf,
  emptySums,
  type Luminance,
  type Plane,
  sumBlocks,
  wholeBlocks,
} from './scales.ts';

export interface Reference {
  /** @param candidate of the same size as the reference @returns 0 to 1; 1 is identical */
  compare(candidate: Luminance): number;
}

/** Weights of the scales, finest first (section 3.2 of the paper). */
const SCALE_WEIGHTS: readonly number[] = [0.0448, 0.2856, 0.3001, 0.2363, 0.1333];
/** The constants of SSIM for 8 bits: (K1 L)^2 and (K2 L)^2 with K1 = 0.01, K2 = 0.03 and L = 255. */
const C1 = (0.01 * 255) ** 2;
const C2 = (0.03 * 255) ** 2;

/** Windows are two by two blocks, at intervals of one block. */
const WINDOW_AREA = 4 * BLOCK_AREA;

/** One scale of the reference, with the buffers of a comparison. */
interface Scale {
  plane: Plane;
  rows: number;
  columns: number;
  /** Sums over each block of the reference and of its square, row by row. */
  a: Float64Array;
  aa: Float64Array;
  /** Two rows of blocks: the current one and the one above. */
  blocks: [BlockSums, BlockSums];
  /** The candidate at the next scale. */
  next: Plane | undefined;
}

/** The multi-scale SSIM of two images of the same size: 0 to 1, 1 is identical. */
export const similarity = (a: Luminance, b: Luminance): number => prepareReference(a).compare(b);

/** Prepares the reference once, for any number of comparisons. */
export function prepareReference(reference: Luminance): Reference {
  const { width, height } = reference;
  const scales = prepareScales(wholeBlocks(reference));
  return {
    compare(candidate) {
      if (candidate.width !== width || candidate.height !== height) {
        throw new RangeError(
          `Expected a candidate of ${width} x ${height} but received ${candidate.width} x ${candidate.height}.`,
        );
      }
      return compareScales(scales, wholeBlocks(candidate));
    },
  };
}

function prepareScales(image: Plane): Scale[] {
  const scales: Scale[] = [];
  for (let plane: Plane | undefined = image; plane; ) {
    const level = scales.length;
    const next: Plane | undefined = level + 1 < SCALE_WEIGHTS.length ? emptyHalf(plane) : undefined;
    scales.push(prepareScale(plane, next));
    plane = next;
  }
  return scales;
}

/** Also fills `next` with the reference at the next scale. */
function prepareScale(plane: Plane, next: Plane | undefined): Scale {
  const rows = Math.floor(plane.height / BLOCK);
  const columns = Math.floor(plane.width / BLOCK);
  const scale: Scale = {
    plane,
    rows,
    columns,
    a: new Float64Array(rows * columns),
    aa: new Float64Array(rows * columns),
    blocks: [emptySums(columns), emptySums(columns)],
    next: next && emptyHalf(plane),
  };
  const [sums] = scale.blocks;
  for (let row = 0; row < rows; row++) {
    sumBlocks(plane, plane, row, sums, next);
    scale.a.set(sums.b, row * columns);
    scale.aa.set(sums.bb, row * columns);
  }
  return scale;
}

function compareScales(scales: readonly Scale[], candidate: Plane): number {
  let b = candidate;
  const means = scales.map((scale, level) => {
    const mean = compareScale(scale, b, level);
    b = scale.next ?? b;
    return mean;
  });
  return combine(means);
}

/**
 * The weighted geometric mean of the scores of the scales. A score can be negative, as for the negative of an image;
 * its fractional power would be NaN, so it counts as 0.
 */
function combine(scores: readonly number[]): number {
  let logarithm = 0;
  let weights = 0;
  scores.forEach((score, level) => {
    logarithm += SCALE_WEIGHTS[level]! * Math.log(Math.max(0, score));
    weights += SCALE_WEIGHTS[level]!;
  });
  return Math.exp(logarithm / weights);
}

/**
 * Compares one scale: the mean of contrast and structure over all windows, on the coarsest scale times luminance. Sums
 * stay multiplied by the area, and variances by its square, so the constants are multiplied too.
 */
function compareScale(scale: Scale, candidate: Plane, level: number): number {
  const { rows, columns, a, aa, next } = scale;
  const windowC1 = C1 * (4 ** level * WINDOW_AREA) ** 2;
  const windowC2 = C2 * (4 ** level * WINDOW_AREA) ** 2;
  let total = 0;
  for (let row = 0; row < rows; row++) {
    const here = scale.blocks[row & 1]!;
    const above = scale.blocks[(row & 1) ^ 1]!;
    sumBlocks(scale.plane, candidate, row, here, next);
    if (row === 0) continue;
    for (let column = 1, i = row * columns + 1; column < columns; column++, i++) {
      const sumA = a[i - 1]! + a[i]! + a[i - columns - 1]! + a[i - columns]!;
      const squaresA = aa[i - 1]! + aa[i]! + aa[i - columns - 1]! + aa[i - columns]!;
      const sumB = windowSum(above.b, here.b, column);
      const squares = squaresA + windowSum(above.bb, here.bb, column);
      const variances = WINDOW_AREA * squares - sumA * sumA - sumB * sumB;
      const covariance = WINDOW_AREA * windowSum(above.ab, here.ab, column) - sumA * sumB;
      const structure = (2 * covariance + windowC2) / (variances + windowC2);
      const luminance = next ? 1 : (2 * sumA * sumB + windowC1) / (sumA * sumA + sumB * sumB + windowC1);
      total += structure * luminance;
    }
  }
  return total / ((rows - 1) * (columns - 1));
}

/** The sum over the window that ends at `column`. */
const windowSum = (above: Float64Array, here: Float64Array, column: number): number =>
  above[column - 1]! + above[column]! + here[column - 1]! + here[column]!;
