/**
 * Rendered pages (screens, slides, PDF) have backgrounds of one exact colour: the page, bars, buttons, nested panels.
 * Converts all of them to one white background, and everything on them to ink as dark as its contrast.
 */
import type { GreyImage } from '../../../models/text.ts';
import { Labels } from './connected-components.ts';

/**
 * Minimum share of pixels of a rendered page that equal the pixel before. Photos and grey scans have less than half.
 */
const MIN_FLATNESS = 0.9;
/** Minimum share of the image that a background covers. */
const MIN_BACKGROUND_SHARE = 0.002;
/**
 * Minimum number of holes in a background, one for each letter on it. A letter itself, however large, has at most two.
 */
const MIN_BACKGROUND_HOLES = 3;
/** Neither a background nor near one. */
const FAR = 65_535;

/** @returns whether there are several backgrounds, which were joined in place */
export function joinBackgrounds(image: GreyImage): boolean {
  if (flatness(image) < MIN_FLATNESS) return false;
  const nearest = groundsOf(image);
  if (nearest === undefined) return false;
  const { data } = image;
  for (let at = 0; at < data.length; at++) {
    const ground = nearest[at]!;
    const contrast = Math.abs(data[at]! - ground) / Math.max(ground, 255 - ground);
    data[at] = 255 - Math.round(255 * contrast);
  }
  return true;
}

function flatness({ data }: GreyImage): number {
  let same = 1;
  for (let at = 1; at < data.length; at++) if (data[at] === data[at - 1]) same++;
  return same / data.length;
}

/** For every pixel, the brightness of the nearest background; undefined if all backgrounds are equally bright. */
function groundsOf(image: GreyImage): Uint8Array | undefined {
  const { data, width, height } = image;
  const labels = labelFlat(image);
  const least = { ink: MIN_BACKGROUND_SHARE * data.length, holes: MIN_BACKGROUND_HOLES };
  const roots = new Set(
    labels.roots().filter((root) => {
      const { ink, holes } = labels.piece(root);
      return ink >= least.ink && holes >= least.holes;
    }),
  );
  const nearest = new Uint8Array(data.length);
  const distance = new Uint16Array(data.length).fill(FAR);
  const levels = new Set<number>();
  // Visits the runs in the order in which they were labelled.
  for (let y = 0, label = 0; y < height; y++) {
    for (let start = y * width, end = start, rowEnd = start + width; start < rowEnd; start = end, label++) {
      end = endOfRun(data, start, rowEnd);
      if (!roots.has(labels.root(label))) continue;
      nearest.fill(data[start]!, start, end);
      distance.fill(0, start, end);
      levels.add(data[start]!);
    }
  }
  if (levels.size < 2) return undefined;
  spread(nearest, distance, width);
  return nearest;
}

function endOfRun(data: Uint8Array, start: number, rowEnd: number): number {
  let end = start + 1;
  while (end < rowEnd && data[end] === data[start]) end++;
  return end;
}

/** Components of one brightness, from runs of rows that touch. */
function labelFlat({ data, width, height }: GreyImage): Labels {
  const labels = new Labels();
  // Runs of the row above and of this one: start, end (exclusive) and label of each.
  let above = new Int32Array(3 * width);
  let here = new Int32Array(above.length);
  let aboveEnd = 0;
  for (let y = 0; y < height; y++) {
    let end = 0;
    let first = 0;
    const row = y * width;
    for (let start = 0, next = 0; start < width; start = next) {
      next = endOfRun(data, row + start, row + width) - row;
      const label = labels.add(start, y, next);
      while (first < aboveEnd && above[first + 1]! <= start) first += 3;
      for (let run = first; run < aboveEnd && above[run]! < next; run += 3) {
        if (data[row - width + above[run]!] === data[row + start]) labels.join(above[run + 2]!, label);
      }
      here[end] = start;
      here[end + 1] = next;
      here[end + 2] = label;
      end += 3;
    }
    [above, here] = [here, above];
    aboveEnd = end;
  }
  return labels;
}

/** Copies to every pixel the value of the nearest pixel at distance 0: city-block distance, two sweeps. */
function spread(values: Uint8Array, distance: Uint16Array, width: number): void {
  const take = (at: number, from: number): void => {
    if (distance[from]! + 1 >= distance[at]!) return;
    distance[at] = distance[from]! + 1;
    values[at] = values[from]!;
  };
  for (let at = 1; at < values.length; at++) {
    if (distance[at] === 0) continue;
    if (at % width > 0) take(at, at - 1);
    if (at >= width) take(at, at - width);
  }
  for (let at = values.length - 2; at >= 0; at--) {
    if (distance[at] === 0) continue;
    if (at % width < width - 1) take(at, at + 1);
    if (at + width < values.length) take(at, at + width);
  }
}
