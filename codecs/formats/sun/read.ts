/**
 * Reads Sun raster files (Sun Microsystems, rasterfile(5); Murray and vanRyper, "Encyclopedia of Graphics File
 * Formats", "Sun Raster").
 */
import type { Bitmap } from '../../bitmap.ts';
import { greyOfBits, indicesOf, type PackedRows, paint, rowsPresent } from '../../legacy/rows.ts';
import { type StillHeader, stillFormat } from '../../legacy/still.ts';
import { Reader } from '../../metadata/bytes.ts';
import { FORMATS } from '../registry.ts';

const HEADER_BYTES = 32;
const MAGIC = 0x59a66a95;
const BYTE_ENCODED = 2;
/** Colours are stored red first; all other types store them blue first. */
const RGB_ORDER = 3;
const RGB_MAP = 1;
/**
 * Introduces a run: the next byte is the number of further repetitions of the byte after it. 0 stands for the escape
 * itself.
 */
const ESCAPE = 0x80;

interface SunHeader extends StillHeader {
  bits: number;
  type: number;
  /** RGB triples; undefined when there is no map. */
  palette: Uint8Array | undefined;
  pixelsAt: number;
}

function readHeader(bytes: Uint8Array): SunHeader | undefined {
  const reader = new Reader(bytes, FORMATS.sun.name);
  const bits = reader.u32(12);
  const mapBytes = reader.u32(28);
  if (reader.u32(0) !== MAGIC || ![1, 4, 8, 24, 32].includes(bits)) return undefined;
  const palette =
    reader.u32(24) === RGB_MAP && mapBytes >= 3 ? readMap(reader.slice(HEADER_BYTES, mapBytes)) : undefined;
  return {
    width: reader.u32(4),
    height: reader.u32(8),
    bits,
    type: reader.u32(20),
    palette,
    pixelsAt: HEADER_BYTES + mapBytes,
  };
}

const MAX_COLOURS = 256;

/** Reads a map of all reds, then all greens, then all blues. */
function readMap(map: Uint8Array): Uint8Array {
  const length = Math.floor(map.length / 3);
  const colours = Math.min(length, MAX_COLOURS);
  const palette = new Uint8Array(MAX_COLOURS * 3);
  for (let colour = 0; colour < colours; colour++) {
    palette[colour * 3] = map[colour]!;
    palette[colour * 3 + 1] = map[length + colour]!;
    palette[colour * 3 + 2] = map[2 * length + colour]!;
  }
  return palette;
}

function readPixels(bytes: Uint8Array, header: SunHeader): Bitmap | undefined {
  const { width, height, bits, type, palette } = header;
  // Rows are padded to 16 bits.
  const stride = Math.ceil((width * bits) / 16) * 2;
  const coded: PackedRows = { bytes, at: header.pixelsAt, stride };
  const rows = type === BYTE_ENCODED ? expand(coded, stride * height) : coded;
  const present = rowsPresent(rows, Math.ceil((width * bits) / 8), height);
  if (present === 0) return undefined;

  const size = { width, height, truncated: present < height };
  if (bits === 1 && !palette) return { ...size, channels: 1, data: greyOfBits(rows, width, height, present, 0) };
  if (bits <= 8) {
    const indices = indicesOf(rows, width, height, present, bits);
    if (palette) return { ...size, channels: 3, data: paint(indices, palette, present * width) };
    return { ...size, channels: 1, data: bits === 8 ? indices : indices.map((level) => level * 17) };
  }
  return { ...size, channels: 3, data: colours(rows, header, present) };
}

function colours({ bytes, at, stride }: PackedRows, { width, height, bits, type }: SunHeader, present: number) {
  const data = new Uint8Array(width * height * 3);
  const step = bits / 8;
  // The first of four bytes is unused.
  const first = step - 3;
  const red = type === RGB_ORDER ? first : first + 2;
  const blue = type === RGB_ORDER ? first + 2 : first;
  for (let y = 0, write = 0; y < present; y++) {
    for (let x = 0, read = at + y * stride; x < width; x++, read += step, write += 3) {
      data[write] = bytes[read + red]!;
      data[write + 1] = bytes[read + first + 1]!;
      data[write + 2] = bytes[read + blue]!;
    }
  }
  return data;
}

/** Expands runs to at most `length` bytes. Runs of some writers continue into the next row. */
function expand({ bytes, at, stride }: PackedRows, length: number): PackedRows {
  const expanded = new Uint8Array(length);
  let write = 0;
  for (let read = at; read < bytes.length && write < length; ) {
    const value = bytes[read++]!;
    if (value !== ESCAPE) {
      expanded[write++] = value;
      continue;
    }
    const count = bytes[read++];
    if (count === undefined) break;
    if (count === 0) {
      expanded[write++] = ESCAPE;
      continue;
    }
    const repeated = bytes[read++];
    if (repeated === undefined) break;
    const end = Math.min(length, write + count + 1);
    expanded.fill(repeated, write, end);
    write = end;
  }
  return { bytes: expanded.subarray(0, write), at: 0, stride };
}

export const still = stillFormat({ readHeader, readPixels });
