/**
 * Image file directories: the tag lists of TIFF 6.0 (section 2), BigTIFF and EXIF (CIPA DC-008), read and written in
 * either byte order.
 */
import { corruptImage } from '../errors.ts';
import { concat, Reader, uint16, uint32, uint64, viewOf } from './bytes.ts';

export const TYPE = {
  byte: 1,
  ascii: 2,
  short: 3,
  long: 4,
  rational: 5,
  signedByte: 6,
  undefined: 7,
  signedShort: 8,
  signedLong: 9,
  signedRational: 10,
  float: 11,
  double: 12,
  ifd: 13,
  long8: 16,
  ifd8: 18,
  /** EXIF 3.0. */
  utf8: 129,
} as const;

/** Bytes of one value, and of the unit that is reversed when the byte order changes, by type. */
const SIZES: Readonly<Record<number, { value: number; unit: number }>> = {
  1: { value: 1, unit: 1 },
  2: { value: 1, unit: 1 },
  3: { value: 2, unit: 2 },
  4: { value: 4, unit: 4 },
  5: { value: 8, unit: 4 },
  6: { value: 1, unit: 1 },
  7: { value: 1, unit: 1 },
  8: { value: 2, unit: 2 },
  9: { value: 4, unit: 4 },
  10: { value: 8, unit: 4 },
  11: { value: 4, unit: 4 },
  12: { value: 8, unit: 8 },
  13: { value: 4, unit: 4 },
  16: { value: 8, unit: 8 },
  17: { value: 8, unit: 8 },
  18: { value: 8, unit: 8 },
  129: { value: 1, unit: 1 },
};

/** How the numbers of a stream are laid out. */
export interface Layout {
  littleEndian: boolean;
  /** BigTIFF: offsets and counts of 64 bits. */
  big: boolean;
}

/**
 * Entries that one stream may hold. Overlapping directories could otherwise cost more memory than the file has bytes.
 */
const MAX_FIELDS = 500_000;
/** Directories without entries take only six bytes each. */
const MAX_DIRECTORIES = 100_000;
/** Limits offsets and lengths: no image has more than four million strips. */
const MAX_NUMBERS = 8_000_000;
/** Pages may share values, but the values read may not add up to many times the size of the file. */
const MAX_SHARING = 4;

export interface TiffStream extends Layout {
  reader: Reader;
  /** How many directories, entries, numbers and bytes of values may still be read. */
  left: { directories: number; fields: number; numbers: number; bytes: number };
  /** Offset of the first directory. */
  first: number;
}

/** One tag of a directory as it is stored in the stream. */
export interface Field {
  tag: number;
  type: number;
  count: number;
  /** Offset of the twelve (BigTIFF: twenty) bytes of the entry. */
  entryAt: number;
  /** Offset of the value, which is in the entry itself when it is short enough. Not yet checked against the end. */
  at: number;
  /** Bytes of the value; 0 when the type is unknown. */
  length: number;
}

export interface Directory {
  at: number;
  fields: Field[];
  /** Where the offset of the next directory is stored. */
  nextAt: number;
  /** Offset of the next directory; 0 after the last. */
  next: number;
}

const CLASSIC_MAGIC = 42;
const BIG_MAGIC = 43;

/** @throws Failure `corrupt_image` */
export function openTiff(bytes: Uint8Array, format: string): TiffStream {
  const order = new Reader(bytes, format).u16(0);
  if (order !== 0x4949 && order !== 0x4d4d) throw corruptImage(format, 'no byte order mark');
  const littleEndian = order === 0x4949;
  const reader = new Reader(bytes, format, littleEndian);
  const magic = reader.u16(2);
  if (magic !== CLASSIC_MAGIC && magic !== BIG_MAGIC) throw corruptImage(format, `magic number ${magic}`);
  const big = magic === BIG_MAGIC;
  if (big && (reader.u16(4) !== 8 || reader.u16(6) !== 0)) throw corruptImage(format, 'offset size');
  return streamAt(reader, big ? reader.u64(8) : reader.u32(4), big);
}

/** Opens a stream whose first directory is known: some cameras put another number where TIFF has its 42. */
export function streamAt(reader: Reader, first: number, big = false): TiffStream {
  return {
    reader,
    left: {
      directories: MAX_DIRECTORIES,
      fields: MAX_FIELDS,
      numbers: MAX_NUMBERS,
      bytes: MAX_SHARING * reader.length,
    },
    littleEndian: reader.littleEndian,
    big,
    first,
  };
}

export function headerOf({ littleEndian, big }: Layout, first: number): Uint8Array {
  const bytes = new Uint8Array(headerSize({ big }));
  const view = viewOf(bytes);
  view.setUint16(0, littleEndian ? 0x4949 : 0x4d4d);
  view.setUint16(2, big ? BIG_MAGIC : CLASSIC_MAGIC, littleEndian);
  if (big) {
    view.setUint16(4, 8, littleEndian);
    view.setBigUint64(8, BigInt(first), littleEndian);
  } else view.setUint32(4, first, littleEndian);
  return bytes;
}

export const headerSize = ({ big }: Pick<Layout, 'big'>): number => (big ? 16 : 8);

/** @throws Failure `corrupt_image` when the directory does not lie inside the stream. */
export function readDirectory(stream: TiffStream, at: number): Directory {
  const { reader, big } = stream;
  const count = big ? reader.u64(at) : reader.u16(at);
  countAgainstLimit(stream, 'directories', 1);
  countAgainstLimit(stream, 'fields', count);
  const entriesAt = at + (big ? 8 : 2);
  const entrySize = big ? 20 : 12;
  reader.slice(entriesAt, count * entrySize);
  const fields = Array.from({ length: count }, (_, index) => readField(reader, entriesAt + index * entrySize, big));
  const nextAt = entriesAt + count * entrySize;
  return { at, fields, nextAt, next: big ? reader.u64(nextAt) : reader.u32(nextAt) };
}

/**
 * Reads the entries that are present of a directory that may be cut short or badly written.
 * @throws Failure `corrupt_image`
 */
export function readEntries(stream: TiffStream, at: number): Pick<Directory, 'fields' | 'next'> {
  const { reader, big } = stream;
  const entriesAt = at + (big ? 8 : 2);
  const entrySize = big ? 20 : 12;
  const declared = big ? reader.u64(at) : reader.u16(at);
  const count = Math.min(declared, Math.max(0, Math.floor((reader.length - entriesAt) / entrySize)));
  countAgainstLimit(stream, 'directories', 1);
  countAgainstLimit(stream, 'fields', count);
  const fields = Array.from({ length: count }, (_, index) => readField(reader, entriesAt + index * entrySize, big));
  const nextAt = entriesAt + declared * entrySize;
  const hasNext = nextAt + (big ? 8 : 4) <= reader.length;
  return { fields, next: hasNext ? (big ? reader.u64(nextAt) : reader.u32(nextAt)) : 0 };
}

/**
 * Counts against the limits. Directories and values may overlap, so the file size does not bound what a hostile file
 * asks for.
 */
function countAgainstLimit({ left, reader }: TiffStream, what: keyof TiffStream['left'], amount: number): void {
  left[what] -= amount;
  if (left[what] < 0) throw corruptImage(reader.format, `too many ${what}`);
}

function readField(reader: Reader, entryAt: number, big: boolean): Field {
  const type = reader.u16(entryAt + 2);
  const count = big ? reader.u64(entryAt + 4) : reader.u32(entryAt + 4);
  const length = (SIZES[type]?.value ?? 0) * count;
  const valueAt = entryAt + (big ? 12 : 8);
  const inline = length <= (big ? 8 : 4);
  const at = inline ? valueAt : big ? reader.u64(valueAt) : reader.u32(valueAt);
  return { tag: reader.u16(entryAt), type, count, entryAt, at, length };
}

/** Reads the directories of a chain in order. A chain that returns to one of its own directories ends there. */
export function readChain(stream: TiffStream, first: number): Directory[] {
  const directories: Directory[] = [];
  const seen = new Set<number>();
  for (let at = first; at !== 0 && !seen.has(at); ) {
    seen.add(at);
    const directory = readDirectory(stream, at);
    directories.push(directory);
    at = directory.next;
  }
  return directories;
}

export const fieldOf = (directory: Directory, tag: number): Field | undefined =>
  directory.fields.find((field) => field.tag === tag);

/** Returns the numbers of an unsigned integer field, or none for any other type. @throws Failure `corrupt_image` */
export function numbersOf(stream: TiffStream, { type, count, at, length }: Field): number[] {
  const { reader } = stream;
  reader.slice(at, length);
  countAgainstLimit(stream, 'numbers', count);
  const all = (size: number, read: (at: number) => number) =>
    Array.from({ length: count }, (_, index) => read(at + index * size));
  switch (type) {
    case TYPE.byte:
      return all(1, (offset) => reader.u8(offset));
    case TYPE.short:
      return all(2, (offset) => reader.u16(offset));
    case TYPE.long:
    case TYPE.ifd:
      return all(4, (offset) => reader.u32(offset));
    case TYPE.long8:
    case TYPE.ifd8:
      return all(8, (offset) => reader.u64(offset));
    default:
      return [];
  }
}

/** Returns the first number of an unsigned integer field of the directory. */
export function numberOf(stream: TiffStream, directory: Directory, tag: number): number | undefined {
  const field = fieldOf(directory, tag);
  return field && numbersOf(stream, field)[0];
}

/** A tag with its value, independent of any stream. */
export interface Value {
  tag: number;
  type: number;
  count: number;
  /** In the byte order of the layout that it is written with. */
  data: Uint8Array;
}

/** A directory independent of any stream: its values, and the directories that its tags point at. */
export interface Node {
  values: Value[];
  children: { tag: number; nodes: Node[] }[];
}

/** Copies the field's value, converted to the target byte order. @throws Failure `corrupt_image` */
export function toValue(stream: TiffStream, field: Field, target: Pick<Layout, 'littleEndian'>): Value {
  const { reader, littleEndian } = stream;
  const { tag, type, count } = field;
  countAgainstLimit(stream, 'bytes', field.length);
  const data = reader.slice(field.at, field.length);
  const unit = SIZES[type]?.unit ?? 1;
  return { tag, type, count, data: littleEndian === target.littleEndian || unit === 1 ? data : reversed(data, unit) };
}

function reversed(data: Uint8Array, unit: number): Uint8Array {
  const turned = data.slice();
  for (let at = 0; at < turned.length; at += unit) turned.subarray(at, at + unit).reverse();
  return turned;
}

export function shorts(tag: number, numbers: readonly number[], littleEndian: boolean): Value {
  const data = new Uint8Array(numbers.length * 2);
  for (const [index, number] of numbers.entries()) data.set(uint16(number, littleEndian), index * 2);
  return { tag, type: TYPE.short, count: numbers.length, data };
}

export function longs(tag: number, numbers: readonly number[], littleEndian: boolean, type: number = TYPE.long): Value {
  const size = SIZES[type]!.value;
  const data = new Uint8Array(numbers.length * size);
  for (const [index, number] of numbers.entries()) {
    data.set(size === 8 ? uint64(number, littleEndian) : uint32(number, littleEndian), index * size);
  }
  return { tag, type, count: numbers.length, data };
}

/** Resolutions are stored to a ten-thousandth, more precise than any device needs. */
const DENOMINATOR = 10_000;

export function rational(tag: number, number: number, littleEndian: boolean): Value {
  const denominator = Number.isInteger(number) ? 1 : DENOMINATOR;
  const { data } = longs(tag, [Math.round(number * denominator), denominator], littleEndian);
  return { tag, type: TYPE.rational, count: 1, data };
}

/**
 * Serialises a chain of directories.
 * @param start offset of the bytes in the stream, which is that of the first directory
 */
export function serialise(nodes: readonly Node[], start: number, layout: Layout): Uint8Array {
  const writer = new DirectoryWriter(start, layout);
  let link: number | undefined;
  for (const node of nodes) {
    const { at, nextAt } = writer.directory(node);
    if (link !== undefined) writer.offset(link, at);
    link = nextAt;
  }
  return writer.finish();
}

class DirectoryWriter {
  readonly #start: number;
  readonly #layout: Layout;
  readonly #parts: Uint8Array[] = [];
  readonly #offsets: { at: number; value: number }[] = [];
  #position: number;

  constructor(start: number, layout: Layout) {
    this.#start = start;
    this.#position = start;
    this.#layout = layout;
  }

  /** Records an offset that is written once all parts have their positions. */
  offset(at: number, value: number): void {
    this.#offsets.push({ at, value });
  }

  directory(node: Node): { at: number; nextAt: number } {
    const { big, littleEndian } = this.#layout;
    const wordSize = big ? 8 : 4;
    const pointers = node.children.map(({ tag, nodes }) =>
      longs(
        tag,
        nodes.map(() => 0),
        littleEndian,
        big ? TYPE.ifd8 : TYPE.long,
      ),
    );
    // TIFF 6.0, section 2: the entries of a directory are sorted by tag.
    const values = [...node.values, ...pointers].sort((a, b) => a.tag - b.tag);
    const entrySize = big ? 20 : 12;
    const countSize = big ? 8 : 2;
    const table = new Uint8Array(countSize + values.length * entrySize + wordSize);
    const at = this.#place(table);
    table.set(big ? uint64(values.length, littleEndian) : uint16(values.length, littleEndian));

    const valuesAt = new Map<Value, number>();
    for (const [index, value] of values.entries()) {
      const entry = countSize + index * entrySize;
      table.set(uint16(value.tag, littleEndian), entry);
      table.set(uint16(value.type, littleEndian), entry + 2);
      table.set(big ? uint64(value.count, littleEndian) : uint32(value.count, littleEndian), entry + 4);
      const fieldAt = entry + (big ? 12 : 8);
      if (value.data.length <= wordSize) {
        table.set(value.data, fieldAt);
        valuesAt.set(value, at + fieldAt);
      } else {
        const placed = this.#place(value.data);
        this.offset(at + fieldAt, placed);
        valuesAt.set(value, placed);
      }
    }
    for (const [index, { nodes }] of node.children.entries()) {
      const pointersAt = valuesAt.get(pointers[index]!)!;
      for (const [child, childNode] of nodes.entries()) {
        this.offset(pointersAt + child * wordSize, this.directory(childNode).at);
      }
    }
    return { at, nextAt: at + table.length - wordSize };
  }

  finish(): Uint8Array {
    const bytes = concat(this.#parts);
    const { big, littleEndian } = this.#layout;
    for (const { at, value } of this.#offsets) {
      bytes.set(big ? uint64(value, littleEndian) : uint32(value, littleEndian), at - this.#start);
    }
    return bytes;
  }

  /** Appends at an even offset, as TIFF 6.0 requires. */
  #place(part: Uint8Array): number {
    if (this.#position % 2 === 1) {
      this.#parts.push(new Uint8Array(1));
      this.#position += 1;
    }
    const at = this.#position;
    this.#parts.push(part);
    this.#position += part.length;
    return at;
  }
}
