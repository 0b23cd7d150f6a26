/**
 * Decodes PNG files to the same pixels as libvips: inflated by zlib, unfiltered by the loops of kernels/. Section
 * numbers are those of PNG, third edition. Files that are damaged or unusual in any way are not decoded here, so that
 * libvips handles them.
 */
import { inflateSync } from 'node:zlib';
import { freeBuffer } from '../../base/free-buffer.ts';
import type { DecodedPixels } from '../decoded-image.ts';
import type { Address, Kernels } from '../kernels/kernels.ts';
import { PALETTE, type PngChunks, readChunks } from './chunks.ts';
import { filteredBytes, type Pass, passesOf, pixelBits } from './rows.ts';

export interface PngRequest {
  /** The size that libvips has read in the header. */
  width: number;
  height: number;
  /** Limit for the decoded samples. */
  maxBytes: number;
}

/** Bytes of rows that are unfiltered at a time. They and the pixels made from them stay in the cache. */
const STRIP_BYTES = 128 * 1024;
/** Longer rows are left to libvips, because the memory of the kernels never shrinks. */
export const MAX_ROW_BYTES = 2 ** 20;

/**
 * Decodes a file. Takes memory for the decoded image and, during decoding, for the filtered rows or the compressed
 * data, whichever is larger.
 * @returns undefined if the size differs, or the file is damaged, unusual or too large
 */
export function decodePng(
  kernels: Kernels,
  file: Uint8Array,
  { width, height, maxBytes }: PngRequest,
): DecodedPixels | undefined {
  const chunks = readChunks(file);
  if (chunks?.width !== width || chunks.height !== height) return undefined;
  return decodeChunks(kernels, chunks, maxBytes);
}

/**
 * Decodes the pixels in the chunks of a file, or of a frame of an animation.
 * @returns undefined if they are damaged, unusual or too large
 */
export function decodeChunks(kernels: Kernels, chunks: PngChunks, maxBytes: number): DecodedPixels | undefined {
  const { width, height } = chunks;
  const layout = layoutOf(chunks);
  if (layout.rowBytes > MAX_ROW_BYTES || layout.rowBytes * height > maxBytes) return undefined;
  const inflated = inflate(chunks.data, filteredBytes(layout.passes));
  if (!inflated) return undefined;
  // Other users in this thread may have blocks before these.
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

/** Node allocates smaller buffers from a shared one. */
const MIN_BUFFER_BYTES = 2 ** 16;
const MAX_WINDOW_BYTES = 2 ** 15;

/**
 * Inflates the filtered rows into a buffer of their own. Returns undefined if their size is wrong, or if the chunks
 * contain more data.
 */
function inflate(data: PngChunks['data'], bytes: number): Uint8Array<ArrayBuffer> | undefined {
  const joined = data.length === 1 ? undefined : Buffer.concat(data);
  const coded = joined ?? data[0];
  // Decoders treat references beyond the window differently (RFC 1950, section 2.2).
  const windowBytes = 2 ** (((coded[0] ?? 0) >> 4) + 8);
  if (windowBytes < Math.min(bytes, MAX_WINDOW_BYTES)) return undefined;
  try {
    // One output chunk with one extra byte: if the chunk were filled exactly, zlib would be called for a second one.
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
  /** Of the decoded image. */
  bands: number;
  depth: 8 | 16;
  rowBytes: number;
  /** Distance to the same sample of the next pixel, after samples of fewer than 8 bits are unpacked. */
  pixelBytes: number;
}

function layoutOf({ header, width, depth: bits, colour, transparency }: PngChunks): Layout {
  const bands = (colour === PALETTE ? 3 : pixelBits(header) / bits) + (transparency ? 1 : 0);
  const depth = bits === 16 ? 16 : 8;
  const pixelBytes = Math.ceil(pixelBits(header) / 8);
  return { passes: passesOf(header), bands, depth, rowBytes: (width * bands * depth) / 8, pixelBytes };
}

/** Unfilters rows and converts them to pixels, one strip at a time. */
class RowDecoder {
  readonly kernels: Kernels;
  readonly layout: Layout;
  readonly width: number;
  readonly height: number;
  /** Whether pixels need no more bytes than in their row. */
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
   * Unfilters a pass, one strip at a time.
   * @param start offset of its rows
   * @param take receives the rows, which it may change, and the number of the first one; returns false to stop
   * @returns whether all rows were processed
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
      // The last row is above the first one of the next strip.
      kernels.bytes(this.#above, strip + count * bytes - this.#above).copyWithin(0, count * bytes);
      if (!take(strip, count, first)) return false;
    }
    return true;
  }

  /**
   * Unpacks samples to 8 bits or more.
   * @param rows unfiltered
   * @param width of each of them
   */
  unpack(rows: Address, count: number, width: number): Address {
    if (!this.#packing) return rows;
    const { table, perByte } = this.#packing;
    const bytes = Math.ceil(width / perByte);
    for (let row = 0; row < count; row += 1)
      this.kernels.run.unpackSamples(this.#unpacked + row * width, rows + row * bytes, bytes, table, perByte);
    return this.#unpacked;
  }

  /**
   * Converts samples to pixels.
   * @param samples unpacked, of whole rows
   * @returns undefined if the palette lacks a colour
   */
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

/** Number of values of a byte. */
const BYTE_VALUES = 256;
const MAX_SAMPLE = 255;

/** Makes a table of the samples of each byte value: grey from 0 to 255 (section 13.12), or palette indices. */
function unpackingTable({ depth, colour }: PngChunks): Uint8Array {
  const perByte = 8 / depth;
  const scale = scaleOf(depth, colour);
  return Uint8Array.from({ length: BYTE_VALUES * perByte }, (_, at) => {
    const shift = 8 - depth * (1 + (at % perByte));
    return scale * ((Math.floor(at / perByte) >> shift) & (2 ** depth - 1));
  });
}

const scaleOf = (depth: number, colour: number): number =>
  depth < 8 && colour !== PALETTE ? MAX_SAMPLE / (2 ** depth - 1) : 1;

/** Returns the palette as RGBA. */
function coloursOf(palette: Uint8Array, transparency: Uint8Array | undefined): Uint8Array {
  const colours = new Uint8Array(4 * BYTE_VALUES);
  for (let index = 0; index < palette.length / 3; index += 1) {
    colours.set(palette.subarray(3 * index, 3 * index + 3), 4 * index);
    colours[4 * index + 3] = transparency?.[index] ?? MAX_SAMPLE;
  }
  return colours;
}

/** Returns the transparent colour, as stored in a row of unpacked samples. */
function keyOf({ depth, colour }: PngChunks, transparency: Uint8Array): Uint8Array {
  if (depth === 16) return transparency;
  return transparency.filter((_, at) => at % 2 === 1).map((sample) => sample * scaleOf(depth, colour));
}

/** Decodes the rows. Works in place if the pixels are no larger than their rows. */
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

/** Unfilters all passes in place, then combines them row by row (section 8.2). */
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
