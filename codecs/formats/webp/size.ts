import type { Reader } from '../../metadata/bytes.ts';
import type { FileSize } from '../../size.ts';

export const NAME = 'WebP';

/** Largest number of blocks that are read. A hostile file can hold one in every two or three bytes. */
const MAX_BLOCKS = 250_000;

const RIFF_HEADER_BYTES = 12;

/**
 * Reads the size from the first chunk: lossy or lossless (14 bits per side), or extended (24 bits per side, minus one).
 */
export function readSize(reader: Reader): FileSize | undefined {
  const data = RIFF_HEADER_BYTES + 8;
  switch (reader.text(RIFF_HEADER_BYTES, 4)) {
    case 'VP8 ':
      return { width: reader.u16(data + 6) & 0x3fff, height: reader.u16(data + 8) & 0x3fff };
    case 'VP8L': {
      const bits = reader.u32(data + 1);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: reader.u24(data + 4) + 1, height: reader.u24(data + 7) + 1, frames: webpFrames(reader) };
    default:
      return undefined;
  }
}

/**
 * Largest number of frames. libvips' time to read the header grows with the square of the frames: 0.5 s for 20,000, 15
 * s for 100,000.
 */
export const MAX_WEBP_FRAMES = 20_000;
/** The canvas is RGBA (libvips, `webp2vips.c`). */
const CANVAS_BYTES_PER_PIXEL = 4;

/**
 * Returns the bytes of the canvas on which libvips draws the frames of a WebP. It allocates it when it reads the
 * header.
 */
export const webpCanvasBytes = ({ width, height }: FileSize): number => width * height * CANVAS_BYTES_PER_PIXEL;

/** `ANMF` as a little-endian number. Creating a string per chunk would be slow in a file of many chunks. */
const ANIMATION_FRAME = 0x464d4e41;

function webpFrames(reader: Reader): number {
  let frames = 0;
  let at = RIFF_HEADER_BYTES;
  for (let block = 0; block < MAX_BLOCKS && at + 8 <= reader.length; block++) {
    if (reader.u32(at) === ANIMATION_FRAME) frames++;
    const length = reader.u32(at + 4);
    at += 8 + length + (length % 2);
  }
  return frames;
}
