/** A JPEG file of the coefficients that the codec holds. */
import { concat, uint16 } from '../metadata/bytes.ts';
import { MARKER } from '../metadata/jpeg-segments.ts';
import { type JpegCodec, OK } from './codec.ts';
import { chooseScript, type Effort, type Scan } from './scan-script.ts';

/** Of an interleaved MCU (ITU-T T.81, B.2.3). */
const MAX_MCU_BLOCKS = 10;
const BLOCK = 64;
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

interface Component {
  identifier: number;
  /** Across << 4 | down. */
  sampling: number;
  table: number;
  quantization: Uint16Array;
}

/**
 * Writes the coefficients that were read or encoded last, with Huffman tables that suit them.
 * @param descriptive segments of application data and comments
 * @returns undefined where there is no memory for it, or tables of one number differ
 */
export function writeJpeg(
  codec: JpegCodec,
  descriptive: readonly Uint8Array[],
  effort: Effort,
): Uint8Array | undefined {
  if (codec.run.prepareScans(effort === 'sequential' ? 0 : 1) !== OK) return undefined;
  const components = componentsOf(codec);
  const tables = tablesOf(components);
  if (!tables) return undefined;
  const blocks = components.reduce((sum, { sampling }) => sum + (sampling >> 4) * (sampling & 15), 0);
  const script = chooseScript(
    {
      components: components.length,
      canInterleave: components.length === 1 || blocks <= MAX_MCU_BLOCKS,
      effort,
    },
    (scan) => costOf(codec, scan),
  );
  const parts = [Uint8Array.of(0xff, MARKER.soi), ...descriptive, ...quantizationSegments(codec, tables)];
  parts.push(frameSegment(codec, components, tables, script));
  for (const scan of script) {
    const data = writeScan(codec, components, scan);
    if (!data) return undefined;
    parts.push(...data);
  }
  parts.push(Uint8Array.of(0xff, MARKER.eoi));
  return concat(parts);
}

function componentsOf(codec: JpegCodec): Component[] {
  const { run } = codec;
  return Array.from({ length: run.countOfComponents() }, (_, index) => ({
    identifier: run.identifierOf(index),
    sampling: run.samplingOf(index),
    table: run.tableNumberOf(index),
    quantization: new Uint16Array(codec.bytes(run.quantizationOf(index), BLOCK * 2).slice().buffer),
  }));
}

/** The quantization tables by their numbers; undefined where a number stands for several. */
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

export function segment(marker: number, payload: readonly number[]): Uint8Array {
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
  [first]: readonly Scan[],
): Uint8Array {
  const plain = [...tables.values()].some(isLong) ? EXTENDED : SEQUENTIAL;
  return segment(first?.isSequential ? plain : PROGRESSIVE, [
    8,
    ...uint16(run.imageHeight()),
    ...uint16(run.imageWidth()),
    components.length,
    ...components.flatMap(({ identifier, sampling, table }) => [identifier, sampling, table]),
  ]);
}

function costOf({ run }: JpegCodec, { mask, isSequential, first, last, high, low }: Scan): number {
  const components = [0, 1, 2, 3].filter((index) => mask & (1 << index)).length;
  const data = run.countScan(mask, isSequential ? 1 : 0, first, last, high, low);
  return data + SCAN_HEADER_BITS + components * SCAN_COMPONENT_BITS;
}

/** Tables, header and data of a scan; undefined where there is no memory for them. */
function writeScan(codec: JpegCodec, components: readonly Component[], scan: Scan): Uint8Array[] | undefined {
  const { run } = codec;
  const { mask, isSequential, first, last, high, low } = scan;
  const bits = run.countScan(mask, isSequential ? 1 : 0, first, last, high, low);
  // Each byte may be followed by one of stuffing.
  const out = codec.reserve(Math.ceil(bits / 8) * 2);
  if (out === undefined) return undefined;
  const parts: Uint8Array[] = [];
  for (let table = 0; table < TABLES; table++) {
    const bytes = run.tableBytes(table);
    if (bytes === 0) continue;
    const isAc = table >= TABLES / 2;
    parts.push(segment(DHT, [(isAc ? 16 : 0) | (table & 1), ...codec.bytes(run.tableAt(table), bytes)]));
  }
  const own = components.flatMap(({ identifier }, index) => {
    if ((mask & (1 << index)) === 0) return [];
    // The first component has tables of its own; those of a band are always the first.
    const number = index === 0 || first > 0 ? 0 : 1;
    const isAcUsed = isSequential || first > 0;
    const isDcUsed = first === 0;
    return [identifier, (isDcUsed ? number << 4 : 0) | (isAcUsed ? number : 0)];
  });
  parts.push(segment(MARKER.sos, [own.length / 2, ...own, first, last, (high << 4) | low]));
  const end = run.writeScan(out, mask, isSequential ? 1 : 0);
  parts.push(codec.bytes(out, end - out).slice());
  return parts;
}
