/**
 * Finds the images of a multi-picture JPEG: stereo pairs, panoramas, bursts (CIPA DC-007, Multi-Picture Format). Gain
 * maps and previews in the same directory are not counted as images.
 */
import { Failure } from '../../../base/failure.ts';
import { bufferOf, Reader, startsWith } from '../../metadata/bytes.ts';
import { headSegments, MARKER } from '../../metadata/jpeg-segments.ts';

const SIGNATURE = 'MPF\0';
const LITTLE_ENDIAN = 'II';
const MP_ENTRY_TAG = 0xb002;
const ENTRY_BYTES = 16;
/** More than any camera writes. A directory can list a hundred million. */
const MAX_IMAGES = 1000;

/** The type code is in the lower three bytes of an entry's attributes (5.2.3.3.1). */
const TYPE_MASK = 0xff_ff_ff;
const LARGE_THUMBNAIL = 0x01;
const GAIN_MAP_MARKS = ['ns.adobe.com/hdr-gain-map', 'urn:iso:std:iso:ts:21496'];

/** Returns the JPEG files inside a JPEG file, starting with the file itself. Never throws. */
export function imagesOf(bytes: Uint8Array): [Uint8Array, ...Uint8Array[]] {
  try {
    return [bytes, ...furtherImages(bytes)];
  } catch (error) {
    // The directory is damaged. There is at least one image, and its decoder reports its damage.
    if (error instanceof Failure) return [bytes];
    throw error;
  }
}

function furtherImages(bytes: Uint8Array): Uint8Array[] {
  const buffer = bufferOf(bytes);
  for (const { marker, start, payload } of headSegments(bytes)) {
    if (marker !== MARKER.app2 || !startsWith(payload, SIGNATURE)) continue;
    // Offsets are relative to the byte order mark that follows the signature.
    const origin = start + 4 + SIGNATURE.length;
    if (GAIN_MAP_MARKS.some((mark) => buffer.subarray(0, origin).includes(mark, 0, 'latin1'))) return [];
    return entriesOf(payload.subarray(SIGNATURE.length))
      .map(({ offset, length }) => bytes.subarray(origin + offset, origin + offset + length))
      .filter((file) => startsWith(file, '\xff\xd8\xff'));
  }
  return [];
}

/** Returns the entries of the directory other than the first image. */
function entriesOf(directory: Uint8Array): { offset: number; length: number }[] {
  const reader = new Reader(directory, 'JPEG', startsWith(directory, LITTLE_ENDIAN));
  const at = reader.u32(4);
  const tags = reader.u16(at);
  for (let index = 0; index < tags; index++) {
    const tag = at + 2 + index * 12;
    if (reader.u16(tag) !== MP_ENTRY_TAG) continue;
    const count = Math.min(MAX_IMAGES, Math.floor(reader.u32(tag + 4) / ENTRY_BYTES));
    const first = reader.u32(tag + 8);
    return Array.from({ length: count }, (_, entry) => first + entry * ENTRY_BYTES)
      .filter((entry) => (reader.u32(entry) & TYPE_MASK) >> 16 !== LARGE_THUMBNAIL)
      .map((entry) => ({ length: reader.u32(entry + 4), offset: reader.u32(entry + 8) }))
      .filter(({ offset }) => offset > 0);
  }
  return [];
}
