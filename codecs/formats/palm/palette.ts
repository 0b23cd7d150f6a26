/**
 * The default colours of Palm OS for 8-bit bitmaps without a colour table: web colours, some greys and dark colours.
 */

const LEVELS = [0xff, 0xcc, 0x99, 0x66, 0x33, 0x00];
const GREYS = [0x11, 0x22, 0x44, 0x55, 0x77, 0x88, 0xaa, 0xbb, 0xdd, 0xee, 0xc0];
const DARK = [
  [0x80, 0, 0],
  [0x80, 0, 0x80],
  [0, 0x80, 0],
  [0, 0x80, 0x80],
];

/** Builds the part of the colour cube with the given blues; the lighter half of the blues comes first. */
const cube = (blues: readonly number[]): number[] =>
  LEVELS.flatMap((red) => blues.flatMap((blue) => LEVELS.flatMap((green) => [red, green, blue])));

/** 256 RGB triples; the last are black. */
export const PALM_PALETTE = new Uint8Array(256 * 3);
PALM_PALETTE.set([
  ...cube(LEVELS.slice(0, 3)),
  ...cube(LEVELS.slice(3)),
  ...GREYS.flatMap((grey) => [grey, grey, grey]),
  ...DARK.flat(),
]);
