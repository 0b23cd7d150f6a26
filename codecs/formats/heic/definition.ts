import { heifCodePoints, heifFacts } from '../../facts/heif.ts';
import { read } from '../../metadata/avif.ts';
import { Reader } from '../../metadata/bytes.ts';
import { hasBrand } from '../../signature.ts';
import { readHeifSize } from '../../size-boxes.ts';
import { type Format, MAGICK_WASM } from '../format.ts';

const NAME = 'HEIF';

export const heic = {
  name: NAME,
  extensions: ['heic', 'heif', 'hif'],
  contentTypes: ['image/heic', 'image/heif'],
  alpha: true,
  pages: true,
  coding: 'lossy',
  web: { kind: 'image' },
  signature: {
    rank: 'common',
    matches: hasBrand('heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs', 'mif1', 'mif2', 'mif3', 'msf1'),
  },
  magick: { coder: 'HEIC', pages: 'each', partly: true },
  needs: [MAGICK_WASM],
  readSize: (bytes) => readHeifSize(new Reader(bytes, NAME)),
  metadata: { read },
  readFacts: heifFacts,
  readCodePoints: heifCodePoints,
} as const satisfies Format;
