/**
 * Drawn pages (screens, slides, PDF) have grounds of one exact colour: the page, bars, buttons, panels in panels. All of them
 * become one white paper, and whatever is on them becomes ink that is as dark as it stands out.
 */
import type { GreyImage } from '../../../models/text.ts';
import { Labels } from './pieces.ts';

/** Of the pixels of a drawn page so many are as bright as the one before: of a photograph or a grey scan, less than half. */
const FLAT = 0.9;
/** Share of the picture that a ground covers at least. */
const GROUND_SHARE = 0.002;
/** Holes in a ground, one for each letter on it: in a letter itself, however large, there are at most two. */
const GROUND_HOLES = 3;
/** Neither a ground nor near one. */
const FAR = 65_535;

/** @returns whether there are several grounds, which have been made one, in place */
export function joinGrounds(image: GreyImage): boolean {
  if (flatness(image) < FLAT) return false;
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

/** For every pixel the brightness of the nearest ground; undefined when all grounds are as bright as each other. */
function groundsOf(image: GreyImage): Uint8Array | undefined {
  const { data, width, height } = image;
  const labels = labelFlat(image);
  const least = { ink: GROUND_SHARE * data.length, holes: GROUND_HOLES };
  const roots = new Set(
    labels.roots().filter((root) => {
      const { ink, holes } = labels.piece(root);
      return ink >= least.ink && holes >= least.holes;
    }),
  );
  const nearest = new Uint8Array(data.length);
  const distance = new Uint16Array(data.length).fill(FAR);
  const levels = new Set<number>();
  // Runs in the order in which they were labelled.
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

/** Pieces of one brightness, from runs of rows that touch side to side. */
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

/** Takes the values of pixels at distance 0 to all others, to each that of the nearest: city-block distance, two sweeps. */
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
