/**
 * Reads images of OCP Art Studio and of Advanced Art Studio for the Commodore 64 (Codebase 64, "C64 Graphics File
 * Format Specs").
 */
import { stillFormat } from '../../legacy/still.ts';
import { BITMAP_BYTES, HEIGHT, hires, loadsAt, multicolour, WIDTH } from '../../screens/commodore64.ts';

const ADDRESS = 0x2000;
/** File sizes: bitmap and screen alone, with the border, or with the border and six more bytes. */
const HIRES_BYTES = [9002, 9003, 9009];
const MULTICOLOUR_BYTES = 10_018;
const BITMAP_AT = 2;
const SCREEN_AT = BITMAP_AT + BITMAP_BYTES;
const BACKGROUND_AT = 9003;
const COLOURS_AT = 9018;

/** Safe on the main thread. */
export const isArtStudio = (bytes: Uint8Array): boolean =>
  loadsAt(bytes, ADDRESS) && (HIRES_BYTES.includes(bytes.length) || bytes.length === MULTICOLOUR_BYTES);

export const still = stillFormat({
  readHeader: (bytes) => (isArtStudio(bytes) ? { width: WIDTH, height: HEIGHT } : undefined),
  readPixels(bytes) {
    const bitmap = bytes.subarray(BITMAP_AT);
    const screen = bytes.subarray(SCREEN_AT);
    if (bytes.length !== MULTICOLOUR_BYTES) return hires(bitmap, screen);
    return multicolour(bitmap, screen, bytes.subarray(COLOURS_AT), bytes[BACKGROUND_AT]!);
  },
});
