/** Reads farbfeld, the lossless format of 16-bit samples (suckless.org, farbfeld(5)). */
import type { Bitmap } from '../../bitmap.ts';
import { readBigEndian16 } from '../../legacy/rows.ts';
import { type StillHeader, stillFormat } from '../../legacy/still.ts';
import { Reader } from '../../metadata/bytes.ts';
import { FORMATS } from '../registry.ts';

const MAGIC = 'farbfeld';
const HEADER_BYTES = 16;
const CHANNELS = 4;

function readHeader(bytes: Uint8Array): StillHeader | undefined {
  const reader = new Reader(bytes, FORMATS.farbfeld.name);
  if (reader.text(0, MAGIC.length) !== MAGIC) return undefined;
  return { width: reader.u32(8), height: reader.u32(12), depth: 16, hasAlpha: true };
}

function readPixels(bytes: Uint8Array, { width, height }: StillHeader): Bitmap | undefined {
  const samples = width * height * CHANNELS;
  const present = Math.min(samples, (bytes.length - HEADER_BYTES) >> 1);
  if (present < CHANNELS) return undefined;
  const data = readBigEndian16(bytes, HEADER_BYTES, present, samples);
  return { data, width, height, channels: CHANNELS, truncated: present < samples };
}

export const still = stillFormat({ readHeader, readPixels });
