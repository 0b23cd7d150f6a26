/**
 * Covers areas of an image so that their original content cannot be recovered.
 *
 * A Gaussian blur alone is not enough: it is linear and keeps the same number of samples, so deconvolution restores
 * much of a face. People and networks also recognise faces through light blurs and fine mosaics (McPherson, Shokri and
 * Shmatikov, "Defeating Image Obfuscation with Deep Learning", 2016, with blocks down to 16 x 16).
 *
 * So the area is first reduced to the means of a few large blocks, and both effects are computed only from these means:
 * `pixelate` shows them, `blur` draws a smooth surface through them. Equal means give equal pixels, so nothing finer
 * than a block can be recovered. At strength 60 there are at most 5 x 5 blocks over an area 1.6 times as wide as the
 * face: about 3 x 3 on the face itself, fewer than its features need (eyes, nose, mouth), at any resolution of the
 * image.
 *
 * The blocks are aligned to the area, not to the image, and all are about equally wide: the means of a narrow last
 * block would show detail.
 */
import type { Box, Size } from '../../../base/geometry.ts';
import { FLOAT_BYTES, type Kernels, startKernels } from '../../../codecs/kernels/kernels.ts';
import { type Image, trackHandles, type VipsApi } from '../../../codecs/vips.ts';
import type { WorkerContext } from '../../context.ts';
import type { BlurFacesParams } from './params.ts';

/** Scale of the smallest ellipse around the box, with the same aspect ratio: the corners of the box are covered too. */
const ELLIPSE_SCALE = Math.SQRT2;
/** Where the soft edge ends, as a multiple of the ellipse. The edge is outside the fully covered part. */
const FEATHER = 1.12;

/**
 * Blocks along the longer side of the area at strength 1. The number falls geometrically to one block at strength 100.
 */
const MAX_BLOCKS = 48;
const MAX_STRENGTH = 100;
/** A block of one pixel would hide nothing. */
const MIN_BLOCK_SIDE = 2;

interface Grid {
  width: number;
  height: number;
  columns: number;
  rows: number;
}

/**
 * Covers an area of an image in place.
 * @param frame in memory, 8 bits, optionally with alpha, which is not changed
 * @param box the part outside the image is ignored
 * @returns false if the box is completely outside the image
 */
export function cover(
  { vips, modules }: Pick<WorkerContext, 'vips' | 'modules'>,
  frame: Image,
  box: Box,
  { effect, strength }: Pick<BlurFacesParams, 'effect' | 'strength'>,
): boolean {
  const shown = clipToImage(box, frame);
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
  const place: Area = { kernels, samples, ellipse, area, bands, colours: frame.hasAlpha() ? bands - 1 : bands };
  blend(place, SURFACES[effect](place, grid, meansOf(place, grid)));
  inStrips(vips, area, bands, ({ x, y, width, height }, start) => {
    const rows = kernels.bytes(samples + start, width * height * bands);
    frame.drawImage(vips.Image.newFromMemory(rows, width, height, bands, vips.BandFormat.uchar), x, y);
  });
  return true;
}

/** Bytes copied at a time: an area may be as large as the image, and libvips would hold it twice. */
const STRIP_BYTES = 2 ** 23;

/**
 * Processes an area in strips from top to bottom. Frees the handles of each strip before the next.
 * @param use receives the strip, and the offset of its first sample in the area
 */
function inStrips(vips: VipsApi, area: Box, bands: number, use: (strip: Box, start: number) => void): void {
  const pitch = area.width * bands;
  const rows = Math.max(1, Math.floor(STRIP_BYTES / pitch));
  for (let top = 0; top < area.height; top += rows) {
    const handles = trackHandles(vips);
    use({ ...area, y: area.y + top, height: Math.min(rows, area.height - top) }, top * pitch);
    handles.free();
  }
}

/** Centre and semi-axes, in pixels. */
interface Ellipse {
  x: number;
  y: number;
  a: number;
  b: number;
}

const ellipseAround = ({ x, y, width, height }: Box): Ellipse => ({
  x: x + width / 2,
  y: y + height / 2,
  a: (width / 2) * ELLIPSE_SCALE,
  b: (height / 2) * ELLIPSE_SCALE,
});

/** The part of the image that contains the ellipse and its soft edge. */
function areaOf({ x, y, a, b }: Ellipse, image: Size): Box {
  const [left, top] = [Math.floor(x - a * FEATHER), Math.floor(y - b * FEATHER)];
  const [right, bottom] = [Math.ceil(x + a * FEATHER), Math.ceil(y + b * FEATHER)];
  return clipToImage({ x: left, y: top, width: right - left, height: bottom - top }, image);
}

/** The part of a box inside the image; a side is at most 0 if there is none. */
function clipToImage({ x, y, width, height }: Box, image: Size): Box {
  const [left, top] = [Math.max(0, x), Math.max(0, y)];
  return {
    x: left,
    y: top,
    width: Math.min(image.width, x + width) - left,
    height: Math.min(image.height, y + height) - top,
  };
}

/** Relative to the whole ellipse, even if the edge of the image cuts it. */
function blockSide({ a, b }: Ellipse, strength: number): number {
  const longer = 2 * Math.max(a, b) * FEATHER;
  const blocks = MAX_BLOCKS ** ((MAX_STRENGTH - strength) / (MAX_STRENGTH - 1));
  return Math.max(MIN_BLOCK_SIDE, longer / blocks);
}

/** First sample of a block along a side, or the end. All blocks are about equally long. */
const edge = (index: number, side: number, blocks: number): number => Math.round((index * side) / blocks);

/** The area to cover. */
interface Area {
  kernels: Kernels;
  /** Address of the area's samples. */
  samples: number;
  ellipse: Ellipse;
  area: Box;
  bands: number;
  colours: number;
}

/** The means of the blocks, row by row. With alpha, pixels are weighted by their opacity. */
function meansOf({ kernels, samples, bands, colours }: Area, { width, height, columns, rows }: Grid): Float32Array {
  const pitch = width * bands;
  const means = kernels.reserve(columns * rows * colours * FLOAT_BYTES);
  for (let row = 0; row < rows; row += 1) {
    const [top, bottom] = [edge(row, height, rows), edge(row + 1, height, rows)];
    for (let column = 0; column < columns; column += 1) {
      const [left, right] = [edge(column, width, columns), edge(column + 1, width, columns)];
      const to = means + (row * columns + column) * colours * FLOAT_BYTES;
      kernels.run.meansOf(to, samples + top * pitch + left * bands, pitch, right - left, bottom - top, bands, colours);
    }
  }
  return kernels.floats(means, columns * rows * colours).slice();
}

/** Returns the address of the colours of row y, as floats. */
type Surface = (y: number) => number;
type MakeSurface = (place: Area, grid: Grid, means: Float32Array) => Surface;

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
  return (y) => start + rowOf[y]! * width * colours * FLOAT_BYTES;
};

/** A uniform cubic B-spline with the means as control points: it is smooth and never leaves their range. */
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
  const line = kernels.reserve(pitch * FLOAT_BYTES);
  const weights = kernels.reserve(TAPS * FLOAT_BYTES);
  return (y) => {
    const taps = tapsAt(y, height, rows);
    kernels.floats(weights, TAPS).set(taps.map(({ weight }) => weight));
    const [above, upper, lower, below] = taps.map(({ index }) => start + index * pitch * FLOAT_BYTES) as Four<number>;
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

/** The four control points that affect a sample, with their weights, which add up to 1. */
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

/** Blends the surface over the samples: fully inside the ellipse, fading out to the end of the soft edge. */
function blend(place: Area, surface: Surface): void {
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
 * The columns of a row whose pixel centres are inside a multiple of the ellipse: the first, and the one after the last.
 * @param down square of the distance of the row from the centre, in semi-axes; less than the square of the multiple
 */
function columnsWithin(multiple: number, down: number, { ellipse, area }: Area): [number, number] {
  const reach = ellipse.a * Math.sqrt(multiple ** 2 - down);
  const inArea = (edge: number) => Math.min(area.width, Math.max(0, Math.round(edge - area.x)));
  return [inArea(ellipse.x - reach), inArea(ellipse.x + reach)];
}
