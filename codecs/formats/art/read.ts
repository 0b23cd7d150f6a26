/** Reads clip art of PFS: 1st Publisher, one bit per pixel (ImageMagick's description of the format, "ART"). */
import type { Bitmap } from '../../bitmap.ts';
import { bitmapOfBits } from '../../legacy/rows.ts';
import { type StillHeader, stillFormat } from '../../legacy/still.ts';
import { viewOf } from '../../metadata/bytes.ts';

/** Two words of unknown meaning, each followed by a dimension. */
const HEADER_BYTES = 8;

function readHeader(bytes: Uint8Array): StillHeader | undefined {
  if (bytes.length < HEADER_BYTES) return undefined;
  const view = viewOf(bytes);
  return { width: view.getUint16(2, true), height: view.getUint16(6, true) };
}

function readPixels(bytes: Uint8Array, { width, height }: StillHeader): Bitmap | undefined {
  const rowBytes = Math.ceil(width / 8);
  // Rows start at even offsets.
  const rows = { bytes, at: HEADER_BYTES, stride: rowBytes + (rowBytes % 2) };
  return bitmapOfBits(rows, { width, height }, 255);
}

export const still = stillFormat({ readHeader, readPixels });
