/**
 * The loops of assembly/index.ts and the memory that they work on. Inputs are placed there, and outputs are read from
 * there.
 */
import { trackMemory } from '../memory.ts';
import type { Modules } from '../modules.ts';

/** An address in the memory, in bytes. */
export type Address = number;

/** Documented in the files of assembly/. */
interface KernelFunctions {
  startObserving(facts: Address, sampleBytes: number): void;
  observePixels(facts: Address, pixels: Address, count: number, bands: number, sampleBytes: number): number;
  pickBytes(to: Address, pixels: Address, count: number, stride: number, picked: Address, kept: number): void;
  mapColours(
    to: Address,
    pixels: Address,
    count: number,
    bands: number,
    sampleBytes: number,
    facts: Address,
    values: Address,
  ): void;
  packRows(to: Address, samples: Address, width: number, rows: number, bits: number): void;
  filterRows(
    to: Address,
    rows: Address,
    count: number,
    rowBytes: number,
    pixelBytes: number,
    above: Address,
    filter: number,
    scratch: Address,
  ): void;
  adler32(sum: number, bytes: Address, count: number): number;
  estimateDeflated(from: Address, end: Address, area: Address): number;
  startDeflate(area: Address, at: Address): void;
  deflate(
    from: Address,
    end: Address,
    to: Address,
    minMatch: number,
    niceLength: number,
    maxChain: number,
    isLast: number,
  ): Address;
  startOptimal(area: Address): void;
  deflateOptimally(
    from: Address,
    end: Address,
    to: Address,
    niceLength: number,
    maxDepth: number,
    passes: number,
    isLast: number,
  ): Address;
  moveDeflated(by: number): void;
  finishDeflate(): Address;
  blendSamples(
    floats: Address,
    count: number,
    first: Address,
    second: Address,
    third: Address,
    fourth: Address,
    weights: Address,
  ): void;
  blendFloats: KernelFunctions['blendSamples'];
  toFloats(floats: Address, count: number, samples: Address): void;
  blendPixels(
    red: Address,
    green: Address,
    blue: Address,
    count: number,
    line: Address,
    taps: Address,
    weights: Address,
  ): void;
  toPlanes(red: Address, green: Address, blue: Address, count: number, samples: Address): void;
  meansOf(
    means: Address,
    samples: Address,
    pitch: number,
    width: number,
    height: number,
    bands: number,
    colours: number,
  ): void;
  soften(samples: Address, count: number, from: Address, step: number, radius: number, weights: Address): void;
  enlargeRow(
    samples: Address,
    runs: Address,
    count: number,
    weights: Address,
    pitch: number,
    low: number,
    factor: number,
  ): void;
  unmix(
    rgba: Address,
    rgb: Address,
    shares: Address,
    count: number,
    first: Address,
    share: Address,
    next: number,
    foreground: Address,
    background: Address,
    purity: Address,
    trust: number,
  ): void;
  addAlpha(rgba: Address, count: number, rgb: Address): void;
  coverRow(
    samples: Address,
    line: Address,
    bands: number,
    colours: number,
    start: number,
    left: number,
    right: number,
    end: number,
    down: number,
    across: number,
    step: number,
    reach: number,
  ): void;
  startStream(bytes: Address, count: number, table: Address): void;
  placeGroups(start: Address, bytes: number): void;
  decodeSlice(component: Address): number;
  transform(
    component: Address,
    plane: Address,
    width: number,
    height: number,
    across: number,
    places: Address,
    scratch: Address,
    reduction: number,
  ): void;
  roundSamples(samples: Address, from: Address, count: number, doubled: number): void;
  toGrey(grey: Address, from: Address, count: number): void;
  toRgb(rgb: Address, from: Address, blues: Address, reds: Address, count: number): void;
  blendLines(line: Address, first: Address, second: Address, part: number, count: number): void;
  blendAlong(row: Address, line: Address, places: Address, parts: Address, count: number, channels: number): void;
  unfilterRows(rows: Address, filtered: Address, count: number, rowBytes: number, pixelBytes: number): number;
  unpackSamples(samples: Address, packed: Address, count: number, table: Address, perByte: number): void;
  applyPalette(pixels: Address, indices: Address, count: number, palette: Address, bands: number): number;
  addKeyAlpha(
    pixels: Address,
    from: Address,
    count: number,
    pixelBytes: number,
    alphaBytes: number,
    key: Address,
  ): void;
  swapBytes(samples: Address, bytes: number): void;
  widenBounds(
    bounds: Address,
    rows: Address,
    x: number,
    y: number,
    width: number,
    count: number,
    bands: number,
    sampleBytes: number,
    ranges: Address,
    maxClear: number,
  ): void;
  placePixels(row: Address, from: Address, count: number, pixelBytes: number, left: number, across: number): void;
}

/** Bytes of a float, and of an integer. */
export const FLOAT_BYTES = 4;

/** Bytes of a WebAssembly memory page. */
const PAGE_BYTES = 65_536;
/** Alignment of blocks for vectors and floats, in bytes. */
const ALIGNMENT = 16;
/** KernelFunctions go past the end of their data by less than this, in bytes. */
const SLACK_BYTES = 32;

/**
 * The loops of a thread; there is one instance per thread. Each user frees it first, and must finish before the next
 * one starts.
 */
export class Kernels {
  readonly run: KernelFunctions;
  /** Sizes of the blocks that some of the loops need, in bytes. */
  readonly areas: Readonly<Record<'deflate' | 'estimate' | 'optimal' | 'facts' | 'ranges', number>>;
  readonly #memory: WebAssembly.Memory;
  readonly #start: Address;
  #end: Address;

  constructor(module: WebAssembly.Module) {
    const { exports } = new WebAssembly.Instance(module);
    trackMemory({}, { exports });
    this.run = exports as unknown as KernelFunctions;
    const numberOf = (name: string): number => (exports[name] as WebAssembly.Global).value;
    this.areas = {
      deflate: numberOf('deflateBytes'),
      estimate: numberOf('estimateBytes'),
      optimal: numberOf('optimalBytes'),
      facts: numberOf('factsBytes'),
      ranges: numberOf('rangesBytes'),
    };
    this.#memory = exports.memory as WebAssembly.Memory;
    this.#start = numberOf('firstFreeAddress');
    this.#end = this.#start;
  }

  /** Address of the next block. Pass it to `free` later. */
  get end(): Address {
    return this.#end;
  }

  /** Frees all blocks from an address on. */
  free(from: Address = this.#start): void {
    this.#end = from;
  }

  /** Reserves a block with undefined content. If the memory grows, existing views become invalid. */
  reserve(bytes: number): Address {
    const start = this.#end;
    this.#end = Math.ceil((start + bytes + SLACK_BYTES) / ALIGNMENT) * ALIGNMENT;
    const missing = this.#end - this.#memory.buffer.byteLength;
    if (missing > 0) this.#memory.grow(Math.ceil(missing / PAGE_BYTES));
    return start;
  }

  /** Reserves a block and copies `data` into it. */
  place(data: Uint8Array | Uint16Array | Uint32Array | Float32Array | Int32Array): Address {
    const start = this.reserve(data.byteLength);
    this.bytes(start, data.byteLength).set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    return start;
  }

  bytes(start: Address, count: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#memory.buffer as ArrayBuffer, start, count);
  }

  words(start: Address, count: number): Uint32Array<ArrayBuffer> {
    return new Uint32Array(this.#memory.buffer as ArrayBuffer, start, count);
  }

  floats(start: Address, count: number): Float32Array<ArrayBuffer> {
    return new Float32Array(this.#memory.buffer as ArrayBuffer, start, count);
  }
}

let kernels: Kernels | undefined;

/** Returns the instance of this thread. */
export function startKernels(modules: Pick<Modules, 'kernels'>): Kernels {
  kernels ??= new Kernels(modules.kernels);
  return kernels;
}
