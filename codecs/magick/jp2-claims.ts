/** Reads the declared size of a JPEG 2000 codestream (ISO/IEC 15444-1, A.5.1). */
import { imageTooLarge } from '../errors.ts';
import { FORMATS } from '../formats/registry.ts';
import { bufferOf, Reader } from '../metadata/bytes.ts';

/** SOC, with SIZ as the next marker. */
const CODESTREAM = Buffer.from('ff4fff51', 'hex');
const GRID_AT = 8;
/** OpenJPEG takes 47 kB per tile of any size: 385 MB for this number. */
const MAX_TILES = 8192;

/**
 * Returns the declared number of pixels; 0 without a header.
 * @throws Failure `image_too_large` for more than {@link MAX_TILES} tiles
 */
export function jp2Claims(bytes: Uint8Array): number {
  const at = bufferOf(bytes).indexOf(CODESTREAM);
  if (at === -1 || at + 40 > bytes.length) return 0;
  const reader = new Reader(bytes, FORMATS.jp2.name);
  const value = (index: number) => reader.u32(at + GRID_AT + 4 * index);
  const [right, bottom, left, top] = [value(0), value(1), value(2), value(3)];
  const [tileWidth, tileHeight, tilesLeft, tilesTop] = [value(4), value(5), value(6), value(7)];
  const tiles =
    Math.ceil((right - tilesLeft) / Math.max(1, tileWidth)) * Math.ceil((bottom - tilesTop) / Math.max(1, tileHeight));
  if (tiles > MAX_TILES) throw imageTooLarge(`${MAX_TILES} tiles`, `${tiles} tiles`);
  return (right - left) * (bottom - top);
}
