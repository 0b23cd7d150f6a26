/**
 * Reads screens of the ZX Spectrum and of the Timex machines (Sinclair, "ZX Spectrum BASIC Programming", 1982, chapter
 * 24; Timex, "TS 2068 Technical Manual", 1983).
 */
import type { Bitmap } from '../../bitmap.ts';
import { paletteOf } from '../../legacy/rows.ts';
import { stillFormat } from '../../legacy/still.ts';
import { bitmapOf } from '../../screens/screen.ts';

const WIDTH = 256;
const HEIGHT = 192;
const COLUMNS = WIDTH / 8;
const BITMAP_BYTES = COLUMNS * HEIGHT;
const CELLS_BYTES = COLUMNS * (HEIGHT / 8);

/** Kinds of screens by file length, which is the only distinction. */
const SIZES: Readonly<Record<number, 'plain' | 'cells' | 'lines' | 'wide'>> = {
  [BITMAP_BYTES]: 'plain',
  [BITMAP_BYTES + CELLS_BYTES]: 'cells',
  [BITMAP_BYTES * 2]: 'lines',
  [BITMAP_BYTES * 2 + 1]: 'wide',
};

/**
 * The eight colours (blue 1, red 2, green 4), then the same ones bright. The level of the darker ones, 0xd8 here,
 * differed between machines.
 */
const PALETTE = paletteOf(
  [0xd8, 0xff].flatMap((level) =>
    Array.from(
      { length: 8 },
      (_, colour) => (colour & 2 ? level << 16 : 0) | (colour & 4 ? level << 8 : 0) | (colour & 1 ? level : 0),
    ),
  ),
);
const BRIGHT = 8;
/** Black on white, the machine's initial colours. */
const PLAIN_ATTRIBUTE = 0x38;

/** Safe on the main thread. */
export const isZxScreen = (bytes: Uint8Array): boolean => SIZES[bytes.length] !== undefined;

/**
 * Returns the offset of a line. In each third of the screen, the first lines of all eight character rows come first,
 * then the second ones.
 */
const lineAt = (y: number): number => ((y & 0xc0) << 5) | ((y & 7) << 8) | ((y & 0x38) << 2);

function readPixels(bytes: Uint8Array): Bitmap {
  const kind = SIZES[bytes.length];
  if (kind === 'wide') return readWide(bytes);
  const pixels = new Uint8Array(WIDTH * HEIGHT);
  for (let y = 0, write = 0; y < HEIGHT; y++) {
    for (let column = 0; column < COLUMNS; column++) {
      const bits = bytes[lineAt(y) + column]!;
      const attribute =
        kind === 'cells'
          ? bytes[BITMAP_BYTES + (y >> 3) * COLUMNS + column]!
          : kind === 'lines'
            ? bytes[BITMAP_BYTES + lineAt(y) + column]!
            : PLAIN_ATTRIBUTE;
      const bright = attribute & 0x40 ? BRIGHT : 0;
      const ink = (attribute & 7) + bright;
      const paper = ((attribute >> 3) & 7) + bright;
      for (let bit = 0; bit < 8; bit++) pixels[write++] = (bits >> (7 - bit)) & 1 ? ink : paper;
    }
  }
  return bitmapOf({ width: WIDTH, height: HEIGHT, pixels, palette: PALETTE });
}

/**
 * Reads a screen with 512 pixels per line, whose columns alternate between two bitmaps. The last byte is that of port
 * 255, whose bits 3 to 5 are the ink.
 */
function readWide(bytes: Uint8Array): Bitmap {
  const ink = (bytes[BITMAP_BYTES * 2]! >> 3) & 7;
  const pixels = new Uint8Array(WIDTH * 2 * HEIGHT);
  for (let y = 0, write = 0; y < HEIGHT; y++) {
    for (let column = 0; column < COLUMNS * 2; column++) {
      const bits = bytes[lineAt(y) + (column >> 1) + (column & 1) * BITMAP_BYTES]!;
      for (let bit = 0; bit < 8; bit++) pixels[write++] = BRIGHT + ((bits >> (7 - bit)) & 1 ? ink : 7 - ink);
    }
  }
  return bitmapOf({ width: WIDTH * 2, height: HEIGHT, pixels, palette: PALETTE, high: 2 });
}

export const still = stillFormat({
  readHeader(bytes) {
    const kind = SIZES[bytes.length];
    if (kind === undefined) return undefined;
    return kind === 'wide' ? { width: WIDTH * 2, height: HEIGHT * 2 } : { width: WIDTH, height: HEIGHT };
  },
  readPixels,
});
