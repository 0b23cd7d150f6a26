/** Encodes pixels as a PNG file (third edition), strip by strip: the kernels lay out, filter and deflate the rows. */
import type { Address, Kernels } from '../kernels/kernels.ts';
import { bytesOf, concat, uint32 } from '../metadata/bytes.ts';
import { chunk, SIGNATURE } from '../metadata/png-chunks.ts';
import { type PixelFormat, pixelBytesOf, sampleBytesOf } from '../pixel-facts.ts';
import type { PngLayout } from './layout.ts';
import { bitsPerPixel } from './rows.ts';

export interface PngSize {
  width: number;
  height: number;
}

/** How matches are searched for, in the terms of zlib. */
interface MatchSearch {
  /** Shorter matches are not found. 4 to 8 bytes. */
  minMatch: number;
  /** Number of earlier positions that are compared with each position. */
  maxChain: number;
  /** A match of this length ends the search. In bytes. */
  niceLength: number;
}

export interface PngEffort {
  /**
   * Images with at most this many bytes of filtered rows are deflated with optimal parsing. That takes 0.1 to 0.2 s per
   * MiB instead of 5 ms, and 1.3 s for hostile rows (many matches just below `niceLength`).
   * Default: 1 MiB.
   */
  maxOptimalBytes?: number;
}

const DEFAULT_OPTIMAL_BYTES = 2 ** 20;
const OPTIMAL = { niceLength: 128, maxDepth: 128, passes: 3 } as const;

/** The filter type of all rows, or the heuristic that chooses it for each row (see `filterRows` of the kernels). */
type Filter = 0 | 1 | 2 | 3 | 4 | typeof MIN_SUM | typeof MIN_BIGRAMS;

interface StripCoding {
  filter: Filter;
  search: MatchSearch;
  isOptimal: boolean;
}

const MIN_SUM = -1;
const MIN_BIGRAMS = -2;
/** Tried for each strip of an image that is deflated with optimal parsing. */
const FILTERS: readonly Filter[] = [0, 1, 2, 3, 4, MIN_SUM, MIN_BIGRAMS];
/**
 * Deflated bytes as a share of the rows' bytes. Above this there are too few matches for optimal parsing to be
 * worthwhile.
 */
const MAX_OPTIMAL_SHARE = 0.6;

/** For drawings, screenshots and palette indices, where filters would hide that pixels repeat. */
const UNFILTERED: StripCoding = {
  filter: 0,
  search: { minMatch: 4, maxChain: 64, niceLength: 258 },
  isOptimal: false,
};
/** For photographs, where a match of 4 or 5 bytes takes as many bits as its bytes as literals. */
const FILTERED: StripCoding = {
  filter: MIN_SUM,
  search: { minMatch: 6, maxChain: 4, niceLength: 128 },
  isOptimal: false,
};

/** Rows that are filtered and deflated together. */
const STRIP_BYTES = 512 * 1024;
/** The largest distance of a match (RFC 1951, section 2). */
const WINDOW_BYTES = 32 * 1024;
/**
 * Sample of rows from the middle of a strip that is estimated first. If filters save this share of its bytes, no more
 * rows are estimated; otherwise a third of all rows is.
 */
const MAX_SAMPLE_ROWS = 4;
const MAX_SAMPLE_BYTES = 16 * 1024;
const MIN_CLEAR_GAIN = 0.3;
/** The kernels read and write up to this many bytes past a block. */
const MARGIN_BYTES = 64;
/** Rows that `filterRows` compares, one for each filter type. */
const SCRATCH_ROWS = 5;
/** Bytes that do not compress become stored blocks, which are slightly larger than their content. */
const MAX_DEFLATE_OVERHEAD = 1 / 256;
const MIN_OVERHEAD_BYTES = 2048;
/** A window of 32 kB (RFC 1950, section 2.2). */
const ZLIB_HEADER = Uint8Array.of(0x78, 0x9c);

/** Encodes one image. Nothing else may use the kernels between the constructor and `finish`. */
export class PngEncoder {
  readonly #kernels: Kernels;
  readonly #size: PngSize;
  readonly #format: PixelFormat;
  readonly #layout: PngLayout;
  /** Bytes of a row of the file, without its filter type. */
  readonly #rowBytes: number;
  /** Bytes of a row as it is received. */
  readonly #rawRowBytes: number;
  readonly #filterStep: number;
  readonly #stripRows: number;
  /** Rows are written as they are received. */
  readonly #isPlain: boolean;
  readonly #raw: Address;
  /** The last row of the previous strip, then the rows of the strip. */
  readonly #rows: Address;
  /** The table of the layout: offsets of bytes in a pixel, or sample values by colour. */
  readonly #table: Address;
  readonly #samples: Address;
  readonly #scratch: Address;
  /** The last 32 KiB before the strip, then its filtered rows. */
  readonly #window: Address;
  readonly #deflateArea: Address;
  /** Only for an image that is deflated with optimal parsing. */
  readonly #optimalArea: Address | undefined;
  readonly #estimateArea: Address;
  readonly #output: Address;
  #receivedBytes = 0;
  #encodedRows = 0;
  #adler32 = 1;
  /** The content of the IDAT chunks, one for each strip. */
  readonly #data: Uint8Array[] = [];

  constructor(
    kernels: Kernels,
    size: PngSize,
    format: PixelFormat,
    layout: PngLayout,
    maxOptimalBytes = DEFAULT_OPTIMAL_BYTES,
  ) {
    const { width, height } = size;
    const bits = bitsPerPixel(layout.colourType, layout.depth);
    this.#kernels = kernels;
    this.#size = size;
    this.#format = format;
    this.#layout = layout;
    this.#rowBytes = Math.ceil((width * bits) / 8);
    this.#rawRowBytes = width * pixelBytesOf(format);
    this.#filterStep = Math.max(1, bits / 8);
    this.#stripRows = Math.min(height, Math.max(1, Math.floor(STRIP_BYTES / this.#rowBytes)));
    const { rows } = layout;
    this.#isPlain = layout.depth >= 8 && 'picked' in rows && isWhole(rows.picked, pixelBytesOf(format));
    const filteredBytes = this.#stripRows * (this.#rowBytes + 1);
    this.#rows = kernels.reserve((this.#stripRows + 1) * this.#rowBytes + MARGIN_BYTES);
    this.#raw = this.#isPlain
      ? this.#rows + this.#rowBytes
      : kernels.reserve(this.#stripRows * this.#rawRowBytes + MARGIN_BYTES);
    this.#table = kernels.place('picked' in rows ? Uint8Array.from(rows.picked) : rows.samples);
    this.#samples = layout.depth < 8 ? kernels.reserve(this.#stripRows * width + MARGIN_BYTES) : 0;
    this.#scratch = kernels.reserve(SCRATCH_ROWS * (this.#rowBytes + 16) + MARGIN_BYTES);
    this.#window = kernels.reserve(WINDOW_BYTES + filteredBytes + MARGIN_BYTES);
    this.#deflateArea = kernels.reserve(kernels.areas.deflate);
    const isOptimal = height * (this.#rowBytes + 1) <= maxOptimalBytes;
    this.#optimalArea = isOptimal ? kernels.reserve(kernels.areas.optimal) : undefined;
    this.#estimateArea = kernels.reserve(kernels.areas.estimate);
    this.#output = kernels.reserve(filteredBytes * (1 + MAX_DEFLATE_OVERHEAD) + MIN_OVERHEAD_BYTES);
  }

  /** @param data the next bytes of the pixels, any number of them */
  push(data: Uint8Array): void {
    const stripBytes = this.#stripRows * this.#rawRowBytes;
    const total = this.#size.height * this.#rawRowBytes;
    for (let from = 0; from < data.length; ) {
      const filled = this.#receivedBytes % stripBytes;
      const part = data.subarray(from, from + stripBytes - filled);
      this.#kernels.bytes(this.#raw + filled, part.length).set(part);
      this.#receivedBytes += part.length;
      from += part.length;
      if (filled + part.length === stripBytes || this.#receivedBytes === total)
        this.#encode((filled + part.length) / this.#rawRowBytes);
    }
  }

  /**
   * Returns the file.
   * @throws RangeError unless all pixels have been received
   */
  finish(): Uint8Array {
    const data = this.finishData();
    return concat([
      bytesOf(SIGNATURE),
      headerChunk(this.#size, this.#layout),
      ...colourChunks(this.#layout),
      ...data.map((part) => chunk('IDAT', part)),
      chunk('IEND', new Uint8Array(0)),
    ]);
  }

  /**
   * Returns the deflated rows, in parts.
   * @throws RangeError unless all pixels have been received
   */
  finishData(): Uint8Array[] {
    if (this.#encodedRows !== this.#size.height)
      throw new RangeError(`Expected ${this.#size.height} rows but received ${this.#encodedRows}.`);
    return this.#data;
  }

  #encode(count: number): void {
    const { run } = this.#kernels;
    const from = this.#window + WINDOW_BYTES;
    const bytes = count * (this.#rowBytes + 1);
    const isFirst = this.#encodedRows === 0;
    this.#layOut(count);
    const coding = this.#chooseCoding(count);
    this.#filter(from, this.#rows + this.#rowBytes, count, isFirst ? 0 : this.#rows, coding.filter);
    this.#adler32 = run.adler32(this.#adler32, from, bytes);
    if (isFirst) this.#startDeflate(from);
    this.#encodedRows += count;
    const isLast = this.#encodedRows === this.#size.height;
    const end = this.#deflate(from, from + bytes, coding, isLast);
    this.#data.push(
      concat([
        ...(isFirst ? [ZLIB_HEADER] : []),
        this.#kernels.bytes(this.#output, end - this.#output),
        ...(isLast ? [uint32(this.#adler32 >>> 0)] : []),
      ]),
    );
    if (!isLast) this.#keepEnd(count, bytes);
  }

  #startDeflate(from: Address): void {
    const { run } = this.#kernels;
    run.startDeflate(this.#deflateArea, from);
    if (this.#optimalArea) run.startOptimal(this.#optimalArea);
  }

  /** Keeps what the next strip refers to: the row above it, and the bytes that its matches can reach. */
  #keepEnd(count: number, bytes: number): void {
    this.#kernels.bytes(this.#window, WINDOW_BYTES + bytes).copyWithin(0, bytes);
    this.#kernels.run.moveDeflated(bytes);
    this.#kernels.bytes(this.#rows, (count + 1) * this.#rowBytes).copyWithin(0, count * this.#rowBytes);
  }

  #deflate(from: Address, end: Address, { search, isOptimal }: StripCoding, isLast: boolean): Address {
    const { run } = this.#kernels;
    const to = this.#output;
    const last = Number(isLast);
    const deflated = isOptimal
      ? run.deflateOptimally(from, end, to, OPTIMAL.niceLength, OPTIMAL.maxDepth, OPTIMAL.passes, last)
      : run.deflate(from, end, to, search.minMatch, search.niceLength, search.maxChain, last);
    return isLast ? run.finishDeflate() : deflated;
  }

  #layOut(count: number): void {
    if (this.#isPlain) return;
    const { run } = this.#kernels;
    const { width } = this.#size;
    const { rows, depth } = this.#layout;
    const to = this.#rows + this.#rowBytes;
    const samples = depth < 8 ? this.#samples : to;
    if ('picked' in rows) {
      const stride = pixelBytesOf(this.#format);
      run.pickBytes(samples, this.#raw, count * width, stride, this.#table, rows.picked.length);
    } else {
      const { bands } = this.#format;
      const sampleBytes = sampleBytesOf(this.#format);
      run.mapColours(samples, this.#raw, count * width, bands, sampleBytes, rows.block, this.#table);
    }
    if (depth < 8) run.packRows(to, samples, width, count, depth);
  }

  #chooseCoding(count: number): StripCoding {
    if (this.#layout.isUnordered) return { ...UNFILTERED, isOptimal: this.#optimalArea !== undefined };
    if (this.#optimalArea) return this.#chooseOptimalCoding(count);
    if (this.#layout.depth < 8) return UNFILTERED;
    const rows = Math.min(count, MAX_SAMPLE_ROWS, Math.max(1, Math.floor(MAX_SAMPLE_BYTES / this.#rowBytes)));
    if (this.#filterGain((count - rows) >> 1, rows) > MIN_CLEAR_GAIN) return FILTERED;
    const third = Math.max(rows, Math.floor(count / 3));
    return this.#filterGain((count - third) >> 1, third) > 0 ? FILTERED : UNFILTERED;
  }

  #chooseOptimalCoding(count: number): StripCoding {
    const estimates = FILTERS.map((filter) => ({ filter, bytes: this.#estimateBytes(0, count, filter) }));
    const { filter, bytes } = estimates.reduce((best, each) => (each.bytes < best.bytes ? each : best));
    const isOptimal = bytes < count * this.#rowBytes * MAX_OPTIMAL_SHARE;
    return { filter, search: (filter === 0 ? UNFILTERED : FILTERED).search, isOptimal };
  }

  /** Estimates the share of bytes that filters save in some rows of the strip. */
  #filterGain(first: number, count: number): number {
    const filtered = this.#estimateBytes(first, count, FILTERED.filter);
    return 1 - filtered / this.#estimateBytes(first, count, UNFILTERED.filter);
  }

  #estimateBytes(first: number, count: number, filter: Filter): number {
    const { run } = this.#kernels;
    const row = this.#rows + (first + 1) * this.#rowBytes;
    const above = first + this.#encodedRows > 0 ? row - this.#rowBytes : 0;
    this.#filter(this.#output, row, count, above, filter);
    return run.estimateDeflated(this.#output, this.#output + count * (this.#rowBytes + 1), this.#estimateArea);
  }

  #filter(to: Address, rows: Address, count: number, above: Address, filter: Filter): void {
    const { run } = this.#kernels;
    run.filterRows(to, rows, count, this.#rowBytes, this.#filterStep, above, filter, this.#scratch);
  }
}

export const headerChunk = ({ width, height }: PngSize, { colourType, depth }: PngLayout): Uint8Array =>
  chunk('IHDR', concat([uint32(width), uint32(height), Uint8Array.of(depth, colourType, 0, 0, 0)]));

/** The chunks PLTE and tRNS, if the layout has a palette. */
export const colourChunks = ({ palette, transparency }: PngLayout): Uint8Array[] => [
  ...(palette ? [chunk('PLTE', palette)] : []),
  ...(transparency ? [chunk('tRNS', transparency)] : []),
];

const isWhole = (picked: readonly number[], pixelBytes: number): boolean =>
  picked.length === pixelBytes && picked.every((place, index) => place === index);
