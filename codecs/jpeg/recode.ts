/** Re-codes JPEG files losslessly: keeps every coefficient, in fewer bytes. */
import { Failure } from '../../base/failure.ts';
import { startsWith } from '../metadata/bytes.ts';
import { attachGainMap, detachGainMap } from '../metadata/jpeg-gain-map.ts';
import { isDescriptive, MARKER, segmentsOf } from '../metadata/jpeg-segments.ts';
import { type JpegCodec, OK } from './codec.ts';
import { readCoefficients } from './coefficients.ts';
import { writeJpeg } from './write.ts';

/** Up to this size all scripts can be tried. */
const MAX_EXACT_PIXELS = 2_000_000;

/**
 * Rewrites an image with optimised Huffman tables, sequential or progressive, whichever is smaller. Its metadata and its
 * gain map stay.
 * @returns undefined if the result is not smaller or the file is unsupported: another coding, damage, or other images
 * after the first
 */
export function recodeJpeg(codec: JpegCodec, file: Uint8Array): Uint8Array | undefined {
  const parts = detachGainMap(file);
  if (!parts) return recodeImage(codec, file);
  const recoded = recodeImage(codec, parts.image);
  return recoded && attachGainMap(recoded, parts.map);
}

function recodeImage(codec: JpegCodec, file: Uint8Array): Uint8Array | undefined {
  const descriptive = descriptiveSegments(file);
  if (!descriptive) return undefined;
  const recoded = written(codec, file, descriptive);
  return recoded && recoded.length < file.length ? recoded : undefined;
}

/**
 * Returns application data and comments unchanged. Undefined if they contain offsets to other parts of the file, or if
 * something follows the image.
 */
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
  // Cameras and servers pad files with zeros.
  return file.subarray(end + 2).some((byte) => byte !== 0) ? undefined : found;
}

function written(codec: JpegCodec, file: Uint8Array, descriptive: readonly Uint8Array[]): Uint8Array | undefined {
  if (!codec.open(file) || !readCoefficients(codec) || codec.run.storeCoefficients() !== OK) return undefined;
  const pixels = codec.run.imageWidth() * codec.run.imageHeight();
  return writeJpeg(codec, descriptive, pixels <= MAX_EXACT_PIXELS ? 'exact' : 'sampled');
}
