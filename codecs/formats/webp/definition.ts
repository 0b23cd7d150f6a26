import { Reader } from '../../metadata/bytes.ts';
import { read, write } from '../../metadata/webp.ts';
import { all, at } from '../../signature.ts';
import { trySize } from '../../size.ts';
import { MAX_OWN_WEBP_PIXELS } from '../../webp/limits.ts';
import { ALL_METADATA, type DecodingCost, EIGHT_BIT_DEPTH, type Format } from '../format.ts';
import { webpFacts } from './facts.ts';
import { MAX_WEBP_FRAMES, NAME, readSize, webpCanvasBytes } from './size.ts';

function estimateCost(bytes: Uint8Array): DecodingCost {
  const size = trySize(() => readSize(new Reader(bytes, NAME, true)));
  if (!size) return {};
  return { size, decoderBytes: webpCanvasBytes(size), isRefused: (size.frames ?? 1) > MAX_WEBP_FRAMES };
}

/** Planes, alpha and levels, if none of the levels were zero. */
const BYTES_PER_PIXEL = 6;

export const webp = {
  name: NAME,
  extensions: ['webp'],
  contentTypes: ['image/webp'],
  alpha: true,
  animation: true,
  pages: true,
  coding: 'lossy',
  web: { kind: 'image', age: 'modern', everywhere: true },
  signature: { rank: 'common', matches: all(at(0, 'RIFF'), at(8, 'WEBP')) },
  loader: 'webpload_buffer',
  readSize: (bytes) => readSize(new Reader(bytes, NAME, true)),
  estimateCost,
  metadata: { read, write, densityInExif: true },
  readFacts: webpFacts,
  output: {
    lossless: true,
    lossy: true,
    alpha: true,
    animation: 'any',
    depth: EIGHT_BIT_DEPTH,
    holds: { ...ALL_METADATA, iptc: false },
    saver: 'webpsave_buffer',
    encodeMs: 130,
    losslessEncodeMs: 1500,
    maxSide: 16_383,
    encodingBytes: (pixels) => (pixels > MAX_OWN_WEBP_PIXELS ? 0 : pixels * BYTES_PER_PIXEL),
    losslessMayWin: true,
    // Always half resolution, but subsampled with more or less care.
    chromaQualities: [undefined, 100, 80],
    // Milliseconds in 24 bits (RFC 9649, section 2.7.1.1).
    frameTimes: { unit: 1, longest: 16_777_215 },
  },
} as const satisfies Format;
