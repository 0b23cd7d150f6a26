/** Pixels to a PNG file (third edition), row by row: rows are laid out, filtered and deflated by the loops of the kernels. */
import type { Address, Kernels } from '../kernels/kernels.ts';
import { bytesOf, concat, uint32 } from '../metadata/bytes.ts';
import { chunk, SIGNATURE } from '../metadata/png-chunks.ts';
import { type PixelFormat, type PngLayout, pixelBytesOf, sampleBytesOf } from './layout.ts';

export interface PngSize {
  width: number;
  height: number;
}

/** How long matches are at least, how many earlier places are looked at for each, and how long one is that is good enough. */
interface Search {
  least: number;
  depth: number;
  nice: number;
}

export interface PngEffort {
  /**
   * Files with at most so many bytes of filtered rows are deflated with the fewest bits that the matches found can give, which takes about 80 ms
   * for each million bytes instead of 5. Default: `DEFAULT_OPTIMAL_BYTES`.
   */
  maxOptimalBytes?: number;
}

const DEFAULT_OPTIMAL_BYTES = 2 ** 20;
/** Matches of four bytes and more, and three. */
const OPTIMAL = { nice: 128, depth: 128, passes: 3 } as const;

/** The type of all rows, or how it is chosen for each: documented at `filterRows` of the kernels. */
type Filter = 0 | 1 | 2 | 3 | 4 | typeof LEAST_SUM | typeof FEWEST_PAIRS;

interface Filtering {
  filter: Filter;
  search: Search;
  isOptimal?: boolean;
}

const LEAST_SUM = -1;
const FEWEST_PAIRS = -2;
/** What is tried where files are deflated optimally. */
const FILTERS: readonly Filter[] = [0, 1, 2, 3, 4, LEAST_SUM, FEWEST_PAIRS];
/** Part of the bytes of rows above which there are hardly any matches to choose from. */
const MAX_OPTIMAL_SHARE = 0.6;

/** Of drawings, screenshots and numbers of colours: filters only disturb what is the same as before. */
const UNFILTERED: Filtering = { filter: 0, search: { least: 4, depth: 64, nice: 258 } };
/** Of photographs, whose short matches are no shorter than their bytes. */
const FILTERED: Filtering = { filter: LEAST_SUM, search: { least: 6, depth: 4, nice: 128 } };

/** Of filtered rows that are deflated together. */
const STRIP_BYTES = 512 * 1024;
/** What matches can reach back to. */
const HISTORY_BYTES = 32 * 1024;
/** Rows in the middle of a strip, and how many bytes of them: where filters gain that much of them, the others are not looked at. */
const SAMPLE_ROWS = 4;
const MAX_SAMPLE_BYTES = 16 * 1024;
const CLEAR_GAIN = 0.3;
/** What the loops may read or write behind a block. */
const MARGIN = 64;
const SCRATCH_ROWS = 5;
/** Of a block of deflated data without a gain, per strip. */
const DEFLATE_OVERHEAD = 1 / 256;
const MIN_OVERHEAD_BYTES = 2048;
/** A window of 32 kB (RFC 1950, section 2.2). */
const ZLIB_HEADER = Uint8Array.of(0x78, 0x9c);

/** Samples of a pixel, by colour type. */
const SAMPLES_OF: Readonly<Record<PngLayout['colourType'], number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** The kernels are busy until the end. */
export class PngEncoder {
  readonly #kernels: Kernels;
  readonly #size: PngSize;
  readonly #format: PixelFormat;
  readonly #layout: PngLayout;
  readonly #rowBytes: number;
  /** Of the pixels that come. */
  readonly #rawRowBytes: number;
  readonly #pixelBytes: number;
  readonly #stripRows: number;
  readonly #isPlain: boolean;
  readonly #raw: Address;
  /** The row before the strip, and its own. */
  readonly #rows: Address;
  /** What the layout is made with: places of bytes, or numbers by colour. */
  readonly #table: Address;
  readonly #numbers: Address;
  readonly #scratch: Address;
  readonly #window: Address;
  readonly #deflating: Address;
  /** Of optimal deflating, where the file is small enough for it. */
  readonly #optimizing: Address | undefined;
  readonly #estimating: Address;
  readonly #to: Address;
  #received = 0;
  #done = 0;
  #sum = 1;
  #isStarted = false;
  readonly #data: Uint8Array[] = [];

  constructor(
    kernels: Kernels,
    size: PngSize,
    format: PixelFormat,
    layout: PngLayout,
    maxOptimalBytes = DEFAULT_OPTIMAL_BYTES,
  ) {
    const { width, height } = size;
    const bits = SAMPLES_OF[layout.colourType] * layout.depth;
    this.#kernels = kernels;
    this.#size = size;
    this.#format = format;
    this.#layout = layout;
    this.#rowBytes = Math.ceil((width * bits) / 8);
    this.#rawRowBytes = width * pixelBytesOf(format);
    this.#pixelBytes = Math.max(1, bits / 8);
    this.#stripRows = Math.min(height, Math.max(1, Math.floor(STRIP_BYTES / this.#rowBytes)));
    const { rows } = layout;
    this.#isPlain = 'picked' in rows && isWhole(rows.picked, pixelBytesOf(format));
    const filteredBytes = this.#stripRows * (this.#rowBytes + 1);
    this.#rows = kernels.reserve((this.#stripRows + 1) * this.#rowBytes + MARGIN);
    this.#raw = this.#isPlain
      ? this.#rows + this.#rowBytes
      : kernels.reserve(this.#stripRows * this.#rawRowBytes + MARGIN);
    this.#table = kernels.place('picked' in rows ? Uint8Array.from(rows.picked) : rows.numbers);
    this.#numbers = layout.depth < 8 ? kernels.reserve(this.#stripRows * width + MARGIN) : 0;
    this.#scratch = kernels.reserve(SCRATCH_ROWS * (this.#rowBytes + 16) + MARGIN);
    this.#window = kernels.reserve(HISTORY_BYTES + filteredBytes + MARGIN);
    this.#deflating = kernels.reserve(kernels.areas.deflate);
    const isSmall = height * (this.#rowBytes + 1) <= maxOptimalBytes;
    this.#optimizing = isSmall ? kernels.reserve(kernels.areas.optimal) : undefined;
    this.#estimating = kernels.reserve(kernels.areas.estimate);
    this.#to = kernels.reserve(filteredBytes * (1 + DEFLATE_OVERHEAD) + MIN_OVERHEAD_BYTES);
  }

  /** @param data any number of bytes that follow those before */
  push(data: Uint8Array): void {
    const stripBytes = this.#stripRows * this.#rawRowBytes;
    const total = this.#size.height * this.#rawRowBytes;
    for (let from = 0; from < data.length; ) {
      const filled = this.#received % stripBytes;
      const part = data.subarray(from, from + stripBytes - filled);
      this.#kernels.bytes(this.#raw + filled, part.length).set(part);
      this.#received += part.length;
      from += part.length;
      if (filled + part.length === stripBytes || this.#received === total)
        this.#encode((filled + part.length) / this.#rawRowBytes);
    }
  }

  /** To be called when all pixels have come. */
  finish(): Uint8Array {
    if (this.#done !== this.#size.height)
      throw new RangeError(`Expected ${this.#size.height} rows but received ${this.#done}.`);
    const { palette, transparency } = this.#layout;
    return concat([
      bytesOf(SIGNATURE),
      chunk('IHDR', this.#header()),
      ...(palette ? [chunk('PLTE', palette)] : []),
      ...(transparency ? [chunk('tRNS', transparency)] : []),
      ...this.#data.map((part) => chunk('IDAT', part)),
      chunk('IEND', new Uint8Array(0)),
    ]);
  }

  #header(): Uint8Array {
    const { colourType, depth } = this.#layout;
    return concat([uint32(this.#size.width), uint32(this.#size.height), Uint8Array.of(depth, colourType, 0, 0, 0)]);
  }

  #encode(count: number): void {
    const { run } = this.#kernels;
    const from = this.#window + HISTORY_BYTES;
    const rows = this.#rows + this.#rowBytes;
    this.#layOut(count);
    const filtering = this.#filteringOf(count);
    const { filter } = filtering;
    this.#filter(from, rows, count, this.#done > 0 ? this.#rows : 0, filter);
    if (!this.#isStarted) run.startDeflate(this.#deflating, from);
    if (!this.#isStarted && this.#optimizing) run.startOptimal(this.#optimizing);
    const bytes = count * (this.#rowBytes + 1);
    this.#sum = run.adler32(this.#sum, from, bytes);
    const isFirst = !this.#isStarted;
    this.#isStarted = true;
    this.#done += count;
    const isLast = this.#done === this.#size.height;
    let end = this.#deflate(from, from + bytes, filtering, isLast);
    if (isLast) end = run.finishDeflate();
    this.#data.push(
      concat([
        ...(isFirst ? [ZLIB_HEADER] : []),
        this.#kernels.bytes(this.#to, end - this.#to),
        ...(isLast ? [uint32(this.#sum >>> 0)] : []),
      ]),
    );
    if (isLast) return;
    this.#kernels.bytes(this.#window, HISTORY_BYTES + bytes).copyWithin(0, bytes);
    run.moveDeflated(bytes);
    this.#kernels.bytes(this.#rows, (count + 1) * this.#rowBytes).copyWithin(0, count * this.#rowBytes);
  }

  #deflate(from: Address, end: Address, { search, isOptimal = false }: Filtering, isLast: boolean): Address {
    const { run } = this.#kernels;
    const last = Number(isLast);
    if (isOptimal) return run.deflateOptimally(from, end, this.#to, OPTIMAL.nice, OPTIMAL.depth, OPTIMAL.passes, last);
    return run.deflate(from, end, this.#to, search.least, search.nice, search.depth, last);
  }

  #layOut(count: number): void {
    if (this.#isPlain) return;
    const { run } = this.#kernels;
    const { width } = this.#size;
    const { rows, depth } = this.#layout;
    const to = this.#rows + this.#rowBytes;
    if ('picked' in rows) {
      const stride = pixelBytesOf(this.#format);
      run.pickBytes(to, this.#raw, count * width, stride, this.#table, rows.picked.length);
      return;
    }
    const numbers = depth < 8 ? this.#numbers : to;
    const { bands } = this.#format;
    const sampleBytes = sampleBytesOf(this.#format);
    run.numberColours(numbers, this.#raw, count * width, bands, sampleBytes, rows.facts, this.#table);
    if (depth < 8) run.packRows(to, numbers, width, count, depth);
  }

  #filter(to: Address, rows: Address, count: number, before: Address, filter: Filter): void {
    const { run } = this.#kernels;
    run.filterRows(to, rows, count, this.#rowBytes, this.#pixelBytes, before, filter, this.#scratch);
  }

  /** What suits the rows of a strip. */
  #filteringOf(count: number): Filtering {
    if (this.#optimizing) return this.#optimalFilteringOf(count);
    if (this.#layout.depth < 8) return UNFILTERED;
    const rows = Math.max(1, Math.min(SAMPLE_ROWS, Math.floor(MAX_SAMPLE_BYTES / this.#rowBytes)));
    const first = Math.max(0, (count - rows) >> 1);
    if (this.#gain(first, Math.min(rows, count)) > CLEAR_GAIN) return FILTERED;
    return this.#gain(0, count) > 0 ? FILTERED : UNFILTERED;
  }

  #optimalFilteringOf(count: number): Filtering {
    const estimates = FILTERS.map((filter) => ({ filter, bytes: this.#estimate(0, count, filter) }));
    const { filter, bytes } = estimates.reduce((least, each) => (each.bytes < least.bytes ? each : least));
    const isOptimal = bytes < count * this.#rowBytes * MAX_OPTIMAL_SHARE;
    return { filter, search: filter === 0 ? UNFILTERED.search : FILTERED.search, isOptimal };
  }

  /** The part of the bytes that filters save, about, of some rows of the strip. */
  #gain(first: number, count: number): number {
    return 1 - this.#estimate(first, count, FILTERED.filter) / this.#estimate(first, count, UNFILTERED.filter);
  }

  #estimate(first: number, count: number, filter: Filter): number {
    const { run } = this.#kernels;
    const row = this.#rows + (first + 1) * this.#rowBytes;
    const before = first + this.#done > 0 ? row - this.#rowBytes : 0;
    this.#filter(this.#to, row, count, before, filter);
    return run.estimateDeflated(this.#to, this.#to + count * (this.#rowBytes + 1), this.#estimating);
  }
}

const isWhole = (picked: readonly number[], pixelBytes: number): boolean =>
  picked.length === pixelBytes && picked.every((place, index) => place === index);
