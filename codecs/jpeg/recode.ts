/** Re-coding of JPEG files without loss: every coefficient kept, in fewer bytes. */
import { Failure } from '../../base/failure.ts';
import { coefficientBytes, DEFAULT_MAX_JPEG_SCANS } from '../jpeg-scans.ts';
import { concat, startsWith, uint16 } from '../metadata/bytes.ts';
import { isDescriptive, MARKER, segmentsOf } from '../metadata/jpeg-segments.ts';
import { type JpegCodec, OK } from './codec.ts';
import { chooseScript, type Scan } from './scan-script.ts';

/** Above it a file is kept as it is: what the codec holds of it comes on top of the decoded picture. In bytes. */
const MAX_COEFFICIENT_BYTES = 128 * 2 ** 20;
/** Up to this size several scripts of scans are affordable. */
const MAX_THOROUGH_PIXELS = 2_000_000;
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
 * The same picture with optimised Huffman tables, sequential or progressive, whichever is smaller; its metadata stay.
 * @returns undefined where that is no smaller, or cannot be done: another coding, a damaged file, further images behind the first
 */
export function recodeJpeg(codec: JpegCodec, file: Uint8Array): Uint8Array | undefined {
  const descriptive = descriptiveSegments(file);
  if (!descriptive) return undefined;
  const recoded = written(codec, file, descriptive);
  return recoded && recoded.length < file.length ? recoded : undefined;
}

/** Application data and comments as they stand; undefined where offsets lead out of them, or something follows the image. */
function descriptiveSegments(file: Uint8Array): Uint8Array[] | undefined {
  const found: Uint8Array[] = [];
  let end = 2;
  try {
    for (const segment of segmentsOf(file)) {
      end = segment.end;
      if (!isDescriptive(segment.marker)) continue;
      if (segment.marker === MARKER.app2 && startsWith(segment.payload, 'MPF\0')) return undefined;
      found.push(file.subarray(segment.start, segment.end));
    }
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
  // Cameras and servers fill files up with zeros.
  return file.subarray(end + 2).some((byte) => byte !== 0) ? undefined : found;
}

function written(codec: JpegCodec, file: Uint8Array, descriptive: readonly Uint8Array[]): Uint8Array | undefined {
  const { run } = codec;
  if (!codec.open(file)) return undefined;
  const pixels = run.imageWidth() * run.imageHeight();
  if (coefficientBytes(pixels, run.countOfComponents()) > MAX_COEFFICIENT_BYTES) return undefined;
  if (run.readCoefficients(DEFAULT_MAX_JPEG_SCANS) !== OK || run.statusOfScans() !== OK || run.isTruncated() !== 0)
    return undefined;
  if (run.prepareScans() !== OK) return undefined;
  const components = componentsOf(codec);
  const tables = tablesOf(components);
  if (!tables) return undefined;
  const blocks = components.reduce((sum, { sampling }) => sum + (sampling >> 4) * (sampling & 15), 0);
  const script = chooseScript(
    {
      components: components.length,
      canInterleave: components.length === 1 || blocks <= MAX_MCU_BLOCKS,
      thorough: pixels <= MAX_THOROUGH_PIXELS,
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
