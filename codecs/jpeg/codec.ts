/** The JPEG codec of assembly/, and the memory that it works on. */
import { trackMemory } from '../memory.ts';
import type { Modules } from '../modules.ts';

/** An address in the memory, in bytes. */
export type Address = number;

/** Documented in assembly/. */
export interface JpegFunctions {
  close(): void;
  reserve(bytes: number): Address;
  open(data: Address, bytes: number): number;
  imageWidth(): number;
  imageHeight(): number;
  countOfComponents(): number;
  colourModel(): number;
  identifierOf(index: number): number;
  samplingOf(index: number): number;
  tableNumberOf(index: number): number;
  quantizationOf(index: number): Address;
  naturalOrder(): Address;
  isTruncated(): number;
  startRows(eighths: number, matrices: Address, maxScans: number, reach: number, forResizing: number): number;
  wantRegion(left: number, top: number, width: number): void;
  rowWidth(): number;
  rowCount(): number;
  sideOf(index: number): number;
  unpaddedWidthOf(index: number): number;
  unpaddedHeightOf(index: number): number;
  resizeComponent(
    index: number,
    columnStarts: Address,
    columnWeights: Address,
    columnTaps: number,
    rowStarts: Address,
    rowWeights: Address,
    rowTaps: number,
  ): void;
  startResizing(columns: number): number;
  readResized(out: Address, pitch: number, count: number): void;
  readRows(out: Address, pitch: number, count: number): void;
  startChroma(width: number): number;
  countLost(pixels: Address, width: number, levels: number): number;
  startEncoding(
    width: number,
    height: number,
    components: number,
    across: number,
    down: number,
    tables: Address,
    scales: Address,
    trellis: number,
    rows: number,
  ): number;
  encodeRows(pixels: Address, pitch: number, count: number): number;
  countOfRowsHeld(): number;
  nextRows(): void;
  readCoefficients(maxScans: number): number;
  statusOfScans(): number;
  turnCoefficients(
    left: number,
    top: number,
    width: number,
    height: number,
    transposes: number,
    mirrorsAcross: number,
    mirrorsDown: number,
  ): number;
  requantize(tables: Address): number;
  storeCoefficients(): number;
  countScan(
    mask: number,
    isSequential: number,
    first: number,
    last: number,
    high: number,
    low: number,
    step: number,
  ): number;
  tableAt(table: number): Address;
  tableBytes(table: number): number;
  writeScan(out: Address, mask: number, isSequential: number): Address;
  startRowsOfScan(): void;
  writeRowOfScan(out: Address, row: number): Address;
  finishRowsOfScan(out: Address): Address;
}

/** What functions of the codec answer: `OK` and `SCAN` of assembly/frame.ts; everything else says that they cannot. */
export const OK = 0;
export const SCAN = 1;

/** Behind a file, and behind the last of several rows, the codec writes up to this far, in bytes. */
const BEYOND = 64;

export class JpegCodec {
  readonly run: JpegFunctions;
  readonly #memory: WebAssembly.Memory;

  /** @param imports none but for a module that checks its addresses */
  constructor(module: WebAssembly.Module, imports: WebAssembly.Imports = {}) {
    const { exports } = new WebAssembly.Instance(module, imports);
    trackMemory({}, { exports });
    this.run = exports as unknown as JpegFunctions;
    this.#memory = exports.memory as WebAssembly.Memory;
  }

  /** Of the memory, which never shrinks. */
  get memoryBytes(): number {
    return this.#memory.buffer.byteLength;
  }

  /** A block with anything in it; undefined where the memory cannot grow that far. */
  reserve(bytes: number): Address | undefined {
    // Addresses come as signed numbers.
    return this.run.reserve(bytes + BEYOND) >>> 0 || undefined;
  }

  /** A block with a copy. */
  place(data: Uint8Array): Address | undefined {
    const at = this.reserve(data.length);
    if (at !== undefined) this.bytes(at, data.length).set(data);
    return at;
  }

  /** A view, which is good until the memory grows. */
  bytes(at: Address, count: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#memory.buffer as ArrayBuffer, at, count);
  }

  /** Reads the headers of a file. @returns whether the codec decodes it */
  open(file: Uint8Array): boolean {
    this.run.close();
    const at = this.place(file);
    return at !== undefined && this.run.open(at, file.length) === SCAN;
  }
}

/** Memory that an idle thread keeps for its next file, in bytes. */
const MAX_KEPT_BYTES = 32 * 2 ** 20;

let idle: JpegCodec | undefined;

/** Runs `work` with the codec of this thread, which does one file at a time. */
export function withJpegCodec<T>({ jpeg }: Pick<Modules, 'jpeg'>, work: (codec: JpegCodec) => T): T {
  const codec = idle ?? new JpegCodec(jpeg);
  idle = undefined;
  const result = work(codec);
  if (codec.memoryBytes <= MAX_KEPT_BYTES) idle = codec;
  return result;
}
