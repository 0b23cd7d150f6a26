/** The bytes of a volume file, which is often packed with gzip: no more of them than are needed. */
import { constants, createGunzip, gunzipSync } from 'node:zlib';

/** The longest header, that of NIfTI-2. */
const HEADER_BYTES = 540;
/** Enough for a gzip header with a file name and 540 bytes that do not pack; a bomb makes at most a megabyte of it. */
const PACKED_HEADER_BYTES = 1024;

export function isPacked(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 8;
}

/** Up to 540 bytes from the start of the unpacked file. Main-thread safe. */
export function unpackHeader(bytes: Uint8Array): Uint8Array {
  if (!isPacked(bytes)) return bytes.subarray(0, HEADER_BYTES);
  try {
    const packed = bytes.subarray(0, PACKED_HEADER_BYTES);
    return gunzipSync(packed, { finishFlush: constants.Z_SYNC_FLUSH }).subarray(0, HEADER_BYTES);
  } catch {
    return new Uint8Array();
  }
}

const PIECE_BYTES = 256 * 1024;

/** Hands on the unpacked file up to `end` piece by piece, and fewer bytes when it ends early or is damaged. */
export async function unpack(
  bytes: Uint8Array,
  end: number,
  take: (piece: Uint8Array, at: number) => void,
): Promise<void> {
  if (!isPacked(bytes)) {
    take(bytes.subarray(0, end), 0);
    return;
  }
  const gunzip = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH, chunkSize: PIECE_BYTES });
  gunzip.end(bytes);
  let at = 0;
  try {
    for await (const piece of gunzip as AsyncIterable<Uint8Array>) {
      take(piece.subarray(0, end - at), at);
      at += piece.length;
      if (at >= end) break;
    }
  } catch {
    // What came before the damage is used.
  }
}
