import type { Reader } from '../../metadata/bytes.ts';
import type { Size } from '../../size.ts';
import { boxes } from '../../size-boxes.ts';
import { readJxlSize } from './codestream-size.ts';

/**
 * Reads the size of a bare codestream or of one in a container. A container may split it into parts that start with
 * their number.
 */
export function readSize(reader: Reader): Size | undefined {
  if (reader.u8(0) === 0xff) return readJxlSize(reader.bytes);
  const [whole] = boxes(reader, 0, reader.length, 'jxlc');
  if (whole) return readJxlSize(reader.bytes.subarray(whole.at));
  const [part] = boxes(reader, 0, reader.length, 'jxlp');
  return part && readJxlSize(reader.bytes.subarray(part.at + 4));
}
