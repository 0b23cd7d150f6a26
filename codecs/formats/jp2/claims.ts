/** Reads what a JPEG 2000 file declares in front of its samples (ISO/IEC 15444-1, A.5.1 and I.5.3.6). */
import { imageTooLarge } from '../../errors.ts';
import { bufferOf, Reader } from '../../metadata/bytes.ts';

export const NAME = 'JPEG 2000';

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
  const reader = new Reader(bytes, NAME);
  const value = (index: number) => reader.u32(at + GRID_AT + 4 * index);
  const [right, bottom, left, top] = [value(0), value(1), value(2), value(3)];
  const [tileWidth, tileHeight, tilesLeft, tilesTop] = [value(4), value(5), value(6), value(7)];
  const tiles =
    Math.ceil((right - tilesLeft) / Math.max(1, tileWidth)) * Math.ceil((bottom - tilesTop) / Math.max(1, tileHeight));
  if (tiles > MAX_TILES) throw imageTooLarge(`${MAX_TILES} tiles`, `${tiles} tiles`);
  return (right - left) * (bottom - top);
}

const HEADER_WITHIN = 4_096;

/** Whether the boxes in front of the codestream define an opacity channel. */
export function hasAlpha(bytes: Uint8Array): boolean {
  const header = bufferOf(bytes.subarray(0, HEADER_WITHIN));
  const at = header.indexOf('cdef') + 4;
  if (at < 4 || at + 2 > header.length) return false;
  const end = Math.min(header.length - 5, at + 2 + header.readUInt16BE(at) * 6);
  for (let entry = at + 2; entry < end; entry += 6) if (header.readUInt16BE(entry + 2) === 1) return true;
  return false;
}
