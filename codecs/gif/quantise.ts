/** Reduces colours to a palette: splits by variance, then applies k-means. */
import { colourOf } from './frames.ts';
import type { Points } from './histogram.ts';
import { componentsOf, METRIC, NearestColour } from './nearest.ts';

/** The points from `from` to before `to` in the order, and their variance. */
interface Box {
  from: number;
  to: number;
  mean: readonly [number, number, number];
  /** Sums of squares and products about the mean: xx, xy, xz, yy, yz, zz. */
  moments: Float64Array;
  error: number;
}

/** Iterations of k-means. More reduce the error by less than a hundredth. */
const KMEANS_ITERATIONS = 6;

/** Returns at most `size` colours. */
export function quantise(points: Points, size: number): Uint32Array {
  const order = Uint32Array.from({ length: points.count }, (_, index) => index);
  const boxes = [measure(points, order, 0, points.count)];
  while (boxes.length < size) {
    let worst = 0;
    for (let index = 1; index < boxes.length; index += 1) {
      if ((boxes[index] as Box).error > (boxes[worst] as Box).error) worst = index;
    }
    const box = boxes[worst] as Box;
    const middle = box.error > 0 ? split(points, order, box) : box.from;
    if (middle === box.from || middle === box.to) {
      // The points of the box cannot be separated.
      if (box.error === 0) break;
      box.error = 0;
      continue;
    }
    boxes[worst] = measure(points, order, box.from, middle);
    boxes.push(measure(points, order, middle, box.to));
  }
  return refine(
    points,
    boxes.map(({ mean }) => mean),
  );
}

/** If this few colours cover most pixels, the image is flat: a drawing, a screenshot, a chart. */
const FLAT_COLOURS = 64;
const FLAT_SHARE = 0.8;

/** Whether most of the image consists of areas of one colour each. */
export function isFlat({ weight }: Points): boolean {
  const sum = (part: Float64Array) => part.reduce((total, value) => total + value, 0);
  const sorted = weight.slice().sort();
  return sum(sorted.subarray(-FLAT_COLOURS)) >= sum(sorted) * FLAT_SHARE;
}

/** Returns the root mean square distance of the points from their nearest colours, in values of green. */
export function meanError({ count, weight, colour }: Points, palette: Uint32Array): number {
  const components = componentsOf(palette);
  const search = new NearestColour(components);
  let total = 0;
  let sum = 0;
  for (let point = 0; point < count; point += 1) {
    const at = 3 * point;
    const to = 3 * search.find(colour[at] as number, colour[at + 1] as number, colour[at + 2] as number);
    let squared = 0;
    for (let axis = 0; axis < 3; axis += 1) {
      squared += (((colour[at + axis] as number) - (components[to + axis] as number)) * (METRIC[axis] as number)) ** 2;
    }
    sum += squared * (weight[point] as number);
    total += weight[point] as number;
  }
  return Math.sqrt(sum / Math.max(total, 1));
}

function measure({ weight, colour }: Points, order: Uint32Array, from: number, to: number): Box {
  let total = 0;
  const sum: [number, number, number] = [0, 0, 0];
  for (let index = from; index < to; index += 1) {
    const point = order[index] as number;
    const times = weight[point] as number;
    total += times;
    sum[0] += times * (colour[3 * point] as number);
    sum[1] += times * (colour[3 * point + 1] as number);
    sum[2] += times * (colour[3 * point + 2] as number);
  }
  const mean = sum.map((value) => value / total) as [number, number, number];
  const moments = new Float64Array(6);
  let [xx, xy, xz, yy, yz, zz] = [0, 0, 0, 0, 0, 0];
  for (let index = from; index < to; index += 1) {
    const point = order[index] as number;
    const times = weight[point] as number;
    const x = ((colour[3 * point] as number) - mean[0]) * METRIC[0];
    const y = ((colour[3 * point + 1] as number) - mean[1]) * METRIC[1];
    const z = ((colour[3 * point + 2] as number) - mean[2]) * METRIC[2];
    xx += times * x * x;
    xy += times * x * y;
    xz += times * x * z;
    yy += times * y * y;
    yz += times * y * z;
    zz += times * z * z;
  }
  moments.set([xx, xy, xz, yy, yz, zz]);
  return { from, to, mean, moments, error: xx + yy + zz };
}

/** Finds the direction in which the points of a box vary most, by power iteration. */
function principalAxis({ moments }: Box): [number, number, number] {
  const [xx, xy, xz, yy, yz, zz] = moments as unknown as [number, number, number, number, number, number];
  let axis: [number, number, number] = xx >= yy && xx >= zz ? [1, 0.1, 0.1] : yy >= zz ? [0.1, 1, 0.1] : [0.1, 0.1, 1];
  for (let turn = 0; turn < 12; turn += 1) {
    const [x, y, z] = axis;
    const next: [number, number, number] = [
      xx * x + xy * y + xz * z,
      xy * x + yy * y + yz * z,
      xz * x + yz * y + zz * z,
    ];
    const length = Math.hypot(...next);
    if (length === 0) break;
    axis = [next[0] / length, next[1] / length, next[2] / length];
  }
  return axis;
}

const BINS = 64;

/**
 * Reorders the points of a box so that those on one side of a plane come first. The plane is where the two sides differ
 * most (Otsu).
 * @returns where the second side begins
 */
function split({ weight, colour }: Points, order: Uint32Array, box: Box): number {
  const { from, to } = box;
  const axis = principalAxis(box);
  const [x, y, z] = [axis[0] * METRIC[0], axis[1] * METRIC[1], axis[2] * METRIC[2]];
  const along = (point: number) =>
    x * (colour[3 * point] as number) + y * (colour[3 * point + 1] as number) + z * (colour[3 * point + 2] as number);
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (let index = from; index < to; index += 1) {
    const value = along(order[index] as number);
    if (value < least) least = value;
    if (value > most) most = value;
  }
  if (!(most > least)) return from;
  const scale = (BINS - 0.001) / (most - least);
  const weights = new Float64Array(BINS);
  const values = new Float64Array(BINS);
  let total = 0;
  let sum = 0;
  for (let index = from; index < to; index += 1) {
    const point = order[index] as number;
    const value = along(point);
    const times = weight[point] as number;
    const bin = Math.floor((value - least) * scale);
    weights[bin] = (weights[bin] as number) + times;
    values[bin] = (values[bin] as number) + times * value;
    total += times;
    sum += times * value;
  }
  let best = 0;
  let border = 1;
  let below = 0;
  let belowSum = 0;
  for (let bin = 0; bin < BINS - 1; bin += 1) {
    below += weights[bin] as number;
    belowSum += values[bin] as number;
    if (below === 0 || below === total) continue;
    const between = belowSum / below - (sum - belowSum) / (total - below);
    const gain = below * (total - below) * between * between;
    if (gain > best) {
      best = gain;
      border = bin + 1;
    }
  }
  let low = from;
  let high = to;
  while (low < high) {
    const point = order[low] as number;
    if (Math.floor((along(point) - least) * scale) < border) low += 1;
    else {
      high -= 1;
      order[low] = order[high] as number;
      order[high] = point;
    }
  }
  return low;
}

/** Moves the colours to the means of the points nearest to them, a few times. */
function refine(points: Points, means: readonly (readonly [number, number, number])[]): Uint32Array {
  const { count, weight, colour } = points;
  const centres = Float64Array.from(means.flat());
  const size = means.length;
  const nearest = new Uint8Array(count);
  const sums = new Float64Array(size * 4);
  for (let turn = 0; turn < KMEANS_ITERATIONS; turn += 1) {
    const search = new NearestColour(centres);
    sums.fill(0);
    for (let point = 0; point < count; point += 1) {
      const at = 3 * point;
      const index = search.find(colour[at] as number, colour[at + 1] as number, colour[at + 2] as number);
      nearest[point] = index;
      const times = weight[point] as number;
      const to = 4 * index;
      sums[to] = (sums[to] as number) + times;
      for (let axis = 0; axis < 3; axis += 1) {
        sums[to + 1 + axis] = (sums[to + 1 + axis] as number) + times * (colour[at + axis] as number);
      }
    }
    for (let index = 0; index < size; index += 1) {
      const total = sums[4 * index] as number;
      if (total === 0) continue;
      for (let axis = 0; axis < 3; axis += 1)
        centres[3 * index + axis] = (sums[4 * index + 1 + axis] as number) / total;
    }
  }
  // A colour that makes up half of its points or more is kept exactly, so that a white background stays white.
  const heaviest = new Float64Array(size);
  for (let point = 0; point < count; point += 1) {
    const index = nearest[point] as number;
    const times = weight[point] as number;
    if (times * 2 < (sums[4 * index] as number) || times <= (heaviest[index] as number)) continue;
    heaviest[index] = times;
    centres.set(colour.subarray(3 * point, 3 * point + 3), 3 * index);
  }
  const colours = new Set<number>();
  for (let index = 0; index < size; index += 1) {
    const [red, green, blue] = Array.from(centres.subarray(3 * index, 3 * index + 3), Math.round);
    colours.add(colourOf(red as number, green as number, blue as number));
  }
  return Uint32Array.from(colours);
}
