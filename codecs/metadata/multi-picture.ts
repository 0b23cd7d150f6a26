/** The directory of a JPEG file with several images (CIPA DC-007, Multi-ListedImage Format): read, and written for two. */
import { bytesOf, concat, Reader, startsWith, uint16, uint32 } from './bytes.ts';
import { headSegments, MARKER } from './jpeg-segments.ts';

const SIGNATURE = 'MPF\0';
const LITTLE_ENDIAN = 'II';
const VERSION_TAG = 0xb000;
const COUNT_TAG = 0xb001;
const ENTRY_TAG = 0xb002;
const ENTRY_BYTES = 16;
const FIELD_BYTES = 12;
/** More than any camera writes. A directory can list a hundred million. */
const MAX_IMAGES = 1000;

/** The type code is in the lower three bytes of an entry's attributes (5.2.3.3.1). */
const TYPE_MASK = 0xff_ff_ff;
const LARGE_THUMBNAIL = 0x01;
const PRIMARY = 0x03_00_00;

/** Types of the fields of a TIFF directory. */
const LONG = 4;
const UNDEFINED = 7;

export interface ListedImage {
  /** Offset in the file. */
  start: number;
  end: number;
  /** Whether it is a smaller version of another image. */
  isPreview: boolean;
}

export interface ImageDirectory {
  /** The segment in the file, with its marker. */
  segment: { start: number; end: number };
  /** The images behind the first one. They may lie outside the file. */
  images: ListedImage[];
}

/**
 * Reads the directory; undefined if there is none.
 * @throws Failure `corrupt_image`
 */
export function readImageDirectory(bytes: Uint8Array): ImageDirectory | undefined {
  for (const { marker, start, end, payload } of headSegments(bytes)) {
    if (marker !== MARKER.app2 || !startsWith(payload, SIGNATURE)) continue;
    // Offsets are relative to the byte order mark that follows the signature.
    const origin = start + 4 + SIGNATURE.length;
    return { segment: { start, end }, images: entriesOf(payload.subarray(SIGNATURE.length), origin) };
  }
  return undefined;
}

function entriesOf(directory: Uint8Array, origin: number): ListedImage[] {
  const reader = new Reader(directory, 'jpeg', startsWith(directory, LITTLE_ENDIAN));
  const at = reader.u32(4);
  const fields = reader.u16(at);
  for (let index = 0; index < fields; index++) {
    const field = at + 2 + index * FIELD_BYTES;
    if (reader.u16(field) !== ENTRY_TAG) continue;
    const count = Math.min(MAX_IMAGES, Math.floor(reader.u32(field + 4) / ENTRY_BYTES));
    const first = reader.u32(field + 8);
    return (
      Array.from({ length: count }, (_, entry) => first + entry * ENTRY_BYTES)
        .map((entry) => ({
          isPreview: (reader.u32(entry) & TYPE_MASK) >> 16 === LARGE_THUMBNAIL,
          length: reader.u32(entry + 4),
          offset: reader.u32(entry + 8),
        }))
        // The first image has no offset.
        .filter(({ offset }) => offset > 0)
        .map(({ offset, length, isPreview }) => ({
          ...{ start: origin + offset, end: origin + offset + length, isPreview },
        }))
    );
  }
  return [];
}

/** Offset of the directory and of the entries behind the byte order mark. */
const DIRECTORY_AT = 8;
const ENTRIES_AT = DIRECTORY_AT + 2 + 3 * FIELD_BYTES + 4;
const PAYLOAD_BYTES = SIGNATURE.length + ENTRIES_AT + 2 * ENTRY_BYTES;
/** Bytes of the segment for two images, with its marker. */
export const DIRECTORY_BYTES = 4 + PAYLOAD_BYTES;

/**
 * Writes the segment of a file with two images, of which the second follows the first.
 * @param at offset of the segment in the file
 * @param firstBytes length of the first image, with this segment
 */
export function directoryOfTwo(at: number, firstBytes: number, secondBytes: number): Uint8Array {
  const origin = at + 4 + SIGNATURE.length;
  const field = (tag: number, type: number, count: number, value: Uint8Array) =>
    concat([uint16(tag), uint16(type), uint32(count), value]);
  const entry = (attributes: number, length: number, offset: number) =>
    concat([uint32(attributes), uint32(length), uint32(offset), uint32(0)]);
  return concat([
    Uint8Array.of(0xff, MARKER.app2),
    uint16(PAYLOAD_BYTES + 2),
    bytesOf(SIGNATURE),
    bytesOf('MM\0*'),
    uint32(DIRECTORY_AT),
    uint16(3),
    field(VERSION_TAG, UNDEFINED, 4, bytesOf('0100')),
    field(COUNT_TAG, LONG, 1, uint32(2)),
    field(ENTRY_TAG, UNDEFINED, 2 * ENTRY_BYTES, uint32(ENTRIES_AT)),
    uint32(0),
    entry(PRIMARY, firstBytes, 0),
    entry(0, secondBytes, firstBytes - origin),
  ]);
}
