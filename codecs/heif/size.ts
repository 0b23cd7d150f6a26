import type { Reader } from '../metadata/bytes.ts';
import { largest, type Size } from '../size.ts';
import { boxes } from '../size-boxes.ts';

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
