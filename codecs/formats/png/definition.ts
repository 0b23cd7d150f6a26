import { Reader } from '../../metadata/bytes.ts';
import { countFrames } from '../../png/animation-structure.ts';
import { hasPngData } from '../../png/rows.ts';
import { at } from '../../signature.ts';
import type { FileSize } from '../../size.ts';
import { ALL_METADATA, type DecodingCost, type Format } from '../format.ts';
import { pngCodePoints, pngFacts } from './facts.ts';
import { read, write } from './metadata.ts';
import { pad } from './padding.ts';

const NAME = 'PNG';

/** The pixels of an image that is written as a whole, and the rows in transit. */
const BYTES_PER_PIXEL = 8;
const MAX_ENCODING_BYTES = 48 * 2 ** 20;

/** Offsets in the header (PNG specification, 11.2.2). */
const WIDTH_AT = 16;
const HEIGHT_AT = 20;
const INTERLACE_AT = 28;

/** Reads the size of the image, or of the canvas of an animation. */
function readSize(bytes: Uint8Array): FileSize {
  const reader = new Reader(bytes, NAME);
  const frames = countFrames(bytes);
  return { width: reader.u32(WIDTH_AT), height: reader.u32(HEIGHT_AT), ...(frames === undefined ? {} : { frames }) };
}

function estimateCost(bytes: Uint8Array): DecodingCost {
  const streams = bytes[INTERLACE_AT] !== 1 && countFrames(bytes) === undefined;
  return { streams, isRefused: !hasPngData(bytes) };
}

export const png = {
  name: NAME,
  extensions: ['png', 'apng'],
  contentTypes: ['image/png', 'image/apng'],
  alpha: true,
  animation: true,
  pages: true,
  coding: 'lossless',
  graphics: 'often',
  web: { kind: 'image', age: 'classic', everywhere: true },
  signature: { rank: 'common', matches: at(0, '\x89PNG\r\n\x1a\n') },
  loader: 'pngload_buffer',
  streams: true,
  readSize,
  estimateCost,
  metadata: { read, write },
  readFacts: pngFacts,
  readCodePoints: pngCodePoints,
  output: {
    lossless: true,
    lossy: true,
    alpha: true,
    animation: 'own',
    depth: { lossless: 16, lossy: 8 },
    grey: 'lossless',
    holds: { ...ALL_METADATA, iptc: false },
    encodingBytes: (pixels) => Math.min(pixels * BYTES_PER_PIXEL, MAX_ENCODING_BYTES),
    encodeMs: 120,
    palette: true,
    // 16 bits each for the parts of a fraction.
    frameTimes: { unit: 1, longest: 65_535_000 },
    usuallyLossless: true,
    losslessMayWin: true,
    pad,
  },
} as const satisfies Format;
