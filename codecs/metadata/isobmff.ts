/** Boxes of the ISO base media file format (ISO/IEC 14496-12, section 4.2), as used by AVIF and JPEG XL. */
import { corruptImage } from '../errors.ts';
import { bytesOf, concat, Reader, uint32 } from './bytes.ts';
import { collectUntilDamage } from './damage.ts';

/** Far more than any real container holds on one level. */
const MAX_BOXES = 100_000;

export interface Box {
  type: string;
  /** Offset of the box in the bytes that were read. */
  start: number;
  /** Offset of its content. */
  contentStart: number;
  end: number;
}

/** Returns the boxes between two offsets. @throws Failure `corrupt_image` when a box ends beyond the range */
export function boxesOf(reader: Reader, from: number, end: number): Box[] {
  const boxes: Box[] = [];
  for (let start = from; start < end; ) {
    if (boxes.length === MAX_BOXES) throw corruptImage(reader.format, `more than ${MAX_BOXES} boxes`);
    const { type, contentStart, size } = headerAt(reader, start, end);
    if (start + size > end) throw corruptImage(reader.format, `${type} box of ${size} bytes`);
    boxes.push({ type, start, contentStart, end: start + size });
    start += size;
  }
  return boxes;
}

/** @throws Failure `corrupt_image` when the box is smaller than its own header */
function headerAt(reader: Reader, start: number, end: number): { type: string; contentStart: number; size: number } {
  const short = reader.u32(start);
  const type = reader.text(start + 4, 4);
  const headerSize = short === 1 ? 16 : 8;
  const size = short === 1 ? reader.u64(start + 8) : short === 0 ? end - start : short;
  if (size < headerSize) throw corruptImage(reader.format, `${type} box of ${size} bytes`);
  return { type, contentStart: start + headerSize, size };
}

/** Returns the boxes of a possibly truncated file; the last one may end early. Never throws. */
export function presentBoxes(reader: Reader): Box[] {
  const boxes: Box[] = [];
  collectUntilDamage(boxes, () => {
    for (let start = 0; start < reader.length && boxes.length < MAX_BOXES; start = boxes.at(-1)!.end) {
      const { type, contentStart, size } = headerAt(reader, start, reader.length);
      boxes.push({ type, start, contentStart, end: Math.min(reader.length, start + size) });
    }
  });
  return boxes;
}

export const contentOf = (reader: Reader, { contentStart, end }: Box): Uint8Array =>
  reader.slice(contentStart, end - contentStart);

/** Returns a reader limited to the content of the box, with offsets of its own. */
export const readerOf = (reader: Reader, found: Box): Reader => new Reader(contentOf(reader, found), reader.format);

/** Returns the complete box with its header. */
export const bytesOfBox = (reader: Reader, { start, end }: Box): Uint8Array => reader.slice(start, end - start);

/** @throws RangeError beyond 4 GiB, which no input can reach */
export function box(type: string, ...content: Uint8Array[]): Uint8Array {
  const length = content.reduce((sum, part) => sum + part.length, 8);
  return concat([uint32(length), bytesOf(type), ...content]);
}

/** Serialises a box whose content starts with a version and flags. */
export const fullBox = (type: string, version: number, flags: number, ...content: Uint8Array[]): Uint8Array =>
  box(type, uint32(version * 0x1000000 + flags), ...content);
