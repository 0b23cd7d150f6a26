/** Makes a file larger without touching its image, for portals that require a minimum file size. */
import { crc32 } from 'node:zlib';
import { corruptImage } from '../errors.ts';
import { bytesOf, concat, uint16, uint32 } from './bytes.ts';
import { isDescriptive, MARKER, MAX_PAYLOAD, segmentsOf } from './jpeg-segments.ts';
import { chunksOf } from './png-chunks.ts';

/** Marker and length of a JPEG segment. */
const SEGMENT_OVERHEAD = 4;
const MAX_SEGMENT = SEGMENT_OVERHEAD + MAX_PAYLOAD;
/** Length, name and checksum of a PNG chunk. */
const CHUNK_OVERHEAD = 12;
/**
 * The case of its letters means: ancillary, private, safe to copy by editors that do not know it (PNG, section 5.4).
 */
const CHUNK_NAME = 'icPd';

/**
 * Adds comments (JPEG) or one private chunk (PNG) so that the file has exactly `minBytes`. The smallest addition is 4
 * bytes for JPEG and 12 for PNG; when less is missing, the file grows by that.
 * @throws Failure `corrupt_image`
 */
export function padTo(format: 'jpeg' | 'png', bytes: Uint8Array, minBytes: number): Uint8Array {
  const missing = minBytes - bytes.length;
  if (missing <= 0) return bytes;
  return format === 'jpeg' ? padJpeg(bytes, missing) : padPng(bytes, missing);
}

function padJpeg(bytes: Uint8Array, missing: number): Uint8Array {
  const at = jpegPosition(bytes);
  return concat([bytes.subarray(0, at), ...comments(missing), bytes.subarray(at)]);
}

/** Returns the offset behind the application segments: JFIF and EXIF must come first. */
function jpegPosition(bytes: Uint8Array): number {
  for (const { marker, start } of segmentsOf(bytes)) if (!isDescriptive(marker)) return start;
  throw corruptImage('jpeg', 'no frame');
}

function comments(missing: number): Uint8Array[] {
  const full = Math.floor(missing / MAX_SEGMENT);
  const rest = missing % MAX_SEGMENT;
  const sizes = Array.from({ length: full }, () => MAX_SEGMENT);
  if (rest > 0) sizes.push(Math.max(rest, SEGMENT_OVERHEAD));
  // A rest too small for a segment takes the missing bytes from the segment before it.
  if (rest > 0 && rest < SEGMENT_OVERHEAD && full > 0) sizes[full - 1]! -= SEGMENT_OVERHEAD - rest;
  const zeros = new Uint8Array(MAX_PAYLOAD);
  return sizes.flatMap((size) => {
    const payload = zeros.subarray(0, size - SEGMENT_OVERHEAD);
    return [Uint8Array.of(0xff, MARKER.com), uint16(payload.length + 2), payload];
  });
}

function padPng(bytes: Uint8Array, missing: number): Uint8Array {
  const at = pngPosition(bytes);
  const length = Math.max(0, missing - CHUNK_OVERHEAD);
  // Written in place: the padding may be a gigabyte, which should not be in memory twice.
  const padded = new Uint8Array(bytes.length + CHUNK_OVERHEAD + length);
  const dataEnd = at + 8 + length;
  padded.set(bytes.subarray(0, at));
  padded.set(uint32(length), at);
  padded.set(bytesOf(CHUNK_NAME), at + 4);
  padded.set(uint32(crc32(padded.subarray(at + 4, dataEnd))), dataEnd);
  padded.set(bytes.subarray(at), dataEnd + 4);
  return padded;
}

function pngPosition(bytes: Uint8Array): number {
  for (const { name, start } of chunksOf(bytes)) if (name === 'IEND') return start;
  throw corruptImage('png', 'no IEND');
}
