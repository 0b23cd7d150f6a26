/** Reads screens of the Apple II: high and double high resolution, and the super high resolution of the IIGS. */
import type { Bitmap } from '../../bitmap.ts';
import { paletteOf } from '../../legacy/rows.ts';
import { stillFormat } from '../../legacy/still.ts';
import { bitmapOf } from '../../screens/screen.ts';
import { readSuperHires, SUPER_HIRES_BYTES, superHiresSize } from './gs.ts';

const HEIGHT = 192;
const COLUMNS = 40;
/** Pixels of a byte; the eighth bit selects one of two pairs of colours. */
const DOTS = 7;
const PAGE_BYTES = 8192;
/** A page without the eight bytes behind the last line. */
const SHORT_PAGE_BYTES = 8184;
const HIRES_WIDTH = COLUMNS * DOTS;
const DOUBLE_WIDTH = HIRES_WIDTH * 2;

/** Builds a palette of four bits per channel (Apple, Technical Note IIGS 63 "Master Color Values", 1991). */
const masterColours = (...values: readonly number[]): Uint8Array =>
  paletteOf(
    values.map((value) => (((value >> 8) * 0x11) << 16) | ((((value >> 4) & 15) * 0x11) << 8) | ((value & 15) * 0x11)),
  );

const BLACK = 0;
const WHITE = 1;
/** Black, white, and the colours of single dots: purple and green, blue and orange. */
const HIRES_PALETTE = masterColours(0x000, 0xfff, 0xd2d, 0x1d0, 0x22f, 0xf60);
const FIRST_COLOUR = 2;

/**
 * Colours by four dots, the leftmost in the highest bit: black, magenta, brown, orange, dark green, grey, green,
 * yellow, dark blue, violet, grey, pink, medium blue, light blue, aqua, white (Apple, "IIe Technical Reference Manual",
 * 1985, "Double High-Resolution Graphics").
 */
const DOUBLE_PALETTE = masterColours(
  0x000,
  0xd03,
  0x850,
  0xf60,
  0x072,
  0x555,
  0x1d0,
  0xff0,
  0x009,
  0xd2d,
  0xaaa,
  0xf98,
  0x22f,
  0x6af,
  0x4f9,
  0xfff,
);

/** Safe on the main thread. */
export const isApple2 = (bytes: Uint8Array): boolean => sizeOf(bytes) !== undefined;

function sizeOf(bytes: Uint8Array): { width: number; height: number } | undefined {
  switch (bytes.length) {
    case PAGE_BYTES:
    case SHORT_PAGE_BYTES:
      return { width: HIRES_WIDTH, height: HEIGHT };
    case PAGE_BYTES * 2:
      return { width: DOUBLE_WIDTH, height: HEIGHT * 2 };
    case SUPER_HIRES_BYTES:
      return superHiresSize(bytes);
    default:
      return undefined;
  }
}

/** Returns the offset of line `y`. The three groups of 64 lines are interleaved. */
const lineAt = (y: number): number => ((y & 7) << 10) | (((y >> 3) & 7) << 7) | ((y >> 6) * COLUMNS);

/**
 * Decodes high resolution with a simple model of NTSC colours: two adjacent dots are white, two adjacent gaps black.
 * Alternating dots and gaps have the colour of the column that the dots are in.
 */
function readHires(bytes: Uint8Array): Bitmap {
  const pixels = new Uint8Array(HIRES_WIDTH * HEIGHT);
  // With a gap at both ends.
  const dots = new Uint8Array(HIRES_WIDTH + 2);
  for (let y = 0; y < HEIGHT; y++) {
    for (let x = 0; x < HIRES_WIDTH; x++) dots[x + 1] = (bytes[lineAt(y) + Math.floor(x / DOTS)]! >> (x % DOTS)) & 1;
    for (let x = 0; x < HIRES_WIDTH; x++) {
      const dot = dots[x + 1]!;
      const alone = dot !== dots[x] && dot !== dots[x + 2];
      const group = bytes[lineAt(y) + Math.floor(x / DOTS)]! >> 7;
      const column = dot ? x & 1 : (x + 1) & 1;
      pixels[y * HIRES_WIDTH + x] = alone ? FIRST_COLOUR + group * 2 + column : dot ? WHITE : BLACK;
    }
  }
  return bitmapOf({ width: HIRES_WIDTH, height: HEIGHT, pixels, palette: HIRES_PALETTE });
}

/**
 * Decodes double high resolution. Bytes of the auxiliary memory, which comes first in the file, and of the main memory
 * alternate. Four dots are a pixel.
 */
function readDoubleHires(bytes: Uint8Array): Bitmap {
  const width = DOUBLE_WIDTH / 4;
  const pixels = new Uint8Array(width * HEIGHT);
  for (let y = 0; y < HEIGHT; y++) {
    for (let dot = 0; dot < DOUBLE_WIDTH; dot++) {
      const byte = Math.floor(dot / DOTS);
      const bits = bytes[(byte & 1) * PAGE_BYTES + lineAt(y) + (byte >> 1)]!;
      pixels[y * width + (dot >> 2)]! |= ((bits >> (dot % DOTS)) & 1) << (3 - (dot & 3));
    }
  }
  return bitmapOf({ width, height: HEIGHT, pixels, palette: DOUBLE_PALETTE, wide: 4, high: 2 });
}

export const still = stillFormat({
  readHeader: sizeOf,
  readPixels(bytes) {
    if (bytes.length === SUPER_HIRES_BYTES) return readSuperHires(bytes);
    return bytes.length === PAGE_BYTES * 2 ? readDoubleHires(bytes) : readHires(bytes);
  },
});
