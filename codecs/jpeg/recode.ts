/** Re-coding of JPEG files without loss: every coefficient kept, in fewer bytes. */
import { Failure } from '../../base/failure.ts';
import { startsWith } from '../metadata/bytes.ts';
import { isDescriptive, MARKER, segmentsOf } from '../metadata/jpeg-segments.ts';
import { type JpegCodec, OK } from './codec.ts';
import { readCoefficients } from './coefficients.ts';
import { writeJpeg } from './write.ts';

/** Up to this size the smallest of all scripts is affordable. */
const MAX_EXACT_PIXELS = 2_000_000;

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
  if (!codec.open(file) || !readCoefficients(codec) || codec.run.storeCoefficients() !== OK) return undefined;
  const pixels = codec.run.imageWidth() * codec.run.imageHeight();
  return writeJpeg(codec, descriptive, pixels <= MAX_EXACT_PIXELS ? 'exact' : 'sampled');
}
