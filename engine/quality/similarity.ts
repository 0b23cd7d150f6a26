/**
 * How close a picture is to its original, by the structural similarity of their luminance on several scales (Wang,
 * Simoncelli, Bovik: "Multi-scale structural similarity for image quality assessment", 2003), pooled in two ways.
 */

/** One channel, 0 to 255, rows from top to bottom without gaps. */
export interface Luminance {
  data: Uint8Array;
  width: number;
  height: number;
}

/** Both from 0 to 1; 1 is identical. */
export interface Similarity {
  /**
   * The multi-scale SSIM of the paper, with square windows: 1 - mean is 0.7 to 1.1 times what Gaussian windows give. It
   * says how much of the picture is alike, but not whether a viewer sees the difference: at 0.985 the Butteraugli 3-norm
   * of 30 encodings (JPEG and WebP of photographs, screenshots, gradients) lies between 1.3 and 3.3.
   */
  mean: number;
  /**
   * The part that suffered most: the mean of the lowest hundredth of tiles of 128 pixels square. A tile is scored by
   * windows of four pixels with a root mean square, so that few bad windows are not outvoted by many good ones, and with
   * masking by the root of the contrast, so that blur of print counts. Its rank correlation with Butteraugli over 300
   * encodings is 0.94, that of the mean 0.78. At 0.985 the 3-norm of photographs lies between 1.0 and 1.4 (JPEG quality 67
   * to 81); the highest value, 2.3, is a JPEG of a plain gradient at quality 33.
   */
  worst: number;
}

export interface Reference {
  /** @param candidate of the same size as the reference */
  compare(candidate: Luminance): Similarity;
}

/** Importance of the scales, finest first (section 3.2 of the paper). */
const SCALE_WEIGHTS: readonly number[] = [0.0448, 0.2856, 0.3001, 0.2363, 0.1333];
/** The constants of SSIM for 8 bits: (K1 L)^2 and (K2 L)^2 with K1 = 0.01, K2 = 0.03 and L = 255. */
const C1 = (0.01 * 255) ** 2;
const C2 = (0.03 * 255) ** 2;

/** Side of a block in pixels. The windows of the mean are two by two blocks and stand one block apart. */
const BLOCK = 4;
const BLOCK_AREA = BLOCK ** 2;
const WINDOW_AREA = 4 * BLOCK_AREA;

/**
 * Variance of an error that shows on a flat background, and how contrast hides it: the error in proportion to
 * VISIBLE_ERROR + sqrt(MASKING * variance). SSIM takes the variance itself, which forgives everything next to the black
 * and white of print; the root is near what Legge and Foley measured ("Contrast masking in human vision", 1980: exponent
 * 0.6). Both fitted to Butteraugli on the encodings named above.
 */
const VISIBLE_ERROR = 30;
const MASKING = 200;

const TILE = 128;
const WORST_SHARE = 0.01;

/**
 * Larger pictures are judged by bands of this many pixels together. A comparison takes about 4 ms per megapixel, so at
 * most 70 ms (one core of two, Node 20). Measured on eight photographs of 1.4 to 8.3 megapixels at JPEG quality 75, bands
 * of half the picture differ from the whole by up to 0.0004 in the mean and 0.0023 in the worst part.
 */
const MAX_PIXELS = 16_000_000;

/**
 * A picture at one scale. Each scale is half as wide and high as the one before; its samples are the sums, not the
 * means, of the 4^scale pixels they cover: 16 bits hold them without rounding on all five scales.
 */
interface Plane {
  data: Uint8Array | Uint16Array;
  width: number;
  height: number;
}

/** Sums over each block of one row of blocks: of the candidate b, of its square and of its product with the reference. */
interface BlockSums {
  b: Float64Array;
  bb: Float64Array;
  ab: Float64Array;
}

/** One scale of the reference, and room for what a comparison computes. */
interface Scale {
  plane: Plane;
  rows: number;
  columns: number;
  /** Sums over each block of the reference and of its square, row by row. */
  a: Float64Array;
  aa: Float64Array;
  /** First tile of each row of blocks, and the tile within it of each column. */
  tileRow: Uint32Array;
  tileColumn: Uint32Array;
  /** Number of blocks in each tile, and the sum of their squared losses in the comparison under way. */
  tileBlocks: Uint32Array;
  tileLoss: Float64Array;
  /** Two rows of blocks: the one under way and the one above. */
  blocks: [BlockSums, BlockSums];
  /** The candidate at the next scale. */
  next: Plane | undefined;
}

/** The multi-scale SSIM of two pictures of the same size: 0 to 1, 1 is identical. */
export function similarity(a: Luminance, b: Luminance): number {
  return prepareReference(a).compare(b).mean;
}

/** Computes the reference's side once, for any number of comparisons. */
export function prepareReference(reference: Luminance): Reference {
  const { width, height } = reference;
  const scales = prepareScales(wholeBlocks(sample(reference)));
  return {
    compare(candidate) {
      if (candidate.width !== width || candidate.height !== height) {
        throw new RangeError(
          `Expected a candidate of ${width} x ${height} but received ${candidate.width} x ${candidate.height}.`,
        );
      }
      return compareScales(scales, wholeBlocks(sample(candidate)));
    },
  };
}

/**
 * The picture itself, or of one larger than `maxPixels` full-width bands, evenly spread and stacked. It is never made
 * smaller, because that would hide what the encoder did.
 */
export function sample(picture: Luminance, maxPixels = MAX_PIXELS): Luminance {
  const { data, width, height } = picture;
  const bands = Math.max(1, Math.floor(maxPixels / (width * TILE)));
  if (width * height <= maxPixels || bands * TILE >= height) return picture;
  const sampled = new Uint8Array(bands * TILE * width);
  for (let band = 0; band < bands; band++) {
    const top = Math.round(((band + 0.5) / bands) * (height - TILE));
    sampled.set(data.subarray(top * width, (top + TILE) * width), band * TILE * width);
  }
  return { data: sampled, width, height: bands * TILE };
}

/** Repeats the last column and row until the picture holds whole blocks and at least one window. */
function wholeBlocks(picture: Luminance): Plane {
  const whole = (side: number) => Math.max(2, Math.ceil(side / BLOCK)) * BLOCK;
  const width = whole(picture.width);
  const height = whole(picture.height);
  if (width === picture.width && height === picture.height) return picture;
  const data = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    const start = Math.min(y, picture.height - 1) * picture.width;
    const row = picture.data.subarray(start, start + picture.width);
    data.set(row, y * width);
    data.fill(row[row.length - 1]!, y * width + row.length, (y + 1) * width);
  }
  return { data, width, height };
}

function prepareScales(picture: Plane): Scale[] {
  const scales: Scale[] = [];
  for (let plane: Plane | undefined = picture; plane; ) {
    const level = scales.length;
    const next: Plane | undefined = level + 1 < SCALE_WEIGHTS.length ? emptyHalf(plane) : undefined;
    scales.push(prepareScale(plane, next, picture));
    plane = next;
  }
  return scales;
}

/** A plane of half the size, or nothing when that would not hold a window. */
function emptyHalf(plane: Plane): Plane | undefined {
  const width = plane.width >> 1;
  const height = plane.height >> 1;
  if (Math.min(width, height) < 2 * BLOCK) return undefined;
  return { data: new Uint16Array(width * height), width, height };
}

/** Also fills `next` with the reference at the next scale. */
function prepareScale(plane: Plane, next: Plane | undefined, picture: Plane): Scale {
  const rows = Math.floor(plane.height / BLOCK);
  const columns = Math.floor(plane.width / BLOCK);
  const tilesAcross = tilesAlong(picture.width);
  const tiles = tilesAcross * tilesAlong(picture.height);
  const scale: Scale = {
    plane,
    rows,
    columns,
    a: new Float64Array(rows * columns),
    aa: new Float64Array(rows * columns),
    tileRow: spread(rows, tilesAlong(picture.height)).map((tile) => tile * tilesAcross),
    tileColumn: spread(columns, tilesAcross),
    tileBlocks: new Uint32Array(tiles),
    tileLoss: new Float64Array(tiles),
    blocks: [emptySums(columns), emptySums(columns)],
    next: next && emptyHalf(plane),
  };
  const [sums] = scale.blocks;
  for (let row = 0; row < rows; row++) {
    sumBlocks(plane, plane, row, sums, next);
    scale.a.set(sums.b, row * columns);
    scale.aa.set(sums.bb, row * columns);
    for (const column of scale.tileColumn) scale.tileBlocks[scale.tileRow[row]! + column]!++;
  }
  return scale;
}

const tilesAlong = (side: number): number => Math.max(1, Math.round(side / TILE));

/** Which of `tiles` equal parts each of `blocks` blocks in a row belongs to. */
const spread = (blocks: number, tiles: number): Uint32Array =>
  Uint32Array.from({ length: blocks }, (_, block) => Math.floor(((block + 0.5) * tiles) / blocks));

const emptySums = (columns: number): BlockSums => ({
  b: new Float64Array(columns),
  bb: new Float64Array(columns),
  ab: new Float64Array(columns),
});

function compareScales(scales: readonly Scale[], candidate: Plane): Similarity {
  let b = candidate;
  const means = scales.map((scale, level) => {
    const mean = compareScale(scale, b, level);
    b = scale.next ?? b;
    return mean;
  });
  const tiles = scales[0]!.tileLoss
    .map((_, tile) =>
      combine(scales.map(({ tileLoss, tileBlocks }) => 1 - Math.sqrt(tileLoss[tile]! / tileBlocks[tile]!))),
    )
    .sort();
  const lowest = tiles.subarray(0, Math.max(1, Math.floor(tiles.length * WORST_SHARE)));
  return { mean: combine(means), worst: lowest.reduce((sum, score) => sum + score) / lowest.length };
}

/**
 * The weighted geometric mean of the scores of the scales. A score can be negative, as for the negative of a picture; its
 * fractional power would be NaN, so it counts as 0.
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
 * Compares one scale: leaves the loss of each tile in the scale and answers the mean over all windows of contrast and
 * structure, on the coarsest scale times luminance.
 *
 * Sums stay multiplied by the area, and variances by its square, so the constants are multiplied as well.
 */
function compareScale(scale: Scale, candidate: Plane, level: number): number {
  const { rows, columns, a, aa, tileRow, tileColumn, tileLoss, next } = scale;
  const visible = VISIBLE_ERROR * (4 ** level * BLOCK_AREA) ** 2;
  const masking = MASKING * (4 ** level * BLOCK_AREA) ** 2;
  const windowC1 = C1 * (4 ** level * WINDOW_AREA) ** 2;
  const windowC2 = C2 * (4 ** level * WINDOW_AREA) ** 2;
  let total = 0;
  tileLoss.fill(0);
  for (let row = 0; row < rows; row++) {
    const here = scale.blocks[row & 1]!;
    const above = scale.blocks[(row & 1) ^ 1]!;
    sumBlocks(scale.plane, candidate, row, here, next);
    const firstTile = tileRow[row]!;
    for (let column = 0, i = row * columns; column < columns; column++, i++) {
      const sumA = a[i]!;
      const sumB = here.b[column]!;
      const energy = BLOCK_AREA * (aa[i]! + here.bb[column]!);
      const activity = energy - sumA * sumA - sumB * sumB;
      const shift = next ? (sumA - sumB) * (sumA - sumB) : 0;
      const error = energy - 2 * BLOCK_AREA * here.ab[column]! - shift;
      const loss = Math.min(1, error / (visible + Math.sqrt(masking * activity)));
      tileLoss[firstTile + tileColumn[column]!]! += loss * loss;
    }
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

/** Fills `sums` for one row of blocks and writes the part of the candidate's next scale that it covers. */
function sumBlocks(reference: Plane, candidate: Plane, row: number, sums: BlockSums, next: Plane | undefined): void {
  const { width, data: b } = candidate;
  const a = reference.data;
  const end = sums.b.length * BLOCK;
  sums.b.fill(0);
  sums.bb.fill(0);
  sums.ab.fill(0);
  for (let y = row * BLOCK; y < (row + 1) * BLOCK; y += 2) {
    let top = y * width;
    let bottom = top + width;
    let half = next ? (y / 2) * next.width : 0;
    for (let x = 0; x < end; x += 2, top += 2, bottom += 2, half++) {
      const p = b[top]!;
      const q = b[top + 1]!;
      const r = b[bottom]!;
      const s = b[bottom + 1]!;
      const sum = p + q + r + s;
      const block = x >> 2;
      sums.b[block]! += sum;
      sums.bb[block]! += p * p + q * q + r * r + s * s;
      sums.ab[block]! += p * a[top]! + q * a[top + 1]! + r * a[bottom]! + s * a[bottom + 1]!;
      if (next) next.data[half] = sum;
    }
  }
}
