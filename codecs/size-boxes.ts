/** Finds boxes that hold the size of an image, in files that may end early. Safe on the main thread. */
import type { Size } from '../base/geometry.ts';
import type { Reader } from './metadata/bytes.ts';
import { largest } from './size.ts';

const MAX_BOXES = 10_000;

export interface Box {
  /** Offset of its content. */
  at: number;
  end: number;
}

/** Finds the boxes of one type between two offsets (ISO/IEC 14496-12, 4.2). */
export function boxes(reader: Reader, start: number, end: number, type: string): Box[] {
  const found: Box[] = [];
  let at = start;
  for (let box = 0; box < MAX_BOXES && at + 8 <= end; box++) {
    const short = reader.u32(at);
    const header = short === 1 ? 16 : 8;
    const length = short === 1 ? reader.u64(at + 8) : short === 0 ? end - at : short;
    if (length < header) break;
    const boxEnd = Math.min(end, at + length);
    if (reader.text(at + 4, 4) === type) found.push({ at: at + header, end: boxEnd });
    at += length;
  }
  return found;
}

/**
 * Reads the size of the largest image in the file. A grid is larger than its tiles, an image larger than its thumbnail.
 */
export function readHeifSize(reader: Reader): Size | undefined {
  const [meta] = boxes(reader, 0, reader.length, 'meta');
  const [properties] = meta ? boxes(reader, meta.at + 4, meta.end, 'iprp') : [];
  const [container] = properties ? boxes(reader, properties.at, properties.end, 'ipco') : [];
  const extents = container ? boxes(reader, container.at, container.end, 'ispe') : [];
  return largest(extents.map(({ at }) => ({ width: reader.u32(at + 4), height: reader.u32(at + 8) })));
}
