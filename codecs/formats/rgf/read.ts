/**
 * Reads the bitmaps of LEGO Mindstorms EV3 (LEGO MINDSTORMS EV3 Firmware Developer Kit, 2013, "Robot Graphics Files").
 */
import type { Bitmap } from '../../bitmap.ts';
import { type StillHeader, stillFormat } from '../../legacy/still.ts';

const HEADER_BYTES = 2;

const readHeader = ([width, height]: Uint8Array): StillHeader | undefined =>
  width === undefined || height === undefined ? undefined : { width, height };

/** Reads one bit per pixel, the lowest first; 1 is black. */
function readPixels(bytes: Uint8Array, { width, height }: StillHeader): Bitmap | undefined {
  const stride = Math.ceil(width / 8);
  const present = Math.min(height, Math.floor((bytes.length - HEADER_BYTES) / stride));
  if (present <= 0) return undefined;
  const data = new Uint8Array(width * height);
  for (let y = 0, write = 0; y < present; y++) {
    const row = HEADER_BYTES + y * stride;
    for (let x = 0; x < width; x++) data[write++] = (bytes[row + (x >> 3)]! >> (x & 7)) & 1 ? 0 : 255;
  }
  return { data, width, height, channels: 1, truncated: present < height };
}

export const still = stillFormat({ readHeader, readPixels });
