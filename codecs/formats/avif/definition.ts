import { heifCodePoints, heifFacts } from '../../facts/heif.ts';
import { read, write } from '../../metadata/avif.ts';
import { bufferOf, Reader } from '../../metadata/bytes.ts';
import { hasBrand } from '../../signature.ts';
import { readHeifSize } from '../../size-boxes.ts';
import { ALL_METADATA, type Format } from '../format.ts';

const NAME = 'AVIF';

export const avif = {
  name: NAME,
  extensions: ['avif', 'avifs'],
  contentTypes: ['image/avif'],
  alpha: true,
  note: 'of a sequence the first image',
  coding: 'lossy',
  web: { kind: 'image', age: 'modern', everywhere: true },
  // The box `irot` turns the image.
  turning: { isTurned: (bytes) => bufferOf(bytes).includes('irot') },
  signature: { rank: 'common', matches: hasBrand('avif', 'avis') },
  loader: 'heifload_buffer',
  readSize: (bytes) => readHeifSize(new Reader(bytes, NAME)),
  metadata: { read, write, densityInExif: true },
  readFacts: heifFacts,
  readCodePoints: heifCodePoints,
  output: {
    lossless: true,
    lossy: true,
    alpha: true,
    animation: 'none',
    depth: { lossless: 12, lossy: 12 },
    codePoints: true,
    holds: { ...ALL_METADATA, iptc: false },
    saver: 'heifsave_buffer',
    encodeMs: 1000,
    maxSide: 65_536,
    encodingBytes: (pixels) => pixels * 33,
    slow: true,
    chromaQualities: [80, 100],
  },
} as const satisfies Format;
