/**
 * Reads screens of the 8-bit Ataris (Atari, "De Re Atari", 1982, chapter 2): Micro-Painter, and dumps of graphics 8 and
 * 9. The four colours of Micro-Painter are shown as greys, because we know of no publication with the order of the
 * colour bytes behind the image.
 */
import type { Size } from '../../../base/geometry.ts';
import { stillFormat } from '../../legacy/still.ts';
import { bitmapOf } from '../../screens/screen.ts';

const HEIGHT = 192;
const ROW_BYTES = 40;
const SCREEN_BYTES = ROW_BYTES * HEIGHT;
const WIDTH = ROW_BYTES * 8;
const COLOUR_BYTES = 4;

/** Bits of a pixel. */
const BITS: Readonly<Record<string, 1 | 2 | 4>> = { gr8: 1, mic: 2, gr9: 4 };

/** Safe on the main thread. */
export const isAtari8 = (bytes: Uint8Array, extension: string): boolean => readHeader(bytes, extension) !== undefined;

interface Atari8Header extends Size {
  bits: 1 | 2 | 4;
}

function readHeader(bytes: Uint8Array, extension: string): Atari8Header | undefined {
  const bits = BITS[extension];
  const fits = bytes.length === SCREEN_BYTES || (bits === 2 && bytes.length === SCREEN_BYTES + COLOUR_BYTES);
  return bits && fits ? { width: WIDTH, height: HEIGHT, bits } : undefined;
}

export const still = stillFormat<Atari8Header>({
  readHeader,
  readPixels(bytes, { bits }) {
    const width = WIDTH / bits;
    const pixels = new Uint8Array(width * HEIGHT);
    const top = (1 << bits) - 1;
    for (let pixel = 0, bit = 0; pixel < pixels.length; pixel++, bit += bits) {
      pixels[pixel] = (bytes[bit >> 3]! >> (8 - bits - (bit & 7))) & top;
    }
    const palette = Uint8Array.from({ length: (top + 1) * 3 }, (_, at) => (Math.floor(at / 3) * 255) / top);
    return bitmapOf({ width, height: HEIGHT, pixels, palette, wide: bits });
  },
});
