import { Reader } from '../../metadata/bytes.ts';
import { any, at } from '../../signature.ts';
import { ALL_METADATA, type Format } from '../format.ts';
import { jxlFacts } from './facts.ts';
import { read, write } from './metadata.ts';
import { readSize } from './size.ts';

const NAME = 'JPEG XL';

export const jxl = {
  name: NAME,
  extensions: ['jxl'],
  contentTypes: ['image/jxl'],
  alpha: true,
  coding: 'lossy',
  web: { kind: 'image', age: 'modern' },
  signature: { rank: 'common', matches: any(at(0, '\xff\x0a'), at(0, '\0\0\0\x0cJXL \r\n\x87\n')) },
  loader: 'jxlload_buffer',
  readSize: (bytes) => readSize(new Reader(bytes, NAME)),
  metadata: { read, write, densityInExif: true },
  readFacts: jxlFacts,
  output: {
    lossless: true,
    lossy: true,
    alpha: true,
    animation: false,
    depth: 16,
    holds: { ...ALL_METADATA, iptc: false },
    saver: 'jxlsave_buffer',
    losslessMayWin: true,
  },
} as const satisfies Format;
