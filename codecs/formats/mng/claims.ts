/**
 * Computes the size that the headers of a Multiple-image Network Graphics file declare (MNG 1.0, sections 4.1 and
 * 4.2.6).
 */
import { viewOf } from '../../metadata/bytes.ts';

const SIGNATURE_BYTES = 8;
/** Length, type and checksum. */
const CHUNK_BYTES = 12;
const DATA_AT = 8;

/** Chunk types as numbers, in the byte order of the file. */
const HEADER = 0x4d484452; // MHDR
const PNG = 0x49484452; // IHDR
const JNG = 0x4a484452; // JHDR
const LOOP = 0x4c4f4f50;
const END_OF_LOOP = 0x454e444c; // ENDL

/** The iteration count follows the nesting level of the loop. */
const LOOP_BYTES = 5;

/**
 * Returns the pixels of all frames that ImageMagick creates, each at least as large as the screen. It repeats the
 * frames of loops: a file of 200 bytes can request 2,147,483,647 of them.
 */
export function mngClaims(bytes: Uint8Array): number {
  const view = viewOf(bytes);
  const sizeAt = (at: number) => (at + 8 <= bytes.length ? view.getUint32(at) * view.getUint32(at + 4) : 0);
  let screen = 0;
  let claimed = 0;
  let rounds = 1;
  const outerRounds: number[] = [];
  for (let at = SIGNATURE_BYTES; at + CHUNK_BYTES <= bytes.length; ) {
    const length = view.getUint32(at);
    const dataAt = at + DATA_AT;
    switch (view.getUint32(at + 4)) {
      case HEADER:
        screen = sizeAt(dataAt);
        break;
      case PNG:
      case JNG:
        claimed += rounds * Math.max(screen, sizeAt(dataAt));
        break;
      case LOOP:
        outerRounds.push(rounds);
        if (length >= LOOP_BYTES) rounds *= Math.max(1, view.getUint32(dataAt + 1));
        break;
      case END_OF_LOOP:
        rounds = outerRounds.pop() ?? 1;
        break;
    }
    at += CHUNK_BYTES + length;
  }
  return claimed;
}
