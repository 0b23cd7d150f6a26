/** Reads images of Koala Painter (Codebase 64, "C64 Graphics File Format Specs", "Koala Painter"). */
import { stillFormat } from '../../legacy/still.ts';
import { BITMAP_BYTES, CELLS, expandRuns, HEIGHT, loadsAt, multicolour, WIDTH } from '../../screens/commodore64.ts';

const ADDRESS = 0x6000;
const SCREEN_AT = BITMAP_BYTES;
const COLOURS_AT = SCREEN_AT + CELLS;
const BACKGROUND_AT = COLOURS_AT + CELLS;
const IMAGE_BYTES = BACKGROUND_AT + 1;
const FILE_BYTES = 2 + IMAGE_BYTES;
/** Transfers by modem padded the last block. */
const PADDED_BYTES = Math.ceil(FILE_BYTES / 128) * 128;

/** Safe on the main thread. */
export const isKoala = (bytes: Uint8Array): boolean => readImage(bytes) !== undefined;

/** Returns bitmap, screen, colours and background as laid out in memory. */
function readImage(bytes: Uint8Array): Uint8Array | undefined {
  if (!loadsAt(bytes, ADDRESS) || bytes.length > PADDED_BYTES) return undefined;
  return bytes.length >= FILE_BYTES ? bytes.subarray(2, FILE_BYTES) : expandRuns(bytes, 2, IMAGE_BYTES);
}

export const still = stillFormat({
  readHeader: (bytes) => (isKoala(bytes) ? { width: WIDTH, height: HEIGHT } : undefined),
  readPixels(bytes) {
    const image = readImage(bytes);
    return image && multicolour(image, image.subarray(SCREEN_AT), image.subarray(COLOURS_AT), image[BACKGROUND_AT]!);
  },
});
