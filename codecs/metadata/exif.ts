/**
 * EXIF (CIPA DC-008) as a TIFF stream. Edits are made in place: maker notes hold internal offsets that nobody can
 * relocate, so data that stay must not move.
 */
import { corruptImage } from '../errors.ts';
import { bufferOf, concat, mergeRanges, type Range, uint16, uint32, viewOf } from './bytes.ts';
import { tryParse } from './damage.ts';
import {
  type Directory,
  type Field,
  fieldOf,
  headerOf,
  headerSize,
  type Node,
  numberOf,
  numbersOf,
  openTiff,
  rational,
  readChain,
  readDirectory,
  serialise,
  shorts,
  type TiffStream,
  TYPE,
  type Value,
} from './directory.ts';
import { locationInMakerNote } from './maker-notes.ts';
import type { Density } from './metadata.ts';
import { GEO_TAGS, TAG } from './tags.ts';

export interface ExifSummary {
  /** 1 to 8; 1 when absent or out of range. */
  orientation: number;
  density?: Density;
  /** Whether both a latitude and a longitude are recorded. */
  hasGps: boolean;
}

export interface ExifEdits {
  orientation?: 1;
  removeGps?: boolean;
  /** Also removes the previews in the camera's maker notes: all of them show what was cropped away. */
  removeThumbnail?: boolean;
  /** Dots per inch. */
  density?: Density;
  /** Size in pixels; written only where the stream already records one. */
  width?: number;
  height?: number;
}

const INCH = 2;
const CENTIMETRE = 3;
const CM_PER_INCH = 2.54;
const GPS_LATITUDE = 2;
const GPS_LONGITUDE = 4;
const LAST_ORIENTATION = 8;

/** Reads the facts that the service acts upon, as far as a damaged stream is readable. */
export function readExif(exif: Uint8Array): ExifSummary {
  const summary: ExifSummary = { orientation: 1, hasGps: false };
  tryParse(() => {
    const stream = openExif(exif);
    const first = readDirectory(stream, stream.first);
    const orientation = numberOf(stream, first, TAG.orientation) ?? 1;
    if (orientation >= 1 && orientation <= LAST_ORIENTATION) summary.orientation = orientation;
    const gps = childOf(stream, first, TAG.gpsIfd);
    summary.hasGps = gps !== undefined && [GPS_LATITUDE, GPS_LONGITUDE].every((tag) => fieldOf(gps, tag));
    const density = densityOf(stream, first);
    if (density) summary.density = density;
  });
  return summary;
}

/** Reads the resolution of a directory in dots per inch. @throws Failure `corrupt_image` */
export function densityOf(stream: TiffStream, directory: Directory): Density | undefined {
  const unit = numberOf(stream, directory, TAG.resolutionUnit) ?? INCH;
  if (unit !== INCH && unit !== CENTIMETRE) return undefined;
  const perInch = unit === INCH ? 1 : CM_PER_INCH;
  const [x, y] = [TAG.xResolution, TAG.yResolution].map((tag) => {
    const field = fieldOf(directory, tag);
    if (field?.type !== TYPE.rational || field.count < 1) return 0;
    return (stream.reader.u32(field.at) / stream.reader.u32(field.at + 4)) * perInch;
  });
  return isDensity(x) && isDensity(y) ? { x: x, y: y } : undefined;
}

const isDensity = (value: number | undefined): value is number =>
  value !== undefined && value > 0 && Number.isFinite(value);

/** Creates a stream that records only the given facts. */
export function createExif({ density, orientation }: { density?: Density; orientation?: number }): Uint8Array {
  const layout = { littleEndian: false, big: false };
  const values = [
    ...(orientation === undefined ? [] : [shorts(TAG.orientation, [orientation], false)]),
    ...(density === undefined ? [] : resolutionValues(density, false)),
  ];
  const start = headerSize(layout);
  return concat([headerOf(layout, start), serialise([{ values, children: [] }], start, layout)]);
}

/** Returns the three tags that record a resolution, in dots per inch. */
export function resolutionValues(density: Density, littleEndian: boolean): Value[] {
  return [
    rational(TAG.xResolution, density.x, littleEndian),
    rational(TAG.yResolution, density.y, littleEndian),
    shorts(TAG.resolutionUnit, [INCH], littleEndian),
  ];
}

/**
 * Applies the edits to the stream.
 * @returns undefined when the stream cannot be parsed: private data in it cannot be removed, so the caller must drop it
 */
export const editExif = (exif: Uint8Array, edits: ExifEdits): Uint8Array | undefined =>
  tryParse(() => new ExifEditor(new Uint8Array(exif)).apply(edits));

/** @throws Failure `corrupt_image` */
function openExif(exif: Uint8Array): TiffStream {
  const stream = openTiff(exif, 'EXIF');
  if (stream.big) throw corruptImage('EXIF', 'offsets of 64 bits');
  return stream;
}

function childOf(stream: TiffStream, directory: Directory, tag: number): Directory | undefined {
  const at = numberOf(stream, directory, tag);
  return at ? readDirectory(stream, at) : undefined;
}

class ExifEditor {
  #bytes: Uint8Array;
  #stream: TiffStream;
  readonly #wiped: Range[] = [];

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#stream = openExif(bytes);
  }

  apply(edits: ExifEdits): Uint8Array {
    if (edits.removeThumbnail) this.#removeThumbnail();
    if (edits.removeGps) this.#removeGps();
    this.#cutWipedEnd();
    if (edits.orientation !== undefined) this.#setNumber(this.#first(), TAG.orientation, edits.orientation);
    if (edits.width !== undefined && edits.height !== undefined) this.#setSize(edits.width, edits.height);
    if (edits.density) this.#setDensity(edits.density);
    return this.#bytes;
  }

  #first(): Directory {
    return readDirectory(this.#stream, this.#stream.first);
  }

  #removeThumbnail(): void {
    const first = this.#first();
    const ranges = readChain(this.#stream, first.next).flatMap((directory) => [
      ...this.#extent(directory),
      ...this.#thumbnailData(directory),
    ]);
    this.#setOffset(first.nextAt, 0);
    this.#wipe([...ranges, ...embeddedJpegs(this.#bytes)]);
  }

  #thumbnailData(directory: Directory): Range[] {
    const numbers = (tag: number) => {
      const field = fieldOf(directory, tag);
      return field ? numbersOf(this.#stream, field) : [];
    };
    return [
      [TAG.jpegInterchangeFormat, TAG.jpegInterchangeFormatLength] as const,
      [TAG.stripOffsets, TAG.stripByteCounts] as const,
    ].flatMap(([offsets, counts]) => {
      const lengths = numbers(counts);
      return numbers(offsets).map((start, index) => ({ start, end: start + (lengths[index] ?? 0) }));
    });
  }

  #removeGps(): void {
    const first = this.#first();
    const ranges: Range[] = [];
    const exif = childOf(this.#stream, first, TAG.exifIfd);
    const directories = [...readChain(this.#stream, this.#stream.first), ...(exif ? [exif] : [])];
    for (const directory of directories) {
      const gps = childOf(this.#stream, directory, TAG.gpsIfd);
      if (gps) ranges.push(...this.#extent(gps));
    }
    const makerNote = exif && fieldOf(exif, TAG.makerNote);
    if (makerNote) ranges.push(...locationInMakerNote(this.#stream, makerNote));
    this.#wipe(ranges);
    for (const directory of directories) {
      // XMP, IPTC and Photoshop blocks do not belong here, and could hold a second copy of the location.
      this.#removeFields(directory, [TAG.gpsIfd, TAG.xmp, TAG.iptc, TAG.photoshop, ...GEO_TAGS]);
    }
  }

  /** Returns the table of a directory and the values stored outside it. */
  #extent({ at, nextAt, fields }: Directory): Range[] {
    return [{ start: at, end: nextAt + 4 }, ...fields.map(({ at: start, length }) => ({ start, end: start + length }))];
  }

  #removeFields(directory: Directory, tags: readonly number[]): void {
    const kept = directory.fields.filter(({ tag }) => !tags.includes(tag));
    const removed = directory.fields.filter(({ tag }) => tags.includes(tag));
    if (removed.length === 0) return;
    this.#wipe(removed.map(({ at, length }) => ({ start: at, end: at + length })));
    this.#writeTable(directory, kept);
  }

  /** Replaces a table by one with fewer entries and fills the rest with zeros. */
  #writeTable({ at, nextAt, next }: Directory, kept: readonly Field[]): void {
    const entries = kept.map(({ entryAt }) => this.#bytes.slice(entryAt, entryAt + 12));
    this.#bytes.fill(0, at, nextAt + 4);
    this.#bytes.set(uint16(entries.length, this.#stream.littleEndian), at);
    for (const [index, entry] of entries.entries()) this.#bytes.set(entry, at + 2 + index * 12);
    this.#setOffset(at + 2 + entries.length * 12, next);
  }

  #wipe(ranges: readonly Range[]): void {
    const inside = ranges.map(({ start, end }) => ({ start, end: Math.min(end, this.#bytes.length) }));
    // Merged first: a hostile directory may name the whole stream sixty thousand times.
    for (const { start, end } of mergeRanges(inside.filter(({ start, end }) => start < end))) {
      this.#bytes.fill(0, start, end);
      this.#wiped.push({ start, end });
    }
  }

  /** Cuts zeros off the end of the stream. Thumbnails are usually stored last. */
  #cutWipedEnd(): void {
    const last = mergeRanges(this.#wiped).at(-1);
    if (last?.end === this.#bytes.length) this.#replaceBytes(this.#bytes.slice(0, last.start));
  }

  #replaceBytes(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.#stream = openExif(bytes);
  }

  #setOffset(at: number, offset: number): void {
    this.#bytes.set(uint32(offset, this.#stream.littleEndian), at);
  }

  /** Overwrites an existing entry with a single number. */
  #setNumber(directory: Directory, tag: number, number: number): void {
    const { littleEndian } = this.#stream;
    const field = fieldOf(directory, tag);
    if (!field) return;
    const type = number <= 0xffff ? TYPE.short : TYPE.long;
    const value =
      type === TYPE.short ? concat([uint16(number, littleEndian), new Uint8Array(2)]) : uint32(number, littleEndian);
    const entry = concat([uint16(tag, littleEndian), uint16(type, littleEndian), uint32(1, littleEndian), value]);
    this.#bytes.set(entry, field.entryAt);
  }

  #setSize(width: number, height: number): void {
    const first = this.#first();
    this.#setNumber(first, TAG.imageWidth, width);
    this.#setNumber(first, TAG.imageLength, height);
    const exif = childOf(this.#stream, first, TAG.exifIfd);
    if (!exif) return;
    this.#setNumber(exif, TAG.pixelXDimension, width);
    this.#setNumber(exif, TAG.pixelYDimension, height);
  }

  #setDensity(density: Density): void {
    const values = resolutionValues(density, this.#stream.littleEndian);
    const first = this.#first();
    const fields = values.map(({ tag }) => fieldOf(first, tag));
    const inPlace = fields.every((field, index) => field && this.#fits(field, values[index]!));
    const [x, y] = fields;
    // Some writers let both resolutions share one value, which cannot hold two different numbers.
    const shared = x?.at === y?.at && density.x !== density.y;
    if (!inPlace || shared) this.#appendFirst(first, values);
    else for (const [index, { data }] of values.entries()) this.#bytes.set(data, fields[index]!.at);
  }

  #fits(field: Field, value: Value): boolean {
    return field.type === value.type && field.count === value.count && field.at + field.length <= this.#bytes.length;
  }

  /** Moves the first directory to the end, where more entries fit. Everything else keeps its offset. */
  #appendFirst(first: Directory, values: readonly Value[]): void {
    const { littleEndian } = this.#stream;
    const kept: Value[] = first.fields
      .filter(({ tag }) => !values.some((value) => value.tag === tag))
      // Keeps the twelve bytes of an entry as they are, whether the last four hold a value or an offset.
      .map(({ entryAt }) => {
        const entry = viewOf(this.#bytes.subarray(entryAt, entryAt + 12));
        const data = this.#bytes.slice(entryAt + 8, entryAt + 12);
        return {
          tag: entry.getUint16(0, littleEndian),
          type: entry.getUint16(2, littleEndian),
          count: entry.getUint32(4, littleEndian),
          data,
        };
      });
    const node: Node = { values: [...kept, ...values], children: [] };
    const start = this.#bytes.length + (this.#bytes.length % 2);
    const table = serialise([node], start, this.#stream);
    const bytes = new Uint8Array(start + table.length);
    bytes.set(this.#bytes);
    bytes.fill(0, first.at, first.nextAt + 4);
    bytes.set(headerOf(this.#stream, start));
    bytes.set(table, start);
    this.#replaceBytes(bytes);
    this.#setOffset(this.#first().nextAt, first.next);
  }
}

/** The markers that may follow the start of a JPEG stream: a table, a frame, an application segment or a comment. */
const FIRST_MARKERS: ReadonlySet<number> = new Set([0xc0, 0xc4, 0xdb, 0xdd, 0xe0, 0xe1, 0xe2, 0xee, 0xfe]);

/**
 * Finds JPEG streams inside the EXIF: the thumbnail, and the previews in maker notes, whose layouts have only the start
 * and the end of image in common. A preview may contain a thumbnail of its own.
 */
function embeddedJpegs(bytes: Uint8Array): Range[] {
  const ranges: Range[] = [];
  const buffer = bufferOf(bytes);
  let depth = 0;
  let start = 0;
  for (let at = buffer.indexOf(0xff); at !== -1 && at + 1 < bytes.length; at = buffer.indexOf(0xff, at + 1)) {
    const isStart = bytes[at + 1] === 0xd8 && bytes[at + 2] === 0xff && FIRST_MARKERS.has(bytes[at + 3] ?? 0);
    if (isStart) {
      if (depth === 0) start = at;
      depth += 1;
    } else if (depth > 0 && bytes[at + 1] === 0xd9) {
      depth -= 1;
      if (depth === 0) ranges.push({ start, end: at + 2 });
    }
  }
  if (depth > 0) ranges.push({ start, end: bytes.length });
  return ranges;
}
