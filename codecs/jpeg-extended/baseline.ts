/** Decodes 8-bit JPEG with libvips, with an explicit choice of what its components mean. */
import { corruptImage } from '../errors.ts';
import { FORMATS } from '../formats/registry.ts';
import { concat } from '../metadata/bytes.ts';
import { isDecodeError } from '../source.ts';
import type { VipsApi } from '../vips.ts';
import { type JpegFrame, MARKER } from './headers.ts';

/** Adobe's APP14: version 100, no flags. The transform, which libjpeg follows, is the last byte. */
const ADOBE_SEGMENT = [0xff, MARKER.app14, 0, 14, 0x41, 0x64, 0x6f, 0x62, 0x65, 0, 100, 0, 0, 0, 0];

export interface JpegBytes {
  /** Interleaved. */
  values: Uint8Array;
  truncated: boolean;
}

/**
 * Decodes a JPEG.
 * @param frame from `readJpegFrame`, whose size has been checked
 * @param luma whether the components of a colour image are luma and chroma, to be converted to RGB; else they are RGB
 * @throws Failure `corrupt_image`
 */
export function decodeBaseline(vips: VipsApi, bytes: Uint8Array, frame: JpegFrame, luma: boolean): JpegBytes {
  const file = frame.components.length === 3 ? declareColour(bytes, luma) : bytes;
  const decode = (fail_on: 'truncated' | 'none') => {
    const image = vips.Image.jpegloadBuffer(file, { fail_on });
    if (image.width !== frame.width || image.height !== frame.height || image.bands !== frame.components.length) {
      throw corruptImage(FORMATS.dicom.name, 'another image than the header says');
    }
    return image.writeToMemory() as Uint8Array;
  };
  const whole = attempt(() => decode('truncated'));
  if (whole) return { values: whole, truncated: false };
  const partial = attempt(() => decode('none'));
  if (partial) return { values: partial, truncated: true };
  throw corruptImage(FORMATS.dicom.name, 'libvips cannot decode it');
}

/** Returns undefined when the bytes cannot be decoded; traps and bugs are rethrown. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    return undefined;
  }
}

/** Replaces the markers from which libjpeg derives the colour space. */
function declareColour(bytes: Uint8Array, luma: boolean): Uint8Array {
  const rest = new Uint8Array(bytes.subarray(2));
  for (let at = 0; at + 4 <= rest.length && rest[at] === 0xff && rest[at + 1] !== MARKER.sos; ) {
    const marker = rest[at + 1];
    // libjpeg ignores a segment without its name.
    if (marker === MARKER.app0 || marker === MARKER.app14) rest[at + 4] = 0;
    at += 2 + Math.max(2, rest[at + 2]! * 256 + rest[at + 3]!);
  }
  return concat([bytes.subarray(0, 2), Uint8Array.of(...ADOBE_SEGMENT, luma ? 1 : 0), rest]);
}
