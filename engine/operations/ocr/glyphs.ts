/**
 * Finds the letters of an image, before recognition, as connected components of ink. Their sizes and positions give the
 * size of the text, the direction of its lines and their tilt. (After the nearest neighbours of L. O'Gorman, The
 * document spectrum for page layout analysis, 1993, and the projection profiles of W. Postl, Detection of linear
 * oblique structures, 1986.)
 */
import type { GreyImage } from '../../../models/text.ts';
import { type Component, findComponents } from './connected-components.ts';

export interface Glyphs {
  /** Components of the size of letters. */
  letters: Component[];
  /** Longer side of a typical letter in pixels, about the x-height. 0 if there are no letters. */
  size: number;
  /** Whether most letters are above or below their nearest neighbours: the lines run up or down. */
  sideways: boolean;
  /** Areas of ink that may contain light text. */
  panels: Component[];
  /** Whether the letters form lines. Otherwise the image is a drawing or a photo, whatever words are in it. */
  lined: boolean;
  /**
   * Degrees by which the lines fall to the right. If they run up or down, degrees by which they lean to the left going
   * down.
   */
  tilt: number;
}

/** Components with a smaller side are dust. */
const MIN_SIDE = 3;
/** Components with a larger aspect ratio are rules, frames and touching letters. */
const MAX_ASPECT_RATIO = 3;
/**
 * Minimum height of a panel, in pixels and in letter sizes, and the minimum share of ink in its box despite the text in
 * it.
 */
const PANEL_MIN = 12;
const PANEL_HEIGHT = 1.5;
const PANEL_INK = 0.5;
const SOLID_INK = 0.7;
/** Maximum number of letters used for the direction and for the tilt: more give no better result. */
const MAX_DIRECTION_LETTERS = 20_000;
const MAX_TILT_LETTERS = 4000;
const TILT_MAX = 30;
const TILT_STEP = 0.25;
/** A tilt counts only if it makes the rows this much sharper than no tilt. Otherwise it is chance. */
const TILT_GAIN = 1.1;
/** Minimum dispersion of letters over rows for lines: noise has 1 to 2, text 5 to 100. */
const MIN_LINE_DISPERSION = 3;

/** @param image dark ink on white */
export function findGlyphs(image: GreyImage): Glyphs {
  const pieces = findComponents(image, inkLevel(image.data));
  const plausible = pieces.filter((piece) => isLetterLike(piece, image));
  const size = typicalSize(plausible);
  const letters = plausible.filter((piece) => sizeOf(piece) >= 0.5 * size && sizeOf(piece) <= 3 * size);
  // Sorted from top to bottom. Of very many letters, use a band across the middle, where they still have their
  // neighbours.
  const middle = Math.max(0, (letters.length - MAX_DIRECTION_LETTERS) >> 1);
  const sideways = runSideways(letters.slice(middle, middle + MAX_DIRECTION_LETTERS), size);
  const panels = pieces.filter((piece) => isPanel(piece, size));
  return { letters, size, panels, sideways, ...linesOf(sample(letters, MAX_TILT_LETTERS), size, sideways) };
}

const widthOf = ({ left, right }: Component): number => right - left;
const heightOf = ({ top, bottom }: Component): number => bottom - top;
const sizeOf = (piece: Component): number => Math.max(widthOf(piece), heightOf(piece));

function isLetterLike(piece: Component, { width, height }: GreyImage): boolean {
  const size = sizeOf(piece);
  const thickness = Math.min(widthOf(piece), heightOf(piece));
  const solid = thickness >= PANEL_MIN && isSolid(piece);
  return size >= MIN_SIDE && size <= MAX_ASPECT_RATIO * thickness && size < 0.9 * Math.min(width, height) && !solid;
}

/** Whether it is a bar or a button, with at most some text in it: a frame or a photo also contains background. */
export const isSolid = (piece: Component): boolean => piece.ink >= SOLID_INK * widthOf(piece) * heightOf(piece);

/** Higher than a line of text, and full: a large letter is hollow or narrow. */
function isPanel(piece: Component, size: number): boolean {
  const area = widthOf(piece) * heightOf(piece);
  const height = Math.max(PANEL_MIN, PANEL_HEIGHT * size);
  return Math.min(widthOf(piece), heightOf(piece)) >= height && piece.ink >= PANEL_INK * area;
}

/** The median, ignoring dots and specks much smaller than it. */
function typicalSize(pieces: readonly Component[]): number {
  const sizes = Float32Array.from(pieces, sizeOf).sort();
  const median = sizes[sizes.length >> 1] ?? 0;
  const letters = sizes.filter((size) => size >= 0.5 * median && size <= 3 * median);
  return letters[letters.length >> 1] ?? 0;
}

/** Takes every nth item, so that at most `most` are left. */
function sample(pieces: Component[], most: number): Component[] {
  const step = Math.ceil(pieces.length / most);
  return step <= 1 ? pieces : pieces.filter((_, index) => index % step === 0);
}

/** The threshold between ink and background that separates them best (N. Otsu, A threshold selection method, 1979). */
function inkLevel(data: Uint8Array): number {
  const histogram = new Float64Array(256);
  for (let at = 0; at < data.length; at++) histogram[data[at]!]!++;
  const sum = histogram.reduce((total, count, level) => total + count * level, 0);
  let best = 0;
  let threshold = 127;
  let below = 0;
  let sumBelow = 0;
  for (let level = 0; level < 255; level++) {
    below += histogram[level]!;
    sumBelow += histogram[level]! * level;
    const above = data.length - below;
    if (below === 0 || above === 0) continue;
    const difference = sumBelow / below - (sum - sumBelow) / above;
    const between = below * above * difference * difference;
    if (between > best) [best, threshold] = [between, level];
  }
  return threshold;
}

/** Letters of a line are closer to each other than to those of the next line. */
function runSideways(letters: readonly Component[], size: number): boolean {
  const cell = Math.max(1, 3 * size);
  const cells = new Map<number, Component[]>();
  const key = (x: number, y: number) => x * 100_003 + y;
  const cellOf = (value: number) => Math.floor(value / cell);
  for (const letter of letters) {
    const at = key(cellOf(middleX(letter)), cellOf(middleY(letter)));
    const others = cells.get(at);
    if (others) others.push(letter);
    else cells.set(at, [letter]);
  }
  let across = 0;
  let down = 0;
  for (const letter of letters) {
    let nearest = Number.POSITIVE_INFINITY;
    let direction = 0;
    for (let x = -1; x <= 1; x++) {
      for (let y = -1; y <= 1; y++) {
        for (const other of cells.get(key(cellOf(middleX(letter)) + x, cellOf(middleY(letter)) + y)) ?? []) {
          if (other === letter) continue;
          // From edge to edge, because the gap between wide letters is small too.
          const dx = Math.max(0, other.left - letter.right, letter.left - other.right);
          const dy = Math.max(0, other.top - letter.bottom, letter.top - other.bottom);
          const distance = Math.hypot(dx, dy);
          if (distance >= nearest) continue;
          nearest = distance;
          const [mx, my] = [middleX(other) - middleX(letter), middleY(other) - middleY(letter)];
          direction = Math.abs(mx) - Math.abs(my);
        }
      }
    }
    if (direction > 0) across++;
    else if (direction < 0) down++;
  }
  return down > across;
}

const middleX = ({ left, right }: Component): number => (left + right) / 2;
const middleY = ({ top, bottom }: Component): number => (top + bottom) / 2;

/** The angle at which the letters fall into the fewest rows, and whether they form rows at all. */
function linesOf(letters: readonly Component[], size: number, sideways: boolean): Pick<Glyphs, 'lined' | 'tilt'> {
  if (letters.length === 0) return { lined: false, tilt: 0 };
  const along = Float64Array.from(letters, sideways ? middleY : middleX);
  const across = Float64Array.from(letters, sideways ? middleX : ({ bottom }) => bottom);
  const bin = Math.max(1, size / 4);
  const reach = Math.max(...along) + Math.max(...across);
  const rows = new Uint32Array(Math.ceil((2 * reach) / bin) + 2);
  /**
   * How unevenly the letters are spread over the rows: variance divided by mean, which is 1 for a random distribution.
   */
  const dispersion = (angle: number): number => {
    const tangent = Math.tan((angle * Math.PI) / 180);
    rows.fill(0);
    for (let index = 0; index < along.length; index++) {
      rows[Math.floor((across[index]! - along[index]! * tangent + reach) / bin)]!++;
    }
    const first = rows.findIndex((count) => count > 0);
    const count = rows.findLastIndex((occupied) => occupied > 0) + 1 - first;
    const mean = letters.length / count;
    let squares = 0;
    for (let row = first; row < first + count; row++) squares += (rows[row]! - mean) ** 2;
    return squares / count / mean;
  };
  const level = dispersion(0);
  let best = level;
  let tilt = 0;
  for (let angle = TILT_STEP; angle <= TILT_MAX; angle += TILT_STEP) {
    for (const signed of [angle, -angle]) {
      const found = dispersion(signed);
      if (found > best) [best, tilt] = [found, signed];
    }
  }
  return { lined: best > MIN_LINE_DISPERSION, tilt: best > TILT_GAIN * level ? tilt : 0 };
}
