import { corruptImage } from '../../errors.ts';
import { concat, uint16 } from '../../metadata/bytes.ts';
import { attachGainMap, detachGainMap } from '../../metadata/jpeg-gain-map.ts';
import { isDescriptive, MARKER, MAX_PAYLOAD, segmentsOf } from '../../metadata/jpeg-segments.ts';
import { DIRECTORY_BYTES } from '../../metadata/multi-picture.ts';

/** Marker and length of a JPEG segment. */
const SEGMENT_OVERHEAD = 4;
const MAX_SEGMENT = SEGMENT_OVERHEAD + MAX_PAYLOAD;

/** Adds comments. The smallest addition is 4 bytes. */
export function pad(bytes: Uint8Array, missing: number): Uint8Array {
  const parts = detachGainMap(bytes);
  if (parts) {
    const { image, map } = parts;
    const rest = bytes.length + missing - image.length - DIRECTORY_BYTES - map.length;
    return attachGainMap(rest > 0 ? pad(image, rest) : image, map);
  }
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
