/** Pixels of JPEG files. */
import { DEFAULT_MAX_JPEG_SCANS } from '../jpeg-scans.ts';
import { type JpegCodec, OK } from './codec.ts';
import { MATRICES } from './matrices.ts';

export interface JpegPixels {
  /** Rows of pixels from the top, `bands` bytes each. */
  data: Uint8Array<ArrayBuffer>;
  width: number;
  height: number;
  /** Grey, RGB or CMYK, as the file has them: no profile is applied, and CMYK may be inverted (Adobe). */
  bands: 1 | 3 | 4;
  /** Some data were missing, or stand in more scans than are read: what could not be read is grey. */
  truncated: boolean;
}

export interface JpegRequest {
  /** Of the size, 1 to 8: 4 decodes at half of the width and height. */
  eighths?: number;
  /** At that size; default: all. */
  region?: { left: number; top: number; width: number; height: number };
}

/** `colourModel` of assembly/frame.ts. */
const BANDS: Readonly<Record<number, 1 | 3 | 4>> = { 1: 1, 2: 3, 3: 3, 4: 4, 5: 4 };

/** Copied out at a time, in bytes. */
const STRIP_BYTES = 256 * 1024;

/**
 * Decodes a file: baseline, extended or progressive Huffman coding of 8 bits, as libjpeg-turbo does with its default settings, to
 * the bit.
 * @returns undefined for a file that is no such JPEG, or needs more memory than there is
 */
export function decodeJpeg(
  codec: JpegCodec,
  file: Uint8Array,
  { eighths = 8, region }: JpegRequest = {},
): JpegPixels | undefined {
  const { run } = codec;
  if (!codec.open(file)) return undefined;
  const matrices = codec.place(new Uint8Array(MATRICES.buffer));
  if (matrices === undefined || run.startRows(eighths, matrices, DEFAULT_MAX_JPEG_SCANS) !== OK) return undefined;
  if (region) run.wantRegion(region.left, region.top, region.width);
  const width = run.rowWidth();
  const height = region?.height ?? run.rowCount();
  const bands = BANDS[run.colourModel()] as 1 | 3 | 4;
  const pitch = width * bands;
  const rows = Math.max(1, Math.floor(STRIP_BYTES / pitch));
  const strip = codec.reserve(rows * pitch);
  if (strip === undefined) return undefined;
  const data = new Uint8Array(pitch * height);
  for (let row = 0; row < height; row += rows) {
    const count = Math.min(rows, height - row);
    run.readRows(strip, pitch, count);
    data.set(codec.bytes(strip, count * pitch), row * pitch);
  }
  return { data, width, height, bands, truncated: run.isTruncated() !== 0 || run.statusOfScans() !== OK };
}
