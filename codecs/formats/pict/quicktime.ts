/**
 * Reads the files that QuickTime embeds in a PICT (Apple, "Inside Macintosh: QuickTime", 1993, chapter 3, "Compressed
 * Picture Data").
 */
import type { EmbeddedFile } from '../../bitmap.ts';
import type { Reader } from '../../metadata/bytes.ts';
import type { InputFormat } from '../registry.ts';

export const QUICKTIME_OPCODE = 0x8200;

/** Bytes of the opcode's header: size, version, matrix, matte, mode, source, accuracy and mask. */
const HEADER_BYTES = 4 + 2 + 36 + 4 + 8 + 2 + 8 + 4 + 4;
const MATTE_SIZE_AT = 4 + 2 + 36;
const MASK_SIZE_AT = HEADER_BYTES - 4;

/** Codecs whose data are complete files. */
const CODECS: Readonly<Record<string, InputFormat>> = { jpeg: 'jpeg', 'png ': 'png', tiff: 'tiff', 'jp2 ': 'jp2' };

/** @returns undefined for another codec, or when the data are truncated */
export function readQuickTime(
  reader: Reader,
  at: number,
): (EmbeddedFile & { width: number; height: number }) | undefined {
  const end = at + 4 + reader.u32(at);
  const matteBytes = reader.u32(at + MATTE_SIZE_AT);
  let next = at + HEADER_BYTES;
  // The matte, a separate image, has a description in front of it; the mask region follows.
  if (matteBytes > 0 && next + 4 <= end) next += reader.u32(next) + matteBytes;
  next += reader.u32(at + MASK_SIZE_AT);
  if (next + 48 > end) return undefined;
  const format = CODECS[reader.text(next + 4, 4)];
  const dataAt = next + reader.u32(next);
  if (!format || dataAt >= end) return undefined;
  const bytes = reader.slice(dataAt, Math.min(reader.u32(next + 44) || end - dataAt, end - dataAt));
  return { format, bytes, width: reader.u16(next + 32), height: reader.u16(next + 34) };
}
