/**
 * Converts any image to dark ink on white: inverts dark backgrounds, and removes shadows, tinted paper and coloured
 * panels by dividing by the local background brightness.
 */
import type { GreyImage } from '../../../models/text.ts';
import type { Component } from './connected-components.ts';
import { isSolid } from './glyphs.ts';

const LEVELS = 256;
/**
 * The background is estimated in square cells of 1/40 of the longer side, within these bounds, so that each cell
 * contains some letters.
 */
const CELLS = 40;
const CELL_MIN = 16;
const CELL_MAX = 128;
/**
 * Quantile of the brightness around a cell that counts as background: ink covers less than the rest, even in bold
 * headings.
 */
const PAPER_RANK = 0.7;
/** Darker background is not brightened further, because only noise is left of it. */
const MIN_BACKGROUND = 40;

/** Levels the image in place. */
export function levelBackground(image: GreyImage): void {
  const { data } = image;
  if (isDark(data)) for (let at = 0; at < data.length; at++) data[at] = 255 - data[at]!;
  const grid = paperGrid(image);
  keepLargestBackground(grid);
  divide(image, grid);
}

/** Whether more than half of the image is darker than the middle of its range. */
function isDark(data: Uint8Array): boolean {
  const histogram = new Uint32Array(LEVELS);
  for (let at = 0; at < data.length; at++) histogram[data[at]!]!++;
  const rank = (share: number) => levelAt(histogram, data.length * share);
  return rank(0.5) < (rank(0.001) + rank(0.999)) / 2;
}

/** The level below which `count` of the samples are. */
function levelAt(histogram: ArrayLike<number>, count: number): number {
  let below = 0;
  for (let level = 0; level < histogram.length; level++) {
    below += histogram[level]!;
    if (below > count) return level;
  }
  return histogram.length - 1;
}

interface Grid {
  /** Brightness of the background at the centre of each cell. */
  paper: Float32Array;
  columns: number;
  rows: number;
  /** Side of a cell in pixels. */
  cell: number;
}

/** Estimates the background of each cell from the brightness in it and in its neighbours. */
function paperGrid({ data, width, height }: GreyImage): Grid {
  const cell = Math.min(CELL_MAX, Math.max(CELL_MIN, Math.ceil(Math.max(width, height) / CELLS)));
  const columns = Math.ceil(width / cell);
  const rows = Math.ceil(height / cell);
  const histograms = new Uint16Array(columns * rows * LEVELS);
  for (let y = 0; y < height; y++) {
    const row = Math.floor(y / cell) * columns;
    for (let x = 0, at = y * width; x < width; x++, at++) {
      histograms[(row + Math.floor(x / cell)) * LEVELS + data[at]!]!++;
    }
  }
  const paper = new Float32Array(columns * rows);
  const around = new Uint32Array(LEVELS);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      around.fill(0);
      let count = 0;
      for (let y = Math.max(0, row - 1); y <= Math.min(rows - 1, row + 1); y++) {
        for (let x = Math.max(0, column - 1); x <= Math.min(columns - 1, column + 1); x++) {
          const from = (y * columns + x) * LEVELS;
          for (let level = 0; level < LEVELS; level++) {
            around[level]! += histograms[from + level]!;
            count += histograms[from + level]!;
          }
        }
      }
      paper[row * columns + column] = Math.max(MIN_BACKGROUND, levelAt(around, count * PAPER_RANK));
    }
  }
  return { paper, columns, rows, cell };
}

/** Neighbouring cells whose brightness differs by a larger factor are different backgrounds, not a change of light. */
const MAX_NEIGHBOUR_RATIO = 1.25;

/**
 * Gives every cell the brightness of the largest connected background. A panel, a photo or the desk below then counts
 * as ink: levelling each separately would blur the text along their borders.
 */
function keepLargestBackground({ paper, columns, rows }: Grid): void {
  const regions = new Int32Array(paper.length);
  let largest = 0;
  let cells = 0;
  for (let first = 0, region = 1; first < paper.length; first++) {
    if (regions[first] !== 0) continue;
    regions[first] = region;
    const size = spread([first], columns, rows, (from, to) => {
      const ratio = paper[from]! / paper[to]!;
      if (regions[to] !== 0 || ratio > MAX_NEIGHBOUR_RATIO || ratio < 1 / MAX_NEIGHBOUR_RATIO) return false;
      regions[to] = region;
      return true;
    });
    if (size > cells) [largest, cells] = [region, size];
    region++;
  }
  const known = Array.from(paper.keys()).filter((cell) => regions[cell] === largest);
  spread(known, columns, rows, (from, to) => {
    if (regions[to] === largest) return false;
    regions[to] = largest;
    paper[to] = paper[from]!;
    return true;
  });
}

/**
 * Visits cells and then their neighbours as long as `enter` allows, nearest first. @returns the number of cells visited
 */
function spread(cells: number[], columns: number, rows: number, enter: (from: number, to: number) => boolean): number {
  const queue = [...cells];
  for (let head = 0; head < queue.length; head++) {
    const from = queue[head]!;
    const column = from % columns;
    if (column > 0 && enter(from, from - 1)) queue.push(from - 1);
    if (column < columns - 1 && enter(from, from + 1)) queue.push(from + 1);
    if (from >= columns && enter(from, from - columns)) queue.push(from - columns);
    if (from < columns * (rows - 1) && enter(from, from + columns)) queue.push(from + columns);
  }
  return queue.length;
}

/**
 * Divides by the background, interpolated between the centres of the cells. Pixels brighter than the background become
 * as dark as if they were darker by the same amount, such as white text on a panel that counts as background.
 */
function divide({ data, width, height }: GreyImage, { paper, columns, rows, cell }: Grid): void {
  const across = between(width, cell, columns);
  const down = between(height, cell, rows);
  /** Background of one row of pixels at the centres of the cell columns. */
  const line = new Float32Array(columns + 1);
  for (let y = 0; y < height; y++) {
    const above = down.first[y]! * columns;
    const below = Math.min(rows - 1, down.first[y]! + 1) * columns;
    for (let column = 0; column < columns; column++) {
      line[column] = mix(paper[above + column]!, paper[below + column]!, down.share[y]!);
    }
    line[columns] = line[columns - 1]!;
    for (let x = 0, at = y * width; x < width; x++, at++) {
      const left = across.first[x]!;
      const white = mix(line[left]!, line[left + 1]!, across.share[x]!);
      data[at] = Math.max(0, 255 - Math.abs((255 * data[at]!) / white - 255));
    }
  }
}

const mix = (one: number, other: number, share: number): number => one + (other - one) * share;

/** For each pixel of a side, the cell whose centre precedes it, and the relative distance to the next centre. */
function between(length: number, cell: number, cells: number): { first: Uint32Array; share: Float32Array } {
  const first = new Uint32Array(length);
  const share = new Float32Array(length);
  for (let at = 0; at < length; at++) {
    const place = Math.min(cells - 1, Math.max(0, (at + 0.5) / cell - 0.5));
    first[at] = Math.floor(place);
    share[at] = place - Math.floor(place);
  }
  return { first, share };
}

/**
 * Turns solid panels into background and the light text on them into ink, in place, because Tesseract takes a bar or a
 * button for an image.
 * @returns the number of panels changed
 */
export function lightenPanels({ data, width }: GreyImage, panels: readonly Component[]): number {
  let turned = 0;
  for (const { left, top, right, bottom } of panels.filter(isSolid)) {
    const area = (right - left) * (bottom - top);
    turned++;
    const histogram = new Uint32Array(LEVELS);
    for (let y = top; y < bottom; y++) for (let x = left; x < right; x++) histogram[data[y * width + x]!]!++;
    const panel = Math.min(254, levelAt(histogram, area / 2));
    for (let y = top; y < bottom; y++) {
      for (let at = y * width + left; at < y * width + right; at++) {
        data[at] = Math.min(255, Math.round((255 * (255 - data[at]!)) / (255 - panel)));
      }
    }
  }
  return turned;
}
