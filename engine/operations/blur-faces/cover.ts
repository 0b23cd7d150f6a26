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
import { FLOAT, type Kernels, startKernels } from '../../../codecs/kernels/kernels.ts';
import { handlesFromHere, type Image, type VipsApi } from '../../../codecs/vips.ts';
import type { WorkerContext } from '../../context.ts';
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
  { vips, modules }: Pick<WorkerContext, 'vips' | 'modules'>,
  frame: Image,
  box: Box,
  { effect, strength }: Pick<BlurFacesParams, 'effect' | 'strength'>,
): boolean {
  const shown = inPicture(box, frame);
  if (shown.width <= 0 || shown.height <= 0) return false;
  const ellipse = ellipseAround(shown);
  const area = areaOf(ellipse, frame);
  const kernels = startKernels(modules);
  kernels.free();
  const { bands } = frame;
  const samples = kernels.reserve(area.width * area.height * bands);
  inStrips(vips, area, bands, ({ x, y, width, height }, start) => {
    const rows = frame.crop(x, y, width, height).writeToMemory() as Uint8Array;
    kernels.bytes(samples + start, rows.length).set(rows);
  });
  const block = blockSide(ellipse, strength);
  const grid = {
    width: area.width,
    height: area.height,
    columns: Math.max(1, Math.floor(area.width / block)),
    rows: Math.max(1, Math.floor(area.height / block)),
  };
  const place: Place = { kernels, samples, ellipse, area, bands, colours: frame.hasAlpha() ? bands - 1 : bands };
  blend(place, SURFACES[effect](place, grid, meansOf(place, grid)));
  inStrips(vips, area, bands, ({ x, y, width, height }, start) => {
    const rows = kernels.bytes(samples + start, width * height * bands);
    frame.drawImage(vips.Image.newFromMemory(rows, width, height, bands, vips.BandFormat.uchar), x, y);
  });
  return true;
}

/** What is copied at a time, in bytes: an area may be as large as the picture, and libvips would hold it twice. */
const STRIP_BYTES = 2 ** 23;

/**
 * Goes through an area from top to bottom, and frees the handles that were made for one part before the next.
 * @param use is given the part, and where it starts in the samples of the area
 */
function inStrips(vips: VipsApi, area: Box, bands: number, use: (strip: Box, start: number) => void): void {
  const pitch = area.width * bands;
  const rows = Math.max(1, Math.floor(STRIP_BYTES / pitch));
  for (let top = 0; top < area.height; top += rows) {
    const handles = handlesFromHere(vips);
    use({ ...area, y: area.y + top, height: Math.min(rows, area.height - top) }, top * pitch);
    handles.free();
  }
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

/** Where the cover goes. */
interface Place {
  kernels: Kernels;
  /** Address of the area's samples. */
  samples: number;
  ellipse: Ellipse;
  area: Box;
  bands: number;
  colours: number;
}

/** The means of the blocks, row by row. With alpha, what is see-through counts as little as it shows. */
function meansOf({ kernels, samples, bands, colours }: Place, { width, height, columns, rows }: Grid): Float32Array {
  const pitch = width * bands;
  const means = kernels.reserve(columns * rows * colours * FLOAT);
  for (let row = 0; row < rows; row += 1) {
    const [top, bottom] = [edge(row, height, rows), edge(row + 1, height, rows)];
    for (let column = 0; column < columns; column += 1) {
      const [left, right] = [edge(column, width, columns), edge(column + 1, width, columns)];
      const to = means + (row * columns + column) * colours * FLOAT;
      kernels.run.meansOf(to, samples + top * pitch + left * bands, pitch, right - left, bottom - top, bands, colours);
    }
  }
  return kernels.floats(means, columns * rows * colours).slice();
}

/** Answers with the address of the colours of row y, as floats. */
type Surface = (y: number) => number;
type MakeSurface = (place: Place, grid: Grid, means: Float32Array) => Surface;

const blocks: MakeSurface = ({ kernels, colours }, { width, height, columns, rows }, means) => {
  const wide = new Float32Array(rows * width * colours);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const from = (row * columns + column) * colours;
      const mean = means.subarray(from, from + colours);
      const [left, right] = [edge(column, width, columns), edge(column + 1, width, columns)];
      for (let x = left; x < right; x += 1) wide.set(mean, (row * width + x) * colours);
    }
  }
  const start = kernels.place(wide);
  const rowOf = new Int32Array(height);
  for (let row = 0; row < rows; row += 1) rowOf.fill(row, edge(row, height, rows), edge(row + 1, height, rows));
  return (y) => start + rowOf[y]! * width * colours * FLOAT;
};

/** A uniform cubic B-spline with the means as its control points: it smooths them and never leaves their range. */
const spline: MakeSurface = ({ kernels, colours }, { width, height, columns, rows }, means) => {
  const wide = new Float32Array(rows * width * colours);
  for (let x = 0; x < width; x += 1) {
    const taps = tapsAt(x, width, columns);
    for (let row = 0; row < rows; row += 1) {
      for (let band = 0; band < colours; band += 1) {
        let sum = 0;
        for (const { index, weight } of taps) sum += weight * means[(row * columns + index) * colours + band]!;
        wide[(row * width + x) * colours + band] = sum;
      }
    }
  }
  const pitch = width * colours;
  const start = kernels.place(wide);
  const line = kernels.reserve(pitch * FLOAT);
  const weights = kernels.reserve(TAPS * FLOAT);
  return (y) => {
    const taps = tapsAt(y, height, rows);
    kernels.floats(weights, TAPS).set(taps.map(({ weight }) => weight));
    const [above, upper, lower, below] = taps.map(({ index }) => start + index * pitch * FLOAT) as Four<number>;
    kernels.run.blendFloats(line, pitch, above, upper, lower, below, weights);
    return line;
  };
};

const SURFACES: Record<BlurFacesParams['effect'], MakeSurface> = { blur: spline, pixelate: blocks };

const TAPS = 4;
type Four<T> = [T, T, T, T];

interface Tap {
  index: number;
  weight: number;
}

/** The four control points that a sample of a side depends on, with their weights, which add up to 1. */
function tapsAt(place: number, side: number, points: number): Four<Tap> {
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

/** Puts the surface over the samples: as a whole in the ellipse, less and less towards the end of its edge. */
function blend(place: Place, surface: Surface): void {
  const { kernels, samples, ellipse, area, bands, colours } = place;
  const across = (area.x + 0.5 - ellipse.x) / ellipse.a;
  const { coverRow } = kernels.run;
  for (let y = 0; y < area.height; y += 1) {
    const down = ((area.y + y + 0.5 - ellipse.y) / ellipse.b) ** 2;
    if (down >= FEATHER ** 2) continue;
    const [start, end] = columnsWithin(FEATHER, down, place);
    const [left, right] = down < 1 ? columnsWithin(1, down, place) : [end, end];
    const row = samples + y * area.width * bands;
    coverRow(row, surface(y), bands, colours, start, left, right, end, down, across, 1 / ellipse.a, FEATHER);
  }
}

/**
 * The columns of an area whose pixels' middles lie within a multiple of the ellipse in one row: the first, and that after the last.
 * @param down square of the distance of the row from the middle, in half axes; less than that of the multiple
 */
function columnsWithin(multiple: number, down: number, { ellipse, area }: Place): [number, number] {
  const reach = ellipse.a * Math.sqrt(multiple ** 2 - down);
  const inArea = (edge: number) => Math.min(area.width, Math.max(0, Math.round(edge - area.x)));
  return [inArea(ellipse.x - reach), inArea(ellipse.x + reach)];
}
