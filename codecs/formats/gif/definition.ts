import { GIF_BYTES_PER_PIXEL, MAX_OWN_FRAME_PIXELS } from '../../gif/limits.ts';
import { Reader } from '../../metadata/bytes.ts';
import { any, at } from '../../signature.ts';
import { trySize } from '../../size.ts';
import { EIGHT_BIT_DEPTH, type Format, NO_METADATA } from '../format.ts';
import { gifFacts } from './facts.ts';
import { read, write } from './metadata.ts';
import { readSize } from './size.ts';

const NAME = 'GIF';

export const gif = {
  name: NAME,
  extensions: ['gif'],
  contentTypes: ['image/gif'],
  alpha: true,
  animation: true,
  pages: true,
  coding: 'lossless',
  graphics: 'always',
  web: { kind: 'image', age: 'classic', everywhere: true },
  signature: { rank: 'common', matches: any(at(0, 'GIF87a'), at(0, 'GIF89a')) },
  loader: 'gifload_buffer',
  readSize: (bytes) => readSize(new Reader(bytes, NAME, true)),
  estimateCost: (bytes) => ({ isRefused: trySize(() => readSize(new Reader(bytes, NAME, true)))?.frames === 0 }),
  metadata: { read, write },
  readFacts: gifFacts,
  output: {
    lossless: false,
    lossy: true,
    alpha: true,
    binaryAlpha: true,
    animation: 'any',
    depth: EIGHT_BIT_DEPTH,
    holds: NO_METADATA,
    saver: 'gifsave_buffer',
    encodeMs: 200,
    maxSide: 65_535,
    encodingBytes: (pixels) => (pixels > MAX_OWN_FRAME_PIXELS ? 0 : pixels * GIF_BYTES_PER_PIXEL),
    // Hundredths of a second in 16 bits (GIF89a, section 23).
    frameTimes: { unit: 10, longest: 655_350 },
  },
} as const satisfies Format;
