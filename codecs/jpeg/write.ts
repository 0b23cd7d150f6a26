/** Writes JPEG files from the coefficients that the codec keeps. */

import type { Address } from '../codec-module.ts';
import { concat, uint16 } from '../metadata/bytes.ts';
import { MARKER } from '../metadata/jpeg-segments.ts';
import type { JpegCodec } from './codec.ts';
import { chooseScript, type Effort, type Scan, WHOLE } from './scan-script.ts';

/** Largest number of blocks of an interleaved MCU (ITU-T T.81, B.2.3). */
const MAX_MCU_BLOCKS = 10;
const BLOCK = 64;
const BLOCK_SIDE = 8;
/** 64 coefficients with 16 bits of code and 11 of value each, and as many bytes of stuffing. */
const MAX_BLOCK_BYTES = 2 * BLOCK * 4;
const TABLES = 4;
const DQT = 0xdb;
const DHT = 0xc4;
const SEQUENTIAL = 0xc0;
/** For tables of 16 bits. */
const EXTENDED = 0xc1;
const PROGRESSIVE = 0xc2;
/** Marker, length, counts and parameters of a scan header without its components, in bits. */
const SCAN_HEADER_BITS = 8 * 8;
const SCAN_COMPONENT_BITS = 2 * 8;
const END = Uint8Array.of(0xff, MARKER.eoi);
const APP0 = 0xe0;
/** "JFIF", version 1.1, an aspect ratio of 1:1 and no thumbnail. */
export const JFIF = segment(APP0, [0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0]);

interface Component {
  identifier: number;
  /** Across << 4 | down. */
  sampling: number;
  table: number;
  quantization: Uint16Array;
}

/**
 * Writes the coefficients that were stored last, with Huffman tables made for them.
 * @param descriptive segments of application data and comments
 * @returns undefined if there is not enough memory, tables of one number differ, or values are too large for the coding
 */
export function writeJpeg(
  codec: JpegCodec,
  descriptive: readonly Uint8Array[],
  effort: Effort,
): Uint8Array<ArrayBuffer> | undefined {
  const components = componentsOf(codec);
  const tables = tablesOf(components);
  if (!tables) return undefined;
  const blocks = blocksOf(components);
  const script = chooseScript(
    {
      components: components.length,
      canInterleave: components.length === 1 || blocks <= MAX_MCU_BLOCKS,
      effort,
    },
    (scan) => costOf(codec, scan, effort === 'exact' ? 1 : sampleStep(codec)),
  );
  const parts: (Uint8Array | Written)[] = headOf(
    codec,
    descriptive,
    components,
    tables,
    script[0]?.isSequential ?? true,
  );
  for (const scan of script) {
    const data = writeScan(codec, components, scan);
    if (!data) return undefined;
    parts.push(...data);
  }
  parts.push(END);
  return concat(parts.map((part) => (part instanceof Uint8Array ? part : codec.bytes(part.at, part.length))));
}

/** Bytes in the memory of the codec. */
interface Written {
  at: Address;
  length: number;
}

/** Returns the blocks per MCU of all components. */
function blocksOf(components: readonly Component[]): number {
  return components.reduce((sum, { sampling }) => sum + (sampling >> 4) * (sampling & 15), 0);
}

/** Returns everything before the first scan. */
function headOf(
  codec: JpegCodec,
  descriptive: readonly Uint8Array[],
  components: readonly Component[],
  tables: ReadonlyMap<number, Uint16Array>,
  isSequential: boolean,
): Uint8Array[] {
  return [
    Uint8Array.of(0xff, MARKER.soi),
    ...descriptive,
    ...quantizationSegments(codec, tables),
    frameSegment(codec, components, tables, isSequential),
  ];
}

/**
 * Writes an image whose coefficients are not all kept at the same time, in sequential coding. The Huffman tables are
 * made for its first rows, and have codes for everything.
 */
export class RowWriter {
  readonly #codec: JpegCodec;
  readonly #descriptive: readonly Uint8Array[];
  /** Memory for the data of a row of MCUs. */
  readonly #out: Address;
  #parts: Uint8Array[] | undefined;

  /** @returns undefined if there is not enough memory */
  static start(codec: JpegCodec, descriptive: readonly Uint8Array[]): RowWriter | undefined {
    const { run } = codec;
    const components = componentsOf(codec);
    const [{ sampling }] = components as [Component];
    const mcus = Math.ceil(run.imageWidth() / (BLOCK_SIDE * (sampling >> 4)));
    const out = codec.reserve(mcus * blocksOf(components) * MAX_BLOCK_BYTES);
    return out === undefined ? undefined : new RowWriter(codec, descriptive, out);
  }

  private constructor(codec: JpegCodec, descriptive: readonly Uint8Array[], out: Address) {
    this.#codec = codec;
    this.#descriptive = descriptive;
    this.#out = out;
  }

  /** Writes the kept rows, which are new ones at each call. */
  write(): void {
    const { run } = this.#codec;
    this.#parts ??= this.#begin();
    for (let row = 0; row < run.countOfRowsHeld(); row++) this.#append(run.writeRowOfScan(this.#out, row));
  }

  #begin(): Uint8Array[] {
    const components = componentsOf(this.#codec);
    const tables = tablesOf(components) as Map<number, Uint16Array>;
    this.#codec.run.startRowsOfScan();
    return [
      ...headOf(this.#codec, this.#descriptive, components, tables, true),
      ...tableSegments(this.#codec),
      scanSegment(components, { ...WHOLE, mask: 2 ** components.length - 1 }),
    ];
  }

  /** Returns the file. */
  finish(): Uint8Array {
    this.#append(this.#codec.run.finishRowsOfScan(this.#out));
    return concat([...(this.#parts ?? []), END]);
  }

  #append(end: Address): void {
    // WebAssembly returns addresses as signed numbers.
    this.#parts?.push(this.#codec.bytes(this.#out, (end >>> 0) - this.#out).slice());
  }
}

function componentsOf(codec: JpegCodec): Component[] {
  const { run } = codec;
  return Array.from({ length: run.countOfComponents() }, (_, index) => ({
    identifier: run.identifierOf(index),
    sampling: run.samplingOf(index),
    table: run.tableNumberOf(index),
    quantization: stepsOf(codec, index),
  }));
}

/** Returns the quantization table of a component, in natural order. */
export function stepsOf(codec: JpegCodec, index: number): Uint16Array {
  return new Uint16Array(codec.bytes(codec.run.quantizationOf(index), BLOCK * 2).slice().buffer);
}

/** Returns the quantization tables by number. Undefined if different tables have the same number. */
function tablesOf(components: readonly Component[]): Map<number, Uint16Array> | undefined {
  const tables = new Map<number, Uint16Array>();
  for (const { table, quantization } of components) {
    const other = tables.get(table) ?? quantization;
    if (quantization.some((value, index) => value !== other[index])) return undefined;
    tables.set(table, quantization);
  }
  return tables;
}

const isLong = (table: Uint16Array) => table.some((value) => value > 255);

function segment(marker: number, payload: readonly number[]): Uint8Array {
  return Uint8Array.from([0xff, marker, ...uint16(payload.length + 2), ...payload]);
}

function quantizationSegments(codec: JpegCodec, tables: ReadonlyMap<number, Uint16Array>): Uint8Array[] {
  const order = [...codec.bytes(codec.run.naturalOrder(), BLOCK)];
  return [...tables].map(([number, table]) => {
    const long = isLong(table);
    const values = order.map((place) => table[place] as number);
    return segment(DQT, [(long ? 16 : 0) | number, ...(long ? values.flatMap((value) => [...uint16(value)]) : values)]);
  });
}

function frameSegment(
  { run }: JpegCodec,
  components: readonly Component[],
  tables: ReadonlyMap<number, Uint16Array>,
  isSequential: boolean,
): Uint8Array {
  const plain = [...tables.values()].some(isLong) ? EXTENDED : SEQUENTIAL;
  return segment(isSequential ? plain : PROGRESSIVE, [
    8,
    ...uint16(run.imageHeight()),
    ...uint16(run.imageWidth()),
    components.length,
    ...components.flatMap(({ identifier, sampling, table }) => [identifier, sampling, table]),
  ]);
}

/** Scripts of larger images are compared on one of `step` lines of blocks. The first matching entry applies. */
const SAMPLE_STEPS = [
  { above: 500_000, step: 8 },
  { above: 20_000, step: 4 },
] as const;

function sampleStep({ run }: JpegCodec): number {
  const pixels = run.imageWidth() * run.imageHeight();
  return SAMPLE_STEPS.find(({ above }) => pixels > above)?.step ?? 1;
}

function costOf(codec: JpegCodec, scan: Scan, step: number): number {
  const components = [0, 1, 2, 3].filter((index) => scan.mask & (1 << index)).length;
  const data = countScan(codec, scan, step);
  return data + SCAN_HEADER_BITS + components * SCAN_COMPONENT_BITS;
}

function countScan({ run }: JpegCodec, { mask, isSequential, first, last, high, low }: Scan, step = 1): number {
  return run.countScan(mask, isSequential ? 1 : 0, first, last, high, low, step);
}

/**
 * Returns the tables, header and data of a scan. Undefined if there is not enough memory, or if values are too large
 * for the coding.
 */
function writeScan(
  codec: JpegCodec,
  components: readonly Component[],
  scan: Scan,
): (Uint8Array | Written)[] | undefined {
  const { run } = codec;
  const { mask, isSequential } = scan;
  const bits = countScan(codec, scan);
  if (bits === Number.POSITIVE_INFINITY) return undefined;
  // Each byte may be followed by a stuffing byte.
  const out = codec.reserve(Math.ceil(bits / 8) * 2);
  if (out === undefined) return undefined;
  const head = [...tableSegments(codec), scanSegment(components, scan)];
  const end = run.writeScan(out, mask, isSequential ? 1 : 0) >>> 0;
  return [...head, { at: out, length: end - out }];
}

/** Returns the Huffman tables of the scan that was counted last. */
function tableSegments(codec: JpegCodec): Uint8Array[] {
  const { run } = codec;
  return Array.from({ length: TABLES }, (_, table) => table).flatMap((table) => {
    const bytes = run.tableBytes(table);
    if (bytes === 0) return [];
    const isAc = table >= TABLES / 2;
    return [segment(DHT, [(isAc ? 16 : 0) | (table & 1), ...codec.bytes(run.tableAt(table), bytes)])];
  });
}

function scanSegment(
  components: readonly Component[],
  { mask, isSequential, first, last, high, low }: Scan,
): Uint8Array {
  const own = components.flatMap(({ identifier }, index) => {
    if ((mask & (1 << index)) === 0) return [];
    // The first component has its own tables. A band always uses the first ones.
    const number = index === 0 || first > 0 ? 0 : 1;
    const isAcUsed = isSequential || first > 0;
    const isDcUsed = first === 0;
    return [identifier, (isDcUsed ? number << 4 : 0) | (isAcUsed ? number : 0)];
  });
  return segment(MARKER.sos, [own.length / 2, ...own, first, last, (high << 4) | low]);
}
