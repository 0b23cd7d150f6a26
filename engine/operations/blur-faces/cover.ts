/**
 * Covers areas of a picture so that what was there cannot be recovered.
 *
 * A Gaussian blur alone is no cover: it is linear and keeps the same number of samples, so that deconvolution brings much
 * of a face back, and people and networks recognise faces through light blurs and fine mosaics (McPherson, Shokri and
 * Shmatikov, "Defeating Image Obfuscation with Deep Learning", 2016, with blocks down to 16 x 16). Here the area is first
 * reduced to the means of a few large blocks, and both effects are computed from these means alone: `pixelate` shows them,
 * `blur` draws a smooth surface through them. Whatever has equal means gives the same pixels, so nothing finer than a block
 * is left to be recovered. At strength 60 there are at most 5 x 5 blocks over an area 1.6 times as wide as the face: about
 * 3 x 3 on the face itself, which is less than its features need (eyes, nose, mouth), at any resolution of the picture.
 *
 * The blocks are those of the area and not of the picture, and no narrower one is left over at the end: the means of a thin
 * rest would show detail.
 */
import type { Image, VipsApi } from '../../../codecs/vips.ts';
import type { Size } from '../../steps/step.ts';
import type { Box } from '../notations.ts';
import type { BlurFacesParams } from './params.ts';

/** The smallest ellipse of the box's shape around it: its corners are covered as well. */
const AROUND = Math.SQRT2;
/** Where the soft edge ends, as a multiple of the ellipse. The edge lies outside of what is covered fully. */
const FEATHER = 1.12;

/** Blocks along the longer side of the area at strength 1 (and, from there in equal steps, one at 100). */
const FINEST = 48;
const STRONGEST = 100;
/** A block of one pixel would hide nothing. */
const LEAST_BLOCK = 2;

interface Grid {
  width: number;
  height: number;
  columns: number;
  rows: number;
}

/**
 * Covers an area in the picture's own memory.
 * @param frame in memory, 8 bits, perhaps with alpha, which stays
 * @param box what is outside the picture is cut off
 * @returns false when it lies outside the picture as a whole
 */
export function cover(
  vips: VipsApi,
  frame: Image,
  box: Box,
  { effect, strength }: Pick<BlurFacesParams, 'effect' | 'strength'>,
): boolean {
  const shown = inPicture(box, frame);
  if (shown.width <= 0 || shown.height <= 0) return false;
  const ellipse = ellipseAround(shown);
  const area = areaOf(ellipse, frame);
  const samples = frame.crop(area.x, area.y, area.width, area.height).writeToMemory() as Uint8Array;
  const block = blockSide(ellipse, strength);
  const grid = {
    width: area.width,
    height: area.height,
    columns: Math.max(1, Math.floor(area.width / block)),
    rows: Math.max(1, Math.floor(area.height / block)),
  };
  const alpha = frame.hasAlpha();
  const colours = alpha ? frame.bands - 1 : frame.bands;
  const surface = SURFACES[effect](meansOf(samples, grid, frame.bands, colours), grid, colours);
  blend(samples, surface, { ellipse, area, bands: frame.bands, colours });
  const drawn = vips.Image.newFromMemory(samples, area.width, area.height, frame.bands, vips.BandFormat.uchar);
  frame.drawImage(drawn, area.x, area.y);
  return true;
}

/** Centre and half axes, in pixels. */
interface Ellipse {
  x: number;
  y: number;
  a: number;
  b: number;
}

function ellipseAround({ x, y, width, height }: Box): Ellipse {
  return { x: x + width / 2, y: y + height / 2, a: (width / 2) * AROUND, b: (height / 2) * AROUND };
}

/** The part of the picture that the ellipse and its edge lie in. */
function areaOf({ x, y, a, b }: Ellipse, picture: Size): Box {
  const [left, top] = [Math.floor(x - a * FEATHER), Math.floor(y - b * FEATHER)];
  const [right, bottom] = [Math.ceil(x + a * FEATHER), Math.ceil(y + b * FEATHER)];
  return inPicture({ x: left, y: top, width: right - left, height: bottom - top }, picture);
}

/** The part of a box that is in the picture; not larger than 0 on a side when there is none. */
function inPicture({ x, y, width, height }: Box, picture: Size): Box {
  const [left, top] = [Math.max(0, x), Math.max(0, y)];
  return {
    x: left,
    y: top,
    width: Math.min(picture.width, x + width) - left,
    height: Math.min(picture.height, y + height) - top,
  };
}

/** Relative to the whole ellipse, also of one that the picture's edge cuts. */
function blockSide({ a, b }: Ellipse, strength: number): number {
  const longer = 2 * Math.max(a, b) * FEATHER;
  const blocks = FINEST ** ((STRONGEST - strength) / (STRONGEST - 1));
  return Math.max(LEAST_BLOCK, longer / blocks);
}

/** First sample of each block along a side, and the end; all about as long. */
const edge = (index: number, side: number, blocks: number): number => Math.round((index * side) / blocks);

/** The means of the blocks, row by row. With alpha, what is see-through counts as little as it shows. */
function meansOf(samples: Uint8Array, grid: Grid, bands: number, colours: number): Float64Array {
  const { width, height, columns, rows } = grid;
  const means = new Float64Array(columns * rows * colours);
  for (let row = 0; row < rows; row += 1) {
    const bottom = edge(row + 1, height, rows);
    for (let column = 0; column < columns; column += 1) {
      const [left, right] = [edge(column, width, columns), edge(column + 1, width, columns)];
      const to = (row * columns + column) * colours;
      let weights = 0;
      for (let y = edge(row, height, rows); y < bottom; y += 1) {
        let at = (y * width + left) * bands;
        for (let x = left; x < right; x += 1, at += bands) {
          const weight = bands > colours ? (samples[at + colours] as number) : 1;
          weights += weight;
          for (let band = 0; band < colours; band += 1) {
            means[to + band] = (means[to + band] as number) + weight * (samples[at + band] as number);
          }
        }
      }
      for (let band = 0; band < colours && weights > 0; band += 1) {
        means[to + band] = (means[to + band] as number) / weights;
      }
    }
  }
  return means;
}

/** Fills `line` with the colours of row y. Rows are asked for from top to bottom, always with the same line; some may be left out. */
type Surface = (y: number, line: Float64Array) => void;
type MakeSurface = (means: Float64Array, grid: Grid, colours: number) => Surface;

const blocks: MakeSurface = (means, { width, height, columns, rows }, colours) => {
  let drawn = -1;
  return (y, line) => {
    let row = Math.max(0, drawn);
    while (y >= edge(row + 1, height, rows)) row += 1;
    if (row === drawn) return;
    drawn = row;
    for (let column = 0; column < columns; column += 1) {
      const from = (row * columns + column) * colours;
      const mean = means.subarray(from, from + colours);
      const right = edge(column + 1, width, columns);
      for (let x = edge(column, width, columns); x < right; x += 1) line.set(mean, x * colours);
    }
  };
};

/** A uniform cubic B-spline with the means as its control points: it smooths them and never leaves their range. */
const spline: MakeSurface = (means, { width, height, columns, rows }, colours) => {
  const wide = new Float64Array(rows * width * colours);
  for (let x = 0; x < width; x += 1) {
    const taps = tapsAt(x, width, columns);
    for (let row = 0; row < rows; row += 1) {
      for (let band = 0; band < colours; band += 1) {
        let sum = 0;
        for (const { index, weight } of taps)
          sum += weight * (means[(row * columns + index) * colours + band] as number);
        wide[(row * width + x) * colours + band] = sum;
      }
    }
  }
  const pitch = width * colours;
  return (y, line) => {
    const [above, upper, lower, below] = tapsAt(y, height, rows);
    const rowOf = ({ index }: Tap) => wide.subarray(index * pitch, (index + 1) * pitch);
    const [a, b, c, d] = [rowOf(above), rowOf(upper), rowOf(lower), rowOf(below)];
    for (let at = 0; at < pitch; at += 1) {
      line[at] = above.weight * a[at]! + upper.weight * b[at]! + lower.weight * c[at]! + below.weight * d[at]!;
    }
  };
};

const SURFACES: Record<BlurFacesParams['effect'], MakeSurface> = { blur: spline, pixelate: blocks };

interface Tap {
  index: number;
  weight: number;
}

/** The four control points that a sample of a side depends on, with their weights, which add up to 1. */
function tapsAt(place: number, side: number, points: number): [Tap, Tap, Tap, Tap] {
  const at = ((place + 0.5) * points) / side - 0.5;
  const first = Math.floor(at);
  const t = at - first;
  const tap = (index: number, weight: number): Tap => ({
    index: Math.min(points - 1, Math.max(0, index)),
    weight: weight / 6,
  });
  return [
    tap(first - 1, (1 - t) ** 3),
    tap(first, 3 * t ** 3 - 6 * t ** 2 + 4),
    tap(first + 1, -3 * t ** 3 + 3 * t ** 2 + 3 * t + 1),
    tap(first + 2, t ** 3),
  ];
}

interface Place {
  ellipse: Ellipse;
  area: Box;
  bands: number;
  colours: number;
}

/** Puts the surface over the samples: as a whole in the ellipse, less and less towards the end of its edge. */
function blend(samples: Uint8Array, surface: Surface, { ellipse, area, bands, colours }: Place): void {
  const line = new Float64Array(area.width * colours);
  for (let y = 0; y < area.height; y += 1) {
    const down = ((area.y + y + 0.5 - ellipse.y) / ellipse.b) ** 2;
    if (down >= FEATHER ** 2) continue;
    surface(y, line);
    const row = samples.subarray(y * area.width * bands, (y + 1) * area.width * bands);
    const [start, end] = coveredColumns(down, ellipse, area);
    for (let x = start; x < end; x += 1) {
      const distance = Math.sqrt(down + ((area.x + x + 0.5 - ellipse.x) / ellipse.a) ** 2);
      const opacity = distance <= 1 ? 1 : Math.max(0, (FEATHER - distance) / (FEATHER - 1));
      mix(row, x * bands, line, x * colours, colours, opacity);
    }
  }
}

/** Colours of one pixel, with a half added, because what is behind the point is cut off. */
function mix(row: Uint8Array, to: number, line: Float64Array, from: number, colours: number, opacity: number): void {
  for (let band = 0; band < colours; band += 1) {
    const own = row[to + band]!;
    row[to + band] = own + opacity * (line[from + band]! - own) + 0.5;
  }
}

/**
 * The columns of an area whose pixels' middles lie within the edge of the ellipse in one row: the first, and that after the last.
 * @param down square of the distance of the row from the middle, in half axes; less than that of the edge
 */
function coveredColumns(down: number, { x, a }: Ellipse, area: Box): [number, number] {
  const reach = a * Math.sqrt(FEATHER ** 2 - down);
  const start = Math.min(area.width, Math.max(0, Math.ceil(x - reach - area.x - 0.5)));
  const end = Math.min(area.width, Math.max(start, Math.floor(x + reach - area.x - 0.5) + 1));
  return [start, end];
}
