import type { Reader } from '../../metadata/bytes.ts';
import type { FileSize } from '../../size.ts';

/** Largest number of blocks that are read. A hostile file can hold one in every two bytes. */
const MAX_BLOCKS = 250_000;

const GIF_EXTENSION = 0x21;
const GIF_FRAME = 0x2c;

export function readSize(reader: Reader): FileSize {
  const size = { width: reader.u16(6), height: reader.u16(8) };
  let frames = 0;
  let at = 13 + gifTableBytes(reader.u8(10));
  let block = 0;
  // Counts blocks and their sub-blocks. A file that ends early has the frames found so far.
  for (let inside = false; block < MAX_BLOCKS && at + 10 < reader.length; block++) {
    const byte = reader.u8(at);
    if (inside) {
      at += 1 + byte;
      inside = byte !== 0;
    } else if (byte === GIF_EXTENSION) {
      at += 2;
      inside = true;
    } else if (byte === GIF_FRAME) {
      frames++;
      // Skip the image descriptor, the colour table and the code size.
      at += 10 + gifTableBytes(reader.u8(at + 9)) + 1;
      inside = true;
    } else break;
  }
  return { ...size, frames: frames === 0 && block === MAX_BLOCKS ? undefined : frames };
}

const gifTableBytes = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
