/** Reads the textures of Quake II (Max McGuire, "Quake 2 BSP File Format", flipcode.com, 2000, "WAL Image Format"). */
import type { Bitmap } from '../../bitmap.ts';
import { paint, rowsPresent } from '../../legacy/rows.ts';
import { type StillHeader, stillFormat } from '../../legacy/still.ts';
import { Reader } from '../../metadata/bytes.ts';
import { FORMATS } from '../registry.ts';
import { QUAKE_2_PALETTE } from './palette.ts';

const NAME_BYTES = 32;
const HEADER_BYTES = 100;
const MAX_SIDE = 4096;

interface WalHeader extends StillHeader {
  pixelsAt: number;
}

/** Reads the header. There is no signature, so the sizes and the offset of the pixels must be plausible. */
function readHeader(bytes: Uint8Array): WalHeader | undefined {
  const reader = new Reader(bytes, FORMATS.wal.name, true);
  const width = reader.u32(NAME_BYTES);
  const height = reader.u32(NAME_BYTES + 4);
  const pixelsAt = reader.u32(NAME_BYTES + 8);
  if (width < 1 || width > MAX_SIDE || height < 1 || height > MAX_SIDE || pixelsAt < HEADER_BYTES) return undefined;
  return { width, height, pixelsAt };
}

function readPixels(bytes: Uint8Array, { width, height, pixelsAt }: WalHeader): Bitmap | undefined {
  const present = rowsPresent({ bytes, at: pixelsAt, stride: width }, width, height);
  if (present === 0) return undefined;
  const indices = new Uint8Array(width * height);
  indices.set(bytes.subarray(pixelsAt, pixelsAt + present * width));
  const data = paint(indices, QUAKE_2_PALETTE, present * width);
  return { data, width, height, channels: 3, truncated: present < height };
}

export const still = stillFormat({ readHeader, readPixels });
