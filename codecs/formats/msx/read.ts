/**
 * Reads the video memory of an MSX as saved by BSAVE (ASCII Corp., "MSX2 Technical Handbook", 1987, chapter 4; Yamaha,
 * "V9938 Technical Data Book", 1985).
 */
import type { Size } from '../../../base/geometry.ts';
import type { Bitmap } from '../../bitmap.ts';
import { stillFormat } from '../../legacy/still.ts';
import { bitmapOf, levelOf, type Screen } from '../../screens/screen.ts';

const BINARY = 0xfe;
const HEADER_BYTES = 7;
const COLOURS = 16;
const PALETTE_BYTES = COLOURS * 2;

/** A bitmap screen. */
interface Mode {
  width: number;
  /** Bits of a pixel. */
  bits: 2 | 4 | 8;
  /** Offset of the palette in video memory. */
  paletteAt?: number;
  high: 1 | 2;
}

const MODES: Readonly<Record<string, Mode>> = {
  5: { width: 256, bits: 4, paletteAt: 0x7680, high: 1 },
  6: { width: 512, bits: 2, paletteAt: 0x7680, high: 2 },
  7: { width: 512, bits: 4, paletteAt: 0xfa80, high: 2 },
  8: { width: 256, bits: 8, high: 1 },
};

const MAX_ROWS = 212;
const MIN_ROWS = 192;

/** Screen 2: patterns, names and colours for each third of the screen. */
const PATTERN_WIDTH = 256;
const PATTERN_HEIGHT = 192;
const NAMES_AT = 0x1800;
const PATTERN_PALETTE_AT = 0x1b80;
const PATTERN_COLOURS_AT = 0x2000;
const PATTERN_BYTES = 0x3800;

interface MsxHeader extends Size {
  rows: number;
  /** undefined for screen 2. */
  mode: Mode | undefined;
}

/** Safe on the main thread. */
export const isMsx = (bytes: Uint8Array, extension: string): boolean => readHeader(bytes, extension) !== undefined;

/** Reads the header. Only the file extension identifies the screen mode. */
function readHeader(bytes: Uint8Array, extension: string): MsxHeader | undefined {
  if (bytes[0] !== BINARY || bytes.length < HEADER_BYTES) return undefined;
  const start = bytes[1]! | (bytes[2]! << 8);
  const last = bytes[3]! | (bytes[4]! << 8);
  const memory = bytes.length - HEADER_BYTES;
  if (start !== 0 || memory < last - start) return undefined;
  const mode = MODES[/^(?:sc|sr|ge)([5-8])$/.exec(extension)?.[1] ?? ''];
  if (!mode) {
    const patterns = extension === 'sc2' || extension === 'grp';
    if (!patterns || memory < PATTERN_BYTES) return undefined;
    return { width: PATTERN_WIDTH, height: PATTERN_HEIGHT, rows: PATTERN_HEIGHT, mode };
  }
  const rows = Math.min(MAX_ROWS, Math.floor((memory * 8) / (mode.width * mode.bits)));
  return rows < MIN_ROWS ? undefined : { width: mode.width, height: rows * mode.high, rows, mode };
}

/** Red, green and blue of the initial colours of an MSX2, three bits each. */
// biome-ignore format: one colour a triple
const START_PALETTE = [
  0, 0, 0, 0, 0, 0, 1, 6, 1, 3, 7, 3, 1, 1, 7, 2, 3, 7, 5, 1, 1, 2, 6, 7,
  7, 1, 1, 7, 3, 3, 6, 6, 1, 6, 6, 4, 1, 4, 1, 6, 2, 5, 5, 5, 5, 7, 7, 7,
];

/** Reads a palette of two bytes per colour: red and blue, then green. Memory without a palette is zero. */
function readPalette(memory: Uint8Array, at: number): Uint8Array {
  const stored = memory.subarray(at, at + PALETTE_BYTES);
  const usable = stored.length === PALETTE_BYTES && stored.some((byte) => byte !== 0);
  const levels = usable
    ? Array.from({ length: COLOURS }, (_, colour) => {
        const redBlue = stored[colour * 2]!;
        return [(redBlue >> 4) & 7, stored[colour * 2 + 1]! & 7, redBlue & 7];
      }).flat()
    : START_PALETTE;
  return Uint8Array.from(levels.map((level) => levelOf(level, 3)));
}

/**
 * Builds the palette of screen 8: three bits of green, three of red, two of blue, with the levels 0, 2, 4 and 7 of the
 * other two.
 */
function directPalette(): Uint8Array {
  const blues = [0, 2, 4, 7];
  return Uint8Array.from(
    Array.from({ length: 256 }, (_, value) => [(value >> 2) & 7, value >> 5, blues[value & 3]!]).flat(),
    (level) => levelOf(level, 3),
  );
}

function readPixels(bytes: Uint8Array, { mode, rows }: MsxHeader): Bitmap {
  const memory = bytes.subarray(HEADER_BYTES);
  return bitmapOf(mode ? readBitmap(memory, mode, rows) : readPatterns(memory));
}

function readBitmap(memory: Uint8Array, { width, bits, paletteAt, high }: Mode, rows: number): Screen {
  const pixels = new Uint8Array(width * rows);
  const mask = (1 << bits) - 1;
  for (let pixel = 0, bit = 0; pixel < pixels.length; pixel++, bit += bits) {
    pixels[pixel] = (memory[bit >> 3]! >> (8 - bits - (bit & 7))) & mask;
  }
  const palette = paletteAt === undefined ? directPalette() : readPalette(memory, paletteAt);
  return { width, height: rows, pixels, palette, high };
}

/** Decodes patterns. Each line of a pattern has its own two colours. */
function readPatterns(memory: Uint8Array): Screen {
  const pixels = new Uint8Array(PATTERN_WIDTH * PATTERN_HEIGHT);
  for (let y = 0, write = 0; y < PATTERN_HEIGHT; y++) {
    for (let column = 0; column < PATTERN_WIDTH / 8; column++) {
      const name = memory[NAMES_AT + (y >> 3) * (PATTERN_WIDTH / 8) + column]!;
      const line = (y >> 6) * 0x800 + name * 8 + (y & 7);
      const bits = memory[line]!;
      const colours = memory[PATTERN_COLOURS_AT + line]!;
      for (let bit = 0; bit < 8; bit++) pixels[write++] = (bits >> (7 - bit)) & 1 ? colours >> 4 : colours & 15;
    }
  }
  const palette = readPalette(memory, PATTERN_PALETTE_AT);
  return { width: PATTERN_WIDTH, height: PATTERN_HEIGHT, pixels, palette };
}

export const still = stillFormat<MsxHeader>({ readHeader, readPixels });
