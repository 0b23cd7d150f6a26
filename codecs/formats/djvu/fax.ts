/** The Smmr chunk: a mask coded by ITU-T T.6, as in fax machines, behind its own header. */
import type { Size } from '../../../base/geometry.ts';
import { ByteWriter } from '../../byte-writer.ts';
import { viewOf } from '../../metadata/bytes.ts';

export interface FaxStrips extends Size {
  /** Whether the white of the fax coding is black. */
  inverted: boolean;
  /** Rows of each strip but the last. */
  rows: number;
  strips: Uint8Array[];
}

const MAGIC = 0x4d4d5200;
const INVERTED = 1;
const IN_STRIPS = 2;
const HEADER = 8;
const STRIP_HEADER = 4;

/** Reads the header; undefined when it is invalid. */
export function readFaxHeader(data: Uint8Array): FaxStrips | undefined {
  if (data.length < HEADER + 2) return undefined;
  const view = viewOf(data);
  const flags = view.getUint32(0) - MAGIC;
  const [width, height] = [view.getUint16(4), view.getUint16(6)];
  if (flags < 0 || flags > (INVERTED | IN_STRIPS) || width === 0 || height === 0) return undefined;
  const fax = { width, height, inverted: (flags & INVERTED) !== 0 };
  if ((flags & IN_STRIPS) === 0) return { ...fax, rows: height, strips: [data.subarray(HEADER)] };

  const rows = view.getUint16(HEADER);
  if (rows === 0) return undefined;
  const strips: Uint8Array[] = [];
  let at = HEADER + 2;
  while (strips.length < Math.ceil(height / rows) && at + STRIP_HEADER <= data.length) {
    const start = at + STRIP_HEADER;
    at = start + view.getUint32(at);
    strips.push(data.subarray(start, at));
  }
  return strips.some(({ length }) => length > 0) ? { ...fax, rows, strips } : undefined;
}

const SHORT = 3;
const LONG = 4;
const ENTRY_BYTES = 12;
const DIRECTORY_AT = 8;

/** Wraps the strips in a TIFF file (TIFF 6.0, sections 2 and 11). */
export function wrapFax({ width, height, rows, strips }: FaxStrips): Uint8Array {
  const count = strips.length;
  const entries = 8;
  const tablesAt = DIRECTORY_AT + 2 + entries * ENTRY_BYTES + 4;
  const dataAt = tablesAt + count * 8;
  let end = dataAt;
  const offsets = strips.map((strip) => {
    end += strip.length;
    return end - strip.length;
  });
  const sizes = strips.map((strip) => strip.length);
  // A single value is stored in its entry.
  const [firstOffset, firstSize] = count === 1 ? [dataAt, sizes[0]!] : [tablesAt, tablesAt + count * 4];

  const file = new ByteWriter().text('MM').u16(42).u32(DIRECTORY_AT).u16(entries);
  const short = (tag: number, value: number) => file.u16(tag, SHORT).u32(1).u16(value, 0);
  const long = (tag: number, values: number, value: number) => file.u16(tag, LONG).u32(values, value);
  short(256, width);
  short(257, height);
  short(258, 1); // BitsPerSample
  short(259, 4); // Compression: T.6
  short(262, 0); // PhotometricInterpretation: WhiteIsZero
  long(273, count, firstOffset);
  short(278, rows);
  long(279, count, firstSize);
  return file
    .u32(0)
    .u32(...offsets)
    .u32(...sizes)
    .bytes(...strips)
    .finish();
}
