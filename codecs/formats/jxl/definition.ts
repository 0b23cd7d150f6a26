import type { Size } from '../../../base/geometry.ts';
import { Reader } from '../../metadata/bytes.ts';
import { any, at } from '../../signature.ts';
import { boxes } from '../../size-boxes.ts';
import { ALL_METADATA, type Format } from '../format.ts';
import { readJxlSize } from './codestream-size.ts';
import { jxlCodePoints, jxlFacts } from './facts.ts';
import { read, write } from './metadata.ts';

/**
 * Reads the size of a bare codestream or of one in a container. A container may split it into parts that start with
 * their number.
 */
function readSize(reader: Reader): Size | undefined {
  if (reader.u8(0) === 0xff) return readJxlSize(reader.bytes);
  const [whole] = boxes(reader, 0, reader.length, 'jxlc');
  if (whole) return readJxlSize(reader.bytes.subarray(whole.at));
  const [part] = boxes(reader, 0, reader.length, 'jxlp');
  return part && readJxlSize(reader.bytes.subarray(part.at + 4));
}

const NAME = 'JPEG XL';

export const jxl = {
  name: NAME,
  extensions: ['jxl'],
  contentTypes: ['image/jxl'],
  alpha: true,
  animation: true,
  pages: true,
  coding: 'lossy',
  web: { kind: 'image', age: 'modern' },
  signature: { rank: 'common', matches: any(at(0, '\xff\x0a'), at(0, '\0\0\0\x0cJXL \r\n\x87\n')) },
  loader: 'jxlload_buffer',
  magick: { coder: 'JXL', partly: true },
  readSize: (bytes) => readSize(new Reader(bytes, NAME)),
  metadata: { read, write, densityInExif: true },
  readFacts: jxlFacts,
  readCodePoints: jxlCodePoints,
  output: {
    lossless: true,
    lossy: true,
    alpha: true,
    animation: 'own',
    depth: { lossless: 16, lossy: 16 },
    codePoints: true,
    grey: 'always',
    holds: { ...ALL_METADATA, iptc: false },
    saver: 'jxlsave_buffer',
    encodeMs: 400,
    // libvips counts in milliseconds, in 32 bits.
    frameTimes: { unit: 1, longest: 4_294_967_295 },
    losslessMayWin: true,
  },
} as const satisfies Format;
