/**
 * PNG files to pixels, as libvips gives them: inflated by zlib, un-filtered by the loops of kernels/. Section numbers are those of
 * PNG, third edition. What is damaged or unusual in any way is not decoded, so that libvips decides what becomes of it.
 */
import { inflateSync } from 'node:zlib';
import { freeBuffer } from '../../base/free-buffer.ts';
import type { Address, Kernels } from '../kernels/kernels.ts';
import type { DecodedPixels } from '../picture.ts';
import { PALETTE, type PngChunks, readChunks } from './chunks.ts';
import { filteredBytes, type Pass, passesOf, pixelBits } from './rows.ts';

export interface PngRequest {
  /** What libvips has read in the header. */
  width: number;
  height: number;
  /** Of the decoded samples. */
  maxBytes: number;
}

/** Rows that are un-filtered at a time, in bytes: they and what is made of them stay in the cache. */
const STRIP_BYTES = 128 * 1024;
/** Longer rows are left to libvips: the memory of the kernels never shrinks. */
export const MAX_ROW_BYTES = 2 ** 20;

/**
 * Takes the memory of the decoded picture, and while it is decoded that of the filtered rows or of the compressed data, whichever is
 * larger.
 * @returns undefined where the file is another one, damaged, unusual or too large
 */
export function decodePng(
  kernels: Kernels,
  file: Uint8Array,
  { width, height, maxBytes }: PngRequest,
): DecodedPixels | undefined {
  const chunks = readChunks(file);
  if (chunks?.width !== width || chunks.height !== height) return undefined;
  const layout = layoutOf(chunks);
  if (layout.rowBytes > MAX_ROW_BYTES || layout.rowBytes * height > maxBytes) return undefined;
  const inflated = inflate(chunks.data, filteredBytes(layout.passes));
  if (!inflated) return undefined;
  // Others of this thread may have blocks in front.
  const start = kernels.end;
  let data: Uint8Array<ArrayBuffer> | undefined;
  try {
    const rows = new RowDecoder(kernels, chunks, layout);
    data = chunks.interlaced ? decodeInterlaced(rows, inflated) : decodeRows(rows, inflated);
  } finally {
    kernels.free(start);
    if (data?.buffer !== inflated.buffer) freeBuffer(inflated.buffer);
  }
  return data && { data, width, height, bands: layout.bands, depth: layout.depth };
}

/** Smaller buffers of Node are parts of a shared one. */
const MIN_BUFFER_BYTES = 2 ** 16;
const MAX_WINDOW_BYTES = 2 ** 15;

/** The filtered rows, in a buffer of their own; undefined where these are not as many bytes, or not all that the chunks hold. */
function inflate(data: PngChunks['data'], bytes: number): Uint8Array<ArrayBuffer> | undefined {
  const joined = data.length === 1 ? undefined : Buffer.concat(data);
  const coded = joined ?? data[0];
  // Decoders differ in what they make of references beyond the window (RFC 1950, section 2.2).
  const windowBytes = 2 ** (((coded[0] ?? 0) >> 4) + 8);
  if (windowBytes < Math.min(bytes, MAX_WINDOW_BYTES)) return undefined;
  try {
    // All in one piece, with a byte more: where the room is used up, zlib is asked for a second one.
    const chunkSize = Math.max(bytes + 1, MIN_BUFFER_BYTES);
    const result: unknown = inflateSync(coded, { chunkSize, maxOutputLength: bytes, info: true });
    const { buffer, engine } = result as { buffer: Buffer<ArrayBuffer>; engine: { bytesWritten: number } };
    const isWhole = buffer.length === bytes && engine.bytesWritten === coded.length;
    return isWhole ? new Uint8Array(buffer.buffer, buffer.byteOffset, bytes) : undefined;
  } catch {
    return undefined;
  } finally {
    if (joined && joined.length >= MIN_BUFFER_BYTES) freeBuffer(joined.buffer);
  }
}

interface Layout {
  passes: readonly Pass[];
  /** Of the decoded picture. */
  bands: number;
  depth: 8 | 16;
  rowBytes: number;
  /** From a sample to the same one of the next pixel, where samples of fewer bits than 8 have been unpacked. */
  pixelBytes: number;
}

function layoutOf({ header, width, depth: bits, colour, transparency }: PngChunks): Layout {
  const bands = (colour === PALETTE ? 3 : pixelBits(header) / bits) + (transparency ? 1 : 0);
  const depth = bits === 16 ? 16 : 8;
  const pixelBytes = Math.ceil(pixelBits(header) / 8);
  return { passes: passesOf(header), bands, depth, rowBytes: (width * bands * depth) / 8, pixelBytes };
}

/** Un-filters rows and makes pixels of them, as many at a time as are in a strip. */
class RowDecoder {
  readonly kernels: Kernels;
  readonly layout: Layout;
  readonly width: number;
  readonly height: number;
  /** Pixels need no more bytes than they have in their row. */
  readonly isPlain: boolean;
  readonly #stripRows: number;
  readonly #colours: number;
  readonly #packing: { table: Address; perByte: number } | undefined;
  readonly #palette: Address | undefined;
  readonly #key: Address | undefined;
  readonly #unpacked: Address;
  readonly #pixels: Address;
  readonly #above: Address;
  readonly #filtered: Address;

  constructor(kernels: Kernels, chunks: PngChunks, layout: Layout) {
    const { width, height, depth, colour, palette, transparency } = chunks;
    const longest = Math.max(layout.rowBytes, ...layout.passes.map(({ rowBytes }) => rowBytes));
    this.kernels = kernels;
    this.layout = layout;
    this.width = width;
    this.height = height;
    this.isPlain = depth >= 8 && colour !== PALETTE && !transparency;
    this.#stripRows = Math.min(height, Math.max(1, Math.floor(STRIP_BYTES / longest)));
    this.#colours = palette ? palette.length / 3 : 0;
    if (depth < 8) this.#packing = { table: kernels.place(unpackingTable(chunks)), perByte: 8 / depth };
    if (colour === PALETTE && palette) this.#palette = kernels.place(coloursOf(palette, transparency));
    else if (transparency) this.#key = kernels.place(keyOf(chunks, transparency));
    this.#unpacked = kernels.reserve(this.#packing ? this.#stripRows * width : 0);
    this.#pixels = kernels.reserve(this.isPlain ? 0 : this.#stripRows * layout.rowBytes);
    this.#above = kernels.reserve((this.#stripRows + 1) * longest);
    this.#filtered = kernels.reserve(this.#stripRows * longest);
  }

  /**
   * Un-filters a pass, a strip at a time.
   * @param start of its rows
   * @param take gets the rows, which it may change, and the number of the first
   * @returns whether all rows have been taken
   */
  unfilter(
    inflated: Uint8Array,
    start: number,
    { rows, rowBytes }: Pass,
    take: (strip: Address, count: number, first: number) => boolean,
  ): boolean {
    const { kernels } = this;
    const bytes = rowBytes - 1;
    kernels.bytes(this.#above, bytes).fill(0);
    for (let first = 0; first < rows; first += this.#stripRows) {
      const count = Math.min(this.#stripRows, rows - first);
      const from = start + first * rowBytes;
      kernels.bytes(this.#filtered, count * rowBytes).set(inflated.subarray(from, from + count * rowBytes));
      const strip = this.#above + bytes;
      if (!kernels.run.unfilterRows(strip, this.#filtered, count, bytes, this.layout.pixelBytes)) return false;
      // The last row is above the first of the next strip.
      kernels.bytes(this.#above, strip + count * bytes - this.#above).copyWithin(0, count * bytes);
      if (!take(strip, count, first)) return false;
    }
    return true;
  }

  /** Samples of 8 bits or more. @param rows un-filtered. @param width of each of them */
  unpack(rows: Address, count: number, width: number): Address {
    if (!this.#packing) return rows;
    const { table, perByte } = this.#packing;
    const bytes = Math.ceil(width / perByte);
    for (let row = 0; row < count; row += 1)
      this.kernels.run.unpackSamples(this.#unpacked + row * width, rows + row * bytes, bytes, table, perByte);
    return this.#unpacked;
  }

  /** @param samples unpacked, of whole rows. @returns undefined where the palette lacks a colour */
  toPixels(samples: Address, rows: number): Address | undefined {
    const { run } = this.kernels;
    const { bands, depth, rowBytes, pixelBytes } = this.layout;
    const count = rows * this.width;
    let pixels = samples;
    if (this.#palette !== undefined) {
      pixels = this.#pixels;
      if (run.applyPalette(pixels, samples, count, this.#palette, bands) >= this.#colours) return undefined;
    } else if (this.#key !== undefined) {
      pixels = this.#pixels;
      run.addKeyAlpha(pixels, samples, count, pixelBytes, depth / 8, this.#key);
    }
    if (depth === 16) run.swapBytes(pixels, rows * rowBytes);
    return pixels;
  }
}

/** Values of a byte. */
const BYTE_VALUES = 256;
const MAX_SAMPLE = 255;

/** For each value of a byte its samples: grey from 0 to 255 (section 13.12), and the indices of a palette. */
function unpackingTable({ depth, colour }: PngChunks): Uint8Array {
  const perByte = 8 / depth;
  const scale = scaleOf(depth, colour);
  return Uint8Array.from({ length: BYTE_VALUES * perByte }, (_, at) => {
    const shift = 8 - depth * (1 + (at % perByte));
    return scale * ((Math.floor(at / perByte) >> shift) & (2 ** depth - 1));
  });
}

function scaleOf(depth: number, colour: number): number {
  return depth < 8 && colour !== PALETTE ? MAX_SAMPLE / (2 ** depth - 1) : 1;
}

/** As RGBA. */
function coloursOf(palette: Uint8Array, transparency: Uint8Array | undefined): Uint8Array {
  const colours = new Uint8Array(4 * BYTE_VALUES);
  for (let index = 0; index < palette.length / 3; index += 1) {
    colours.set(palette.subarray(3 * index, 3 * index + 3), 4 * index);
    colours[4 * index + 3] = transparency?.[index] ?? MAX_SAMPLE;
  }
  return colours;
}

/** The colour that is transparent, as it stands in a row of unpacked samples. */
function keyOf({ depth, colour }: PngChunks, transparency: Uint8Array): Uint8Array {
  if (depth === 16) return transparency;
  return transparency.filter((_, at) => at % 2 === 1).map((sample) => sample * scaleOf(depth, colour));
}

/** In place where the pixels are no larger than their rows. */
function decodeRows(decoder: RowDecoder, inflated: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | undefined {
  const { kernels, layout, width, height, isPlain } = decoder;
  const { rowBytes } = layout;
  const data = isPlain ? inflated.subarray(0, rowBytes * height) : new Uint8Array(rowBytes * height);
  const isDecoded = decoder.unfilter(inflated, 0, layout.passes[0]!, (strip, count, first) => {
    const pixels = decoder.toPixels(decoder.unpack(strip, count, width), count);
    if (pixels !== undefined) data.set(kernels.bytes(pixels, count * rowBytes), first * rowBytes);
    return pixels !== undefined;
  });
  return isDecoded ? data : undefined;
}

/** All passes are un-filtered in place, and then put together row by row (section 8.2). */
function decodeInterlaced(decoder: RowDecoder, inflated: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | undefined {
  const { kernels, layout, width, height } = decoder;
  const { rowBytes, pixelBytes } = layout;
  const passes: { pass: Pass; start: number; bytes: number }[] = [];
  let start = 0;
  for (const pass of layout.passes) {
    const bytes = pass.rowBytes - 1;
    const from = start;
    const isDecoded = decoder.unfilter(inflated, from, pass, (strip, count, first) => {
      inflated.set(kernels.bytes(strip, count * bytes), from + first * bytes);
      return true;
    });
    if (!isDecoded) return undefined;
    passes.push({ pass, start, bytes });
    start += pass.rows * pass.rowBytes;
  }
  const data = new Uint8Array(rowBytes * height);
  const line = kernels.reserve(width * pixelBytes);
  const row = kernels.reserve(Math.max(...passes.map(({ bytes }) => bytes)));
  for (let y = 0; y < height; y += 1) {
    for (const { pass, start: from, bytes } of passes) {
      const { left, top, across, down, columns } = pass;
      if (y < top || (y - top) % down !== 0) continue;
      const at = from + ((y - top) / down) * bytes;
      kernels.bytes(row, bytes).set(inflated.subarray(at, at + bytes));
      kernels.run.placePixels(line, decoder.unpack(row, 1, columns), columns, pixelBytes, left, across);
    }
    const pixels = decoder.toPixels(line, 1);
    if (pixels === undefined) return undefined;
    data.set(kernels.bytes(pixels, rowBytes), y * rowBytes);
  }
  return data;
}
