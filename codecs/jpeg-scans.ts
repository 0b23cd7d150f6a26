/**
 * Limits the number of scans of a JPEG. A scan of a few bytes makes the decoder visit every coefficient of a component,
 * so 90 kB of scans take minutes to decode. Encoders write about 10 scans in progressive files, and at most one per
 * component in others. But libjpeg accepts any number in those too, if the first scan does not contain all components.
 * libvips refuses more than 100 progressive scans, but only after decoding 100.
 */
import { Failure } from '../base/failure.ts';
import { imageTooLarge } from './errors.ts';
import { markersOf } from './jpeg-frame.ts';
import { Reader } from './metadata/bytes.ts';
import { tryParse } from './metadata/damage.ts';
import { isFrame, MARKER, segmentsOf } from './metadata/jpeg-segments.ts';

export const DEFAULT_MAX_JPEG_SCANS = 100;

/** Bytes after the first scan header that the main thread reads. A file of many scans has many of them here. */
const MAX_ESTIMATED_BYTES = 65_536;

/** Frame markers of progressive coding: Huffman and arithmetic, plain and differential (ITU-T T.81, table B.1). */
const PROGRESSIVE: ReadonlySet<number> = new Set([0xc2, 0xc6, 0xca, 0xce]);

/**
 * Counts the scans of a JPEG by its markers, without decoding.
 * @param limit counting stops at `limit + 1`
 * @param from offset of the first marker to read; default: the first of the file
 * @returns at least 1
 */
export function countJpegScans(bytes: Uint8Array, limit: number, from?: number): number {
  let scans = 0;
  try {
    for (const { marker } of segmentsOf(bytes, from)) {
      if (marker === MARKER.sos) scans += 1;
      if (scans > limit) break;
    }
  } catch (error) {
    // The file is truncated. The scans before its end are still decoded.
    if (!(error instanceof Failure)) throw error;
  }
  return Math.max(1, scans);
}

/**
 * Checks the number of scans.
 * @throws Failure `image_too_large` for a JPEG of more than `limit` scans
 */
export function checkJpegScans(bytes: Uint8Array, limit: number): void {
  const head = tryParse(() => readHead(bytes));
  // Only one scan is decoded.
  if (head?.firstScanAt !== undefined && !holdsCoefficients(head)) return;
  if (countJpegScans(bytes, limit) <= limit) return;
  throw imageTooLarge(`${limit} scans`, `${head?.isProgressive ? 'a progressive JPEG' : 'a JPEG'} of more`);
}

/** Returns the memory of a decoder that keeps every coefficient: 16 bits per sample, at whatever size it decodes. */
export const coefficientBytes = (pixels: number, components: number): number => 2 * pixels * components;

/** What the markers of a file show about its scans. */
export interface JpegScans {
  /** Scans at the beginning of the file; 0 if the file ends before its first scan. */
  scans: number;
  /** Whether the decoder keeps every coefficient, because the coefficients of a row are spread over several scans. */
  holdsCoefficients: boolean;
}

/** Estimates the scans of a JPEG. Main-thread safe: bounded work, never throws. */
export function estimateJpegScans(bytes: Uint8Array): JpegScans {
  const head = tryParse(() => readHead(bytes));
  if (!head) return { scans: 0, holdsCoefficients: false };
  const { firstScanAt } = head;
  if (firstScanAt === undefined) return { scans: 1, holdsCoefficients: head.isProgressive };
  const read = bytes.subarray(0, firstScanAt + MAX_ESTIMATED_BYTES);
  return {
    scans: countJpegScans(read, MAX_ESTIMATED_BYTES, firstScanAt),
    holdsCoefficients: holdsCoefficients(head),
  };
}

/**
 * Whether the decoder keeps all coefficients. It decodes row by row only sequential files whose first scan contains all
 * components (libjpeg, jdinput.c, initial_setup).
 */
const holdsCoefficients = ({ isProgressive, firstScanComponents, components }: Head): boolean =>
  isProgressive || firstScanComponents < components;

interface Head {
  isProgressive: boolean;
  components: number;
  /** Undefined when other bytes or too many segments come before it. */
  firstScanAt: number | undefined;
  firstScanComponents: number;
}

/**
 * Reads up to the header of the first scan.
 * @throws Failure `corrupt_image` when the file ends before it
 */
function readHead(bytes: Uint8Array): Head {
  const reader = new Reader(bytes, 'JPEG');
  const head: Head = { isProgressive: false, components: 0, firstScanAt: undefined, firstScanComponents: 0 };
  for (const { marker, at } of markersOf(reader)) {
    if (isFrame(marker)) {
      head.isProgressive = PROGRESSIVE.has(marker);
      head.components = reader.u8(at + 9);
    }
    if (marker === MARKER.sos) return { ...head, firstScanAt: at, firstScanComponents: reader.u8(at + 4) };
  }
  return head;
}
