/** Reads volume files, which are often compressed with gzip, and decompresses only the bytes that are needed. */
import { constants, createGunzip, gunzipSync } from 'node:zlib';

/** The longest header, that of NIfTI-2. */
const HEADER_BYTES = 540;
/** Enough for a gzip header with a file name and 540 incompressible bytes. A bomb expands to a megabyte at most. */
const PACKED_HEADER_BYTES = 1024;

export const isPacked = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 8;

/** Returns up to 540 bytes from the start of the decompressed file. Safe on the main thread. */
export function unpackHeader(bytes: Uint8Array): Uint8Array {
  if (!isPacked(bytes)) return bytes.subarray(0, HEADER_BYTES);
  try {
    const packed = bytes.subarray(0, PACKED_HEADER_BYTES);
    return gunzipSync(packed, { finishFlush: constants.Z_SYNC_FLUSH }).subarray(0, HEADER_BYTES);
  } catch {
    return new Uint8Array();
  }
}

const CHUNK_BYTES = 256 * 1024;

/** Passes on the decompressed file up to `end` in chunks. Passes fewer bytes when the file is truncated or damaged. */
export async function unpack(
  bytes: Uint8Array,
  end: number,
  take: (piece: Uint8Array, at: number) => void,
): Promise<void> {
  if (!isPacked(bytes)) {
    take(bytes.subarray(0, end), 0);
    return;
  }
  const gunzip = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH, chunkSize: CHUNK_BYTES });
  gunzip.end(bytes);
  let at = 0;
  try {
    for await (const piece of gunzip as AsyncIterable<Uint8Array>) {
      take(piece.subarray(0, end - at), at);
      at += piece.length;
      if (at >= end) break;
    }
  } catch {
    // Data in front of the damage are used.
  }
}
