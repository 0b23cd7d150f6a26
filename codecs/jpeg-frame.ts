/**
 * Reads the frame header of a JPEG or JPEG-LS file with bounded work for the main thread (ITU-T T.81, B.2.2; T.87,
 * C.2.2).
 */
import type { Size } from '../base/geometry.ts';
import { Reader } from './metadata/bytes.ts';
import { tryParse } from './metadata/damage.ts';
import { isFrame } from './metadata/jpeg-segments.ts';

/** Largest number of segments that are read. A hostile file can hold one in every four bytes. */
const MAX_SEGMENTS = 250_000;

export const JPEG_LS_FRAME = 0xf7;
const USUAL_PRECISION = 8;

export interface JpegFrame extends Size {
  /** 0xc0 to 0xcf, or the marker of JPEG-LS; identifies the coding. */
  marker: number;
  /** Bits per sample. */
  precision: number;
  components: number;
}

/** Whether the frame has more than 8 bits per sample. */
export const isDeep = ({ precision }: JpegFrame): boolean => precision > USUAL_PRECISION;

/** Whether a JPEG has more than 8 bits per sample. Never throws. */
export function isDeepJpeg(bytes: Uint8Array): boolean {
  const frame = tryParse(() => readJpegFrame(bytes));
  return frame !== undefined && isDeep(frame);
}

/** Whether a file is a JPEG-LS. Only its frame header differs from a JPEG, which may follow other segments. Never throws. */
export const isJpegLs = (bytes: Uint8Array): boolean => tryParse(() => readJpegFrame(bytes))?.marker === JPEG_LS_FRAME;

/**
 * Reads the first frame header.
 * @returns undefined when there is none among the first segments
 * @throws Failure `corrupt_image` when the file ends before it
 */
export function readJpegFrame(bytes: Uint8Array): JpegFrame | undefined {
  const reader = new Reader(bytes, 'JPEG');
  for (const { marker, at } of markersOf(reader)) {
    if (isFrame(marker) || marker === JPEG_LS_FRAME) {
      return {
        marker,
        precision: reader.u8(at + 4),
        height: reader.u16(at + 5),
        width: reader.u16(at + 7),
        components: reader.u8(at + 9),
      };
    }
  }
  return undefined;
}

/**
 * Yields the markers at the beginning of a file. Bytes after the first scan header are not markers. `at` is the offset
 * of a marker's 0xff.
 * @throws Failure `corrupt_image` when the file ends
 */
export function* markersOf(reader: Reader): Generator<{ marker: number; at: number }> {
  let at = 2;
  for (let segment = 0; segment < MAX_SEGMENTS && reader.u8(at) === 0xff; segment++) {
    const marker = reader.u8(at + 1);
    const fill = marker === 0xff;
    if (!fill) yield { marker, at };
    const alone = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
    at += fill ? 1 : alone ? 2 : 2 + reader.u16(at + 2);
  }
}
