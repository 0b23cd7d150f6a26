/**
 * Reads the marker segments of a JPEG file (ITU-T T.81, annex B) for the processes that libvips does not decode:
 * lossless and 12 bits. Also reads JPEG-LS up to its frame header (ITU-T T.87, annex C).
 */
import type { Size } from '../../base/geometry.ts';
import { corruptImage } from '../errors.ts';
import { FORMATS } from '../formats/registry.ts';
import { Reader } from '../metadata/bytes.ts';
import { type HuffmanTable, readHuffmanTable } from './huffman.ts';

export const MARKER = {
  sof0: 0xc0,
  sof1: 0xc1,
  sof2: 0xc2,
  sof3: 0xc3,
  dht: 0xc4,
  rst0: 0xd0,
  rst7: 0xd7,
  soi: 0xd8,
  eoi: 0xd9,
  sos: 0xda,
  dqt: 0xdb,
  dri: 0xdd,
  app0: 0xe0,
  app14: 0xee,
  sof55: 0xf7,
} as const;

const TEM = 0x01;
const FIRST_SOF = 0xc0;
const LAST_SOF = 0xcf;
/** Markers within the range of frame headers that are not frame headers: DHT, JPG, DAC. */
const NOT_SOF: ReadonlySet<number> = new Set([0xc4, 0xc8, 0xcc]);
const BLOCK_SAMPLES = 64;
const MAX_TABLES = 4;
/** Real files have a few dozen, not counting restart markers. */
const MAX_SEGMENTS = 4096;

export interface JpegComponent {
  id: number;
  /** Sampling factors, 1 to 4. */
  horizontal: number;
  vertical: number;
  quantization: number;
}

export interface JpegFrame extends Size {
  /** The marker's low byte, which identifies the process. */
  marker: number;
  precision: number;
  components: JpegComponent[];
  /** What the components of a colour image are, if a marker declares it. */
  colour: 'jfif' | 'adobe rgb' | 'adobe ycc' | undefined;
}

export interface JpegScan {
  components: { index: number; dc: HuffmanTable | undefined; ac: HuffmanTable | undefined }[];
  /** First and last coefficient; in the lossless process the first is the predictor. */
  start: number;
  end: number;
  /** Number of low bits that were left out. */
  low: number;
  restartInterval: number;
  quantization: readonly (Uint16Array | undefined)[];
}

/** @returns the end of the scan's entropy-coded data, at or before the next marker */
export type ScanDecoder = (frame: JpegFrame, scan: JpegScan, at: number) => number;

/**
 * Reads up to the frame header.
 * @param formatName format name for the error message
 * @throws Failure `corrupt_image`
 */
export function readJpegFrame(bytes: Uint8Array, formatName = FORMATS.dicom.name): JpegFrame {
  const frame = walkJpeg(bytes, undefined, formatName);
  if (!frame) throw corruptImage(formatName, 'no JPEG frame header');
  return frame;
}

/**
 * Walks through the segments and passes each scan to `decodeScan`; without it, stops at the frame header.
 * @throws Failure `corrupt_image`
 */
export function walkJpeg(
  bytes: Uint8Array,
  decodeScan?: ScanDecoder,
  formatName = FORMATS.dicom.name,
): JpegFrame | undefined {
  const reader = new Reader(bytes, formatName);
  const quantization: (Uint16Array | undefined)[] = [];
  const tables = { dc: [] as (HuffmanTable | undefined)[], ac: [] as (HuffmanTable | undefined)[] };
  let colour: JpegFrame['colour'];
  let restartInterval = 0;
  let frame: JpegFrame | undefined;

  let segments = 0;
  let at = findMarker(bytes, 0);
  while (at !== undefined) {
    // Limited because a table costs more to build than to send.
    if (++segments > MAX_SEGMENTS) throw corruptImage(formatName, 'too many segments');
    const marker = bytes[at + 1]!;
    at += 2;
    if (marker === MARKER.eoi) break;
    if (marker === MARKER.soi || marker === TEM || (marker >= MARKER.rst0 && marker <= MARKER.rst7)) {
      at = findMarker(bytes, at);
      continue;
    }
    if (at + 2 > bytes.length) break;
    const end = at + reader.u16(at);
    const segment = reader.slice(at, end - at).subarray(2);
    if (marker === MARKER.app0) colour ??= segment[0] === 0x4a && segment[1] === 0x46 ? 'jfif' : undefined;
    else if (marker === MARKER.app14) colour ??= adobeColour(segment);
    else if (marker === MARKER.dqt) readQuantization(segment, quantization);
    else if (marker === MARKER.dht) readHuffmanTables(segment, tables);
    else if (marker === MARKER.dri) restartInterval = new Reader(segment, formatName).u16(0);
    else if (isFrameHeader(marker)) {
      if (frame) throw corruptImage(formatName, 'a second JPEG frame');
      frame = readFrame(marker, segment, colour, formatName);
      if (!decodeScan) return frame;
    } else if (marker === MARKER.sos && frame && decodeScan) {
      const scan = readScan(segment, frame, tables);
      at = findMarker(bytes, decodeScan(frame, { ...scan, restartInterval, quantization }, end));
      continue;
    }
    at = findMarker(bytes, end);
  }
  return frame;
}

/** Returns the next marker that is not a stuffed byte. */
function findMarker(bytes: Uint8Array, from: number): number | undefined {
  for (let at = bytes.indexOf(0xff, from); at >= 0 && at + 1 < bytes.length; at = bytes.indexOf(0xff, at + 1)) {
    if (bytes[at + 1] !== 0 && bytes[at + 1] !== 0xff) return at;
  }
  return undefined;
}

const isFrameHeader = (marker: number): boolean =>
  (marker >= FIRST_SOF && marker <= LAST_SOF && !NOT_SOF.has(marker)) || marker === MARKER.sof55;

function adobeColour(segment: Uint8Array): JpegFrame['colour'] {
  const isAdobe = [0x41, 0x64, 0x6f, 0x62, 0x65].every((byte, index) => segment[index] === byte);
  if (!isAdobe || segment.length < 12) return undefined;
  return segment[11] === 0 ? 'adobe rgb' : 'adobe ycc';
}

function readQuantization(segment: Uint8Array, tables: (Uint16Array | undefined)[]): void {
  const reader = new Reader(segment, FORMATS.dicom.name);
  for (let at = 0; at < segment.length; ) {
    const kind = reader.u8(at++);
    const bytesPerEntry = kind >> 4 === 0 ? 1 : 2;
    const table = new Uint16Array(BLOCK_SAMPLES);
    for (let entry = 0; entry < BLOCK_SAMPLES; entry++, at += bytesPerEntry) {
      table[entry] = bytesPerEntry === 1 ? reader.u8(at) : reader.u16(at);
    }
    tables[kind & (MAX_TABLES - 1)] = table;
  }
}

function readHuffmanTables(segment: Uint8Array, tables: Record<'dc' | 'ac', (HuffmanTable | undefined)[]>): void {
  for (let at = 0; at < segment.length; ) {
    const kind = segment[at++]!;
    const { table, end } = readHuffmanTable(segment, at);
    tables[kind >> 4 === 0 ? 'dc' : 'ac'][kind & (MAX_TABLES - 1)] = table;
    at = end;
  }
}

function readFrame(marker: number, segment: Uint8Array, colour: JpegFrame['colour'], formatName: string): JpegFrame {
  const reader = new Reader(segment, formatName);
  const components = Array.from({ length: reader.u8(5) }, (_, index) => {
    const at = 6 + index * 3;
    const factors = reader.u8(at + 1);
    return {
      id: reader.u8(at),
      horizontal: factors >> 4,
      vertical: factors & 15,
      quantization: reader.u8(at + 2) & (MAX_TABLES - 1),
    };
  });
  const frame = { marker, precision: reader.u8(0), height: reader.u16(1), width: reader.u16(3), components, colour };
  const fits = components.every(({ horizontal, vertical }) => [horizontal, vertical].every((n) => n >= 1 && n <= 4));
  if (!fits || frame.precision < 2 || frame.precision > 16 || frame.width === 0 || frame.height === 0) {
    throw corruptImage(formatName, 'an impossible JPEG frame header');
  }
  return frame;
}

function readScan(
  segment: Uint8Array,
  frame: JpegFrame,
  tables: Record<'dc' | 'ac', (HuffmanTable | undefined)[]>,
): Pick<JpegScan, 'components' | 'start' | 'end' | 'low'> {
  const reader = new Reader(segment, FORMATS.dicom.name);
  const count = reader.u8(0);
  const components = Array.from({ length: count }, (_, position) => {
    const id = reader.u8(1 + position * 2);
    const selected = reader.u8(2 + position * 2);
    const index = frame.components.findIndex((component) => component.id === id);
    return { index, dc: tables.dc[(selected >> 4) & 3], ac: tables.ac[selected & 3] };
  });
  const named = new Set(components.map(({ index }) => index));
  if (count === 0 || named.has(-1) || named.size !== count)
    throw corruptImage(FORMATS.dicom.name, 'an impossible scan');
  const at = 1 + count * 2;
  return { components, start: reader.u8(at), end: reader.u8(at + 1), low: reader.u8(at + 2) & 15 };
}
