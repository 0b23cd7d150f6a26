import { crc32 } from 'node:zlib';
import { corruptImage } from '../../errors.ts';
import { bytesOf, uint32 } from '../../metadata/bytes.ts';
import { chunksOf } from '../../metadata/png-chunks.ts';

/** Length, name and checksum of a PNG chunk. */
const CHUNK_OVERHEAD = 12;
/**
 * The case of its letters means: ancillary, private, safe to copy by editors that do not know it (PNG, section 5.4).
 */
const CHUNK_NAME = 'icPd';

/** Adds one private chunk. The smallest addition is 12 bytes. */
export function pad(bytes: Uint8Array, missing: number): Uint8Array {
  const at = pngPosition(bytes);
  const length = Math.max(0, missing - CHUNK_OVERHEAD);
  // Written in place: the padding may be a gigabyte, which should not be in memory twice.
  const padded = new Uint8Array(bytes.length + CHUNK_OVERHEAD + length);
  const dataEnd = at + 8 + length;
  padded.set(bytes.subarray(0, at));
  padded.set(uint32(length), at);
  padded.set(bytesOf(CHUNK_NAME), at + 4);
  padded.set(uint32(crc32(padded.subarray(at + 4, dataEnd))), dataEnd);
  padded.set(bytes.subarray(at), dataEnd + 4);
  return padded;
}

function pngPosition(bytes: Uint8Array): number {
  for (const { name, start } of chunksOf(bytes)) if (name === 'IEND') return start;
  throw corruptImage('png', 'no IEND');
}
