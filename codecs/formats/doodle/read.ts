/** Reads images of Doodle (Codebase 64, "C64 Graphics File Format Specs", "Doodle"; C= Hacking, issue 11). */
import { stillFormat } from '../../legacy/still.ts';
import { BITMAP_BYTES, expandRuns, HEIGHT, hires, loadsAt, WIDTH } from '../../screens/commodore64.ts';

const ADDRESSES = [0x5c00, 0x1c00];
const BITMAP_AT = 1024;
const FILE_BYTES = 9218;
const NEEDED_BYTES = BITMAP_AT + BITMAP_BYTES;

/** Safe on the main thread. */
export const isDoodle = (bytes: Uint8Array): boolean => readImage(bytes) !== undefined;

/** Returns screen, 24 unused bytes and bitmap. */
function readImage(bytes: Uint8Array): Uint8Array | undefined {
  if (!ADDRESSES.some((address) => loadsAt(bytes, address)) || bytes.length > FILE_BYTES) return undefined;
  return bytes.length === FILE_BYTES ? bytes.subarray(2) : expandRuns(bytes, 2, NEEDED_BYTES);
}

export const still = stillFormat({
  readHeader: (bytes) => (isDoodle(bytes) ? { width: WIDTH, height: HEIGHT } : undefined),
  readPixels(bytes) {
    const image = readImage(bytes);
    return image && hires(image.subarray(BITMAP_AT), image);
  },
});
