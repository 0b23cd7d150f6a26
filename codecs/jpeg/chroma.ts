/** Whether an image needs its colours at full resolution: what 4:2:0 would do to them, on some of its lines. */
import type { JpegSource } from './encode.ts';

/** Weights of red, green and blue in the differences of blue and of red to luma (JFIF 1.02). */
const BLUES = [-0.168736, -0.331264, 0.5] as const;
const REDS = [0.5, -0.418688, -0.081312] as const;

/** Pairs of lines that are looked at: as many as have so many pixels. */
const SAMPLED_PIXELS = 200_000;
const MIN_PAIRS = 16;
const MAX_PAIRS = 64;
/**
 * A pixel is off where its colour would change by so many levels for each step of quality below 100: at quality 80 by 32. Sixty images
 * (npm run bench:jpeg-bytes) look broken, or not, on either side of it.
 */
const LEVELS_PER_QUALITY = 1.6;
const MIN_LEVELS = 2;
const MAX_LEVELS = 40;
/** Share of pixels that may be off. */
const MAX_SHARE = 0.003;

/** @param quality 1 to 100 */
export function needsFullChroma({ data, width, height, bands }: JpegSource, quality: number): boolean {
  const [across, down] = [width >> 1, height >> 1];
  if (bands === 1 || across < 3 || down < 3) return false;
  const levels = Math.min(MAX_LEVELS, Math.max(MIN_LEVELS, LEVELS_PER_QUALITY * (100 - quality)));
  const pairs = Math.min(MAX_PAIRS, Math.max(MIN_PAIRS, Math.floor(SAMPLED_PIXELS / (2 * width))));
  const step = Math.max(1, Math.floor((down - 2) / pairs));
  const planes = [BLUES, REDS].map((weights) => new Plane(weights, across));
  let off = 0;
  let seen = 0;
  for (let pair = 1; pair < down - 1; pair += step) {
    for (const plane of planes) plane.read(data, width * bands, pair);
    const [blues, reds] = planes as [Plane, Plane];
    for (let x = 2; x < 2 * across - 2; x++) {
      for (let line = 0; line < 2; line++) {
        const error = blues.lossAt(x, line) ** 2 + reds.lossAt(x, line) ** 2;
        if (error > levels ** 2) off += 1;
      }
    }
    seen += 4 * across - 8;
  }
  return off > MAX_SHARE * seen;
}

/** One of the two colour planes, around a pair of lines. */
class Plane {
  readonly #weights: readonly [number, number, number];
  /** Of the pair. */
  readonly #lines: [Float32Array, Float32Array];
  /** Means of 2 x 2 pixels, of the pair above, of this one and of the one below. */
  readonly #means: [Float32Array, Float32Array, Float32Array];

  constructor(weights: readonly [number, number, number], across: number) {
    this.#weights = weights;
    this.#lines = [new Float32Array(2 * across), new Float32Array(2 * across)];
    this.#means = [new Float32Array(across), new Float32Array(across), new Float32Array(across)];
  }

  read(data: Uint8Array, pitch: number, pair: number): void {
    const [above, own, below] = this.#means;
    this.#readPair(data, pitch, pair - 1, above);
    this.#readPair(data, pitch, pair + 1, below);
    // Last, so that its lines stay.
    this.#readPair(data, pitch, pair, own);
  }

  #readPair(data: Uint8Array, pitch: number, pair: number, means: Float32Array): void {
    const [first, second] = this.#lines;
    this.#readLine(data, 2 * pair * pitch, first);
    this.#readLine(data, (2 * pair + 1) * pitch, second);
    for (let x = 0; x < means.length; x++)
      means[x] = (first[2 * x]! + first[2 * x + 1]! + second[2 * x]! + second[2 * x + 1]!) / 4;
  }

  #readLine(data: Uint8Array, from: number, out: Float32Array): void {
    const [red, green, blue] = this.#weights;
    for (let x = 0, at = from; x < out.length; x++, at += 3)
      out[x] = red * data[at]! + green * data[at + 1]! + blue * data[at + 2]!;
  }

  /** How far a sample of the pair is from what decoders make of the means, with weights of 3 and 1 in both directions. */
  lossAt(x: number, line: number): number {
    const [above, own, below] = this.#means;
    const other = line === 0 ? above : below;
    const near = x >> 1;
    const far = near + (x & 1 ? 1 : -1);
    const shown = (9 * own[near]! + 3 * own[far]! + 3 * other[near]! + other[far]!) / 16;
    return this.#lines[line as 0 | 1][x]! - shown;
  }
}
