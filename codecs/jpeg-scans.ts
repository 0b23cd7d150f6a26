/**
 * The scans of a progressive JPEG. A scan of a few bytes makes the decoder visit every coefficient of the picture: 90 kB of
 * scans take minutes to decode. Encoders write about 10. libvips also refuses more than 100, but only after decoding 100.
 */
import { Failure } from '../base/failure.ts';
import { imageTooLarge } from './errors.ts';
import { isFrame, MARKER, segmentsOf } from './metadata/jpeg-segments.ts';

export const DEFAULT_MAX_JPEG_SCANS = 100;

/** Bytes that the main thread reads. A file of many scans has many of them here. */
const MAX_ESTIMATED_BYTES = 65_536;

/** Frame headers of the progressive coding: Huffman and arithmetic, plain and differential (ITU-T T.81, table B.1). */
const PROGRESSIVE: ReadonlySet<number> = new Set([0xc2, 0xc6, 0xca, 0xce]);

/**
 * Counts the scans of a progressive JPEG by its markers, without decoding.
 * @param limit counting stops at `limit + 1`
 * @returns 1 if the JPEG is not progressive: then every coefficient is coded once
 */
export function countJpegScans(bytes: Uint8Array, limit: number): number {
  let scans = 0;
  try {
    for (const { marker } of segmentsOf(bytes)) {
      if (isFrame(marker) && !PROGRESSIVE.has(marker)) return 1;
      if (marker === MARKER.sos) scans += 1;
      if (scans > limit) break;
    }
  } catch (error) {
    // The file is truncated; the scans before its end are decoded.
    if (!(error instanceof Failure)) throw error;
  }
  return Math.max(1, scans);
}

/** @throws Failure `image_too_large` for a progressive JPEG of more than `limit` scans */
export function checkJpegScans(bytes: Uint8Array, limit: number): void {
  if (countJpegScans(bytes, limit) > limit) throw imageTooLarge(`${limit} scans`, 'a progressive JPEG of more');
}

/** The scans at the beginning of a file. Main-thread safe: bounded work, never throws. */
export function estimateJpegScans(bytes: Uint8Array): number {
  return countJpegScans(bytes.subarray(0, MAX_ESTIMATED_BYTES), MAX_ESTIMATED_BYTES);
}
