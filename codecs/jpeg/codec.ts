/** The JPEG codec of assembly/ and its memory. */
import { type Address, CodecModule, IdleCodec } from '../codec-module.ts';
import type { Modules } from '../modules.ts';

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

/** Results of the codec's functions: `OK` and `SCAN` of assembly/frame.ts. Any other value is an error. */
export const OK = 0;
export const SCAN = 1;

export class JpegCodec extends CodecModule<JpegFunctions> {
  /**
   * Reads the headers of a file.
   * @returns whether the codec can decode it
   */
  open(file: Uint8Array): boolean {
    this.run.close();
    const at = this.place(file);
    return at !== undefined && this.run.open(at, file.length) === SCAN;
  }
}

const idle = new IdleCodec((module) => new JpegCodec(module));

/** Runs `work` with the codec of this thread, which processes one file at a time. */
export const withJpegCodec = <T>({ jpeg }: Pick<Modules, 'jpeg'>, work: (codec: JpegCodec) => T): T =>
  idle.lend(jpeg, work);
