/** Multi-scale SSIM by its authors' definition, with Gaussian windows: a slow reference for the fast implementation. */
import type { Luminance } from '../../../engine/quality/scales.ts';

const WEIGHTS = [0.0448, 0.2856, 0.3001, 0.2363, 0.1333];
const C1 = 6.5025;
const C2 = 58.5225;
const RADIUS = 5;
const SIGMA = 1.5;

interface FloatImage {
  values: number[];
  width: number;
  height: number;
}

const KERNEL = (() => {
  const raw = Array.from({ length: 2 * RADIUS + 1 }, (_, at) => Math.exp(-((at - RADIUS) ** 2) / (2 * SIGMA ** 2)));
  const sum = raw.reduce((total, value) => total + value);
  return raw.map((value) => value / sum);
})();

const makeImage = (width: number, height: number, at: (x: number, y: number) => number): FloatImage => ({
  values: Array.from({ length: width * height }, (_, index) => at(index % width, Math.floor(index / width))),
  width,
  height,
});

/** Blurs only where the whole window is inside the image. */
function blurred({ values, width, height }: FloatImage): number[] {
  const across = makeImage(width - 2 * RADIUS, height, (x, y) =>
    KERNEL.reduce((sum, weight, k) => sum + weight * values[y * width + x + k]!, 0),
  );
  return makeImage(across.width, height - 2 * RADIUS, (x, y) =>
    KERNEL.reduce((sum, weight, k) => sum + weight * across.values[(y + k) * across.width + x]!, 0),
  ).values;
}

const halved = ({ values, width, height }: FloatImage): FloatImage =>
  makeImage(width >> 1, height >> 1, (x, y) => {
    const at = 2 * y * width + 2 * x;
    return (values[at]! + values[at + 1]! + values[at + width]! + values[at + width + 1]!) / 4;
  });

const product = (a: FloatImage, b: FloatImage): FloatImage => ({
  ...a,
  values: a.values.map((value, at) => value * b.values[at]!),
});

export function multiScaleSsim(one: Luminance, other: Luminance): number {
  let a = makeImage(one.width, one.height, (x, y) => one.data[y * one.width + x]!);
  let b = makeImage(other.width, other.height, (x, y) => other.data[y * other.width + x]!);
  const scores: number[] = [];
  const deepest = () => scores.length === WEIGHTS.length - 1 || Math.min(a.width, a.height) < 4 * RADIUS + 2;
  for (let done = false; !done; ) {
    done = deepest();
    const [meanA, meanB, meanAA, meanBB, meanAB] = [a, b, product(a, a), product(b, b), product(a, b)].map(blurred);
    const similarities = meanA!.map((ma, at) => {
      const mb = meanB![at]!;
      const structure = (2 * (meanAB![at]! - ma * mb) + C2) / (meanAA![at]! - ma * ma + meanBB![at]! - mb * mb + C2);
      return done ? (structure * (2 * ma * mb + C1)) / (ma * ma + mb * mb + C1) : structure;
    });
    scores.push(similarities.reduce((sum, value) => sum + value) / similarities.length);
    a = halved(a);
    b = halved(b);
  }
  const weights = WEIGHTS.slice(0, scores.length);
  const total = weights.reduce((sum, weight) => sum + weight);
  return scores.reduce((result, score, scale) => result * Math.max(0, score) ** (weights[scale]! / total), 1);
}
