/** Finds the colours of a PCX, which has four places for them, or none. */

import { paletteOf } from './rows.ts';

const PALETTE_AT = 16;
const HEADER_COLOURS = 16;
const BACKGROUND_AT = 16;
const CGA_SETTING_AT = 19;
/** The byte in front of the 256 colours at the end of the file. */
const VGA_MARKER = 0x0c;
const VGA_BYTES = 256 * 3;
/** Versions whose header contains colours. Other versions leave unrelated data there. */
const VERSIONS_WITH_COLOURS = [2, 5];

/** The default colours of EGA and CGA (IBM, "Enhanced Graphics Adapter", 1984). */
const EGA = [
  0x000000, 0x0000aa, 0x00aa00, 0x00aaaa, 0xaa0000, 0xaa00aa, 0xaa5500, 0xaaaaaa, 0x555555, 0x5555ff, 0x55ff55,
  0x55ffff, 0xff5555, 0xff55ff, 0xffff55, 0xffffff,
];

interface PixelKind {
  version: number;
  /** Bits of a pixel in each plane. */
  bits: number;
  planes: number;
}

/** @param dataEnd where the pixels end in the file @returns RGB triples, 256 or fewer */
export function pcxPalette(bytes: Uint8Array, { version, bits, planes }: PixelKind, dataEnd: number): Uint8Array {
  const depth = bits * planes;
  if (depth > 4) return vgaPalette(bytes, dataEnd) ?? greys();
  const colours = 1 << depth;
  const stored = bytes.subarray(PALETTE_AT, PALETTE_AT + HEADER_COLOURS * 3);
  const usable = VERSIONS_WITH_COLOURS.includes(version) && hasColours(stored, colours);
  if (usable) return stored;
  if (depth === 1) return paletteOf([0x000000, 0xffffff]);
  return bits === 2 && planes === 1 ? cgaPalette(bytes) : paletteOf(EGA);
}

/** Whether the palette is filled in. Colours that are all equal are not. */
function hasColours(palette: Uint8Array, colours: number): boolean {
  // A CGA setting replaces the red of the second colour and nothing else.
  const others = palette.subarray(3, colours * 3).some((level, at) => at > 0 && level !== 0);
  return others || (colours === 2 && palette[3] !== palette[0]);
}

function vgaPalette(bytes: Uint8Array, dataEnd: number): Uint8Array | undefined {
  const usual = bytes.length - VGA_BYTES - 1;
  const at = usual >= dataEnd && bytes[usual] === VGA_MARKER ? usual : dataEnd;
  if (bytes[at] !== VGA_MARKER || at + 1 + VGA_BYTES > bytes.length) return undefined;
  return bytes.subarray(at + 1, at + 1 + VGA_BYTES);
}

const greys = (): Uint8Array => Uint8Array.from({ length: VGA_BYTES }, (_, at) => Math.floor(at / 3));

const CGA_WHITE_PALETTE = 0x40;
const CGA_BRIGHT = 0x20;

/** Reads the background and which of the four CGA colour sets is used. */
function cgaPalette(bytes: Uint8Array): Uint8Array {
  const setting = bytes[CGA_SETTING_AT]!;
  const bright = setting & CGA_BRIGHT ? 8 : 0;
  const set = setting & CGA_WHITE_PALETTE ? [3, 5, 7] : [2, 4, 6];
  return paletteOf([EGA[bytes[BACKGROUND_AT]! >> 4]!, ...set.map((colour) => EGA[colour + bright]!)]);
}
