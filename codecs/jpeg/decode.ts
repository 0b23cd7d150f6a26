/** Decodes the pixels of JPEG files. */

import type { Size } from '../../base/geometry.ts';
import type { Address } from '../codec-module.ts';
import { DEFAULT_MAX_JPEG_SCANS } from '../jpeg-scans.ts';
import { type JpegCodec, OK } from './codec.ts';
import { MATRICES } from './matrices.ts';
import { LOBES, lanczosTaps } from './taps.ts';

export interface JpegPixels extends Size {
  /** Rows of pixels from the top, `bands` bytes per pixel. */
  data: Uint8Array<ArrayBuffer>;
  /** Grey, RGB or CMYK, as stored in the file: no profile is applied, and CMYK may be inverted (Adobe). */
  bands: 1 | 3 | 4;
  /** Some data was missing, or is in more scans than are read. Missing pixels are grey. */
  truncated: boolean;
}

export interface JpegRequest {
  /** Eighths of the size, 1 to 8: 4 decodes at half of the width and height. */
  eighths?: number;
  /** Region at that size; default: all. */
  region?: Size & { left: number; top: number };
}

/**
 * An image is decoded at the fewest eighths of its size that are still this many times as large as the result. The
 * filter then gives nearly the same result as for the whole image. The measurements are in README.md.
 */
const MIN_RATIO = 1.7;
const EIGHTHS = [1, 2, 3, 4, 5, 6, 7] as const;
/** Batch sizes of assembly/resize.ts. */
const COLUMNS_AT_A_TIME = 8;
const LINES_AT_A_TIME = 2;
/** Limit for the source lines of a row. An image of any width that is reduced to a few lines would need too many. */
const MAX_HELD_BYTES = 16 * 2 ** 20;
/** Largest number of image lines per component line. */
const MAX_SAMPLING = 4;

/** By `colourModel` of assembly/frame.ts. */
const BANDS: Readonly<Record<number, 1 | 3 | 4>> = { 1: 1, 2: 3, 3: 3, 4: 4, 5: 4 };

/** Bytes copied out of the codec at a time. */
const STRIP_BYTES = 256 * 1024;

/**
 * Decodes a file of baseline, extended or progressive Huffman coding of 8 bits. The result is bit-identical to that of
 * libjpeg-turbo with its default settings.
 * @returns undefined for a file that is no such JPEG, or needs more memory than there is
 */
export function decodeJpeg(
  codec: JpegCodec,
  file: Uint8Array,
  { eighths = 8, region }: JpegRequest = {},
): JpegPixels | undefined {
  const { run } = codec;
  if (!codec.open(file) || !startRows(codec, { eighths })) return undefined;
  if (region) run.wantRegion(region.left, region.top, region.width);
  const size = { width: run.rowWidth(), height: region?.height ?? run.rowCount() };
  return readPixels(codec, size, (...strip) => run.readRows(...strip));
}

/**
 * Decodes a file at a smaller size with the filter of taps.ts. Each component is resized at its own resolution, before
 * colours are converted.
 * @returns undefined for a file that is no such JPEG, is smaller than the result, is CMYK, is much reduced in one
 * direction only, or needs more memory than there is
 */
export function decodeResized(codec: JpegCodec, file: Uint8Array, size: Size): JpegPixels | undefined {
  const { run } = codec;
  if (!codec.open(file) || BANDS[run.colourModel()] === 4) return undefined;
  const ratio = Math.min(run.imageWidth() / size.width, run.imageHeight() / size.height);
  if (ratio < 1) return undefined;
  const eighths = EIGHTHS.find((each) => (ratio * each) / 8 >= MIN_RATIO) ?? 8;
  const decoded = { width: (run.imageWidth() * eighths) / 8, height: (run.imageHeight() * eighths) / 8 };
  const lines = Math.ceil(LOBES * 2 * Math.max(decoded.height / size.height, MAX_SAMPLING)) + 4 * MAX_SAMPLING;
  const held = Math.min(lines, Math.ceil(decoded.height));
  if (held * run.countOfComponents() * decoded.width > MAX_HELD_BYTES) return undefined;
  if (!startRows(codec, { eighths, reach: held, forResizing: true })) return undefined;
  const samplings = Array.from({ length: run.countOfComponents() }, (_, index) => run.samplingOf(index));
  // Components with the same resolution are resized in the same way.
  const resizings = new Map<number, Resizing>();
  for (const [index, sampling] of samplings.entries()) {
    const resizing = resizings.get(sampling) ?? placeResizing(codec, index, size, samplings);
    if (!resizing) return undefined;
    resizings.set(sampling, resizing);
    run.resizeComponent(index, ...resizing);
  }
  if (!run.startResizing(size.width)) return undefined;
  return readPixels(codec, size, (...strip) => run.readResized(...strip));
}

/** The parameters of `resizeComponent` after the index. */
type Resizing = [Address, Address, number, Address, Address, number];

/** @returns undefined if there is not enough memory */
function placeResizing(
  codec: JpegCodec,
  index: number,
  { width, height }: Size,
  samplings: readonly number[],
): Resizing | undefined {
  const { run } = codec;
  const blockScale = run.sideOf(index) / 8;
  const own = samplings[index]!;
  const widest = Math.max(...samplings.map((each) => each >> 4));
  const highest = Math.max(...samplings.map((each) => each & 15));
  const columns = lanczosTaps({
    source: run.unpaddedWidthOf(index),
    target: width,
    ratio: (run.imageWidth() * (own >> 4) * blockScale) / (widest * width),
    multiple: COLUMNS_AT_A_TIME,
  });
  const rows = lanczosTaps({
    source: run.unpaddedHeightOf(index),
    target: height,
    ratio: (run.imageHeight() * (own & 15) * blockScale) / (highest * height),
    multiple: LINES_AT_A_TIME,
  });
  const place = (list: Int32Array<ArrayBuffer> | Int16Array<ArrayBuffer>) => codec.place(new Uint8Array(list.buffer));
  const [columnStarts, columnWeights] = [place(columns.starts), place(columns.weights)];
  const [rowStarts, rowWeights] = [place(rows.starts), place(rows.weights)];
  if (!columnStarts || !columnWeights || !rowStarts || !rowWeights) return undefined;
  return [columnStarts, columnWeights, columns.count, rowStarts, rowWeights, rows.count];
}

/** See `startRows` of assembly/rows.ts. */
function startRows(
  codec: JpegCodec,
  { eighths, reach = 0, forResizing = false }: { eighths: number; reach?: number; forResizing?: boolean },
): boolean {
  const matrices = codec.place(MATRICES);
  if (matrices === undefined) return false;
  return codec.run.startRows(eighths, matrices, DEFAULT_MAX_JPEG_SCANS, reach, Number(forResizing)) === OK;
}

function readPixels(
  codec: JpegCodec,
  { width, height }: Size,
  read: (strip: Address, pitch: number, count: number) => void,
): JpegPixels | undefined {
  const { run } = codec;
  const bands = BANDS[run.colourModel()] as 1 | 3 | 4;
  const pitch = width * bands;
  const rows = Math.max(1, Math.floor(STRIP_BYTES / pitch));
  const strip = codec.reserve(rows * pitch);
  if (strip === undefined) return undefined;
  const data = new Uint8Array(pitch * height);
  for (let row = 0; row < height; row += rows) {
    const count = Math.min(rows, height - row);
    read(strip, pitch, count);
    data.set(codec.bytes(strip, count * pitch), row * pitch);
  }
  return { data, width, height, bands, truncated: run.isTruncated() !== 0 || run.statusOfScans() !== OK };
}
