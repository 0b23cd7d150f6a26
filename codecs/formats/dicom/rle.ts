/** RLE Lossless (DICOM PS3.5, annex G): each byte of each sample is in a separate plane, packed with PackBits. */
import { corruptImage } from '../../errors.ts';
import { Reader } from '../../metadata/bytes.ts';
import { FORMATS } from '../registry.ts';

/** Offset of the first segment. */
export const RLE_HEADER_BYTES = 64;
export const MAX_RLE_SEGMENTS = 15;

export interface RleFrame {
  /** Little-endian samples, pixel by pixel. */
  bytes: Uint8Array;
  truncated: boolean;
}

/**
 * Decodes a frame.
 * @param pixels number of pixels of the frame
 * @param samples number of samples of a pixel
 * @param bytesPerSample 1 to 4
 * @throws Failure `corrupt_image`
 */
export function decodeRle(frame: Uint8Array, pixels: number, samples: number, bytesPerSample: number): RleFrame {
  const reader = new Reader(frame, FORMATS.dicom.name, true);
  const segments = samples * bytesPerSample;
  const present = reader.u32(0);
  if (present < segments || present > MAX_RLE_SEGMENTS) throw corruptImage(FORMATS.dicom.name, `${present} segments`);

  const bytes = new Uint8Array(pixels * segments);
  let truncated = false;
  for (let segment = 0; segment < segments; segment++) {
    const at = reader.u32(4 + segment * 4);
    const next = segment + 1 < present ? reader.u32(8 + segment * 4) : frame.length;
    if (at < RLE_HEADER_BYTES) throw corruptImage(FORMATS.dicom.name, `a segment at ${at}`);
    const packed = frame.subarray(at, next > at ? next : frame.length);
    // The segments of a sample start with its highest byte.
    const sample = Math.floor(segment / bytesPerSample);
    const first = sample * bytesPerSample + (bytesPerSample - 1 - (segment % bytesPerSample));
    if (!unpack(packed, bytes, first, segments)) truncated = true;
  }
  return { bytes, truncated };
}

/** Fills every `step`th byte from `first` on. Returns whether there were enough. */
function unpack(packed: Uint8Array, bytes: Uint8Array, first: number, step: number): boolean {
  let write = first;
  for (let read = 0; write < bytes.length; ) {
    if (read >= packed.length) return false;
    const control = packed[read++]!;
    if (control < 128) {
      const end = Math.min(read + control + 1, packed.length);
      for (; read < end && write < bytes.length; write += step) bytes[write] = packed[read++]!;
    } else if (control > 128 && read < packed.length) {
      const value = packed[read++]!;
      for (let count = 257 - control; count > 0 && write < bytes.length; count--, write += step) bytes[write] = value;
    }
  }
  return true;
}
