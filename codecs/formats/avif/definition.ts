import { heifCodePoints, heifFacts } from '../../facts/heif.ts';
import { readSequence } from '../../heif/sequence.ts';
import { read, write } from '../../metadata/avif.ts';
import { bufferOf, Reader } from '../../metadata/bytes.ts';
import { hasBrand } from '../../signature.ts';
import type { FileSize } from '../../size.ts';
import { readHeifSize } from '../../size-boxes.ts';
import { ALL_METADATA, type Format } from '../format.ts';

const NAME = 'AVIF';

/** Reads the size, and counts the frames of a sequence. */
function readSize(bytes: Uint8Array): FileSize | undefined {
  const sequence = readSequence(bytes);
  if (!sequence) return readHeifSize(new Reader(bytes, NAME));
  const { width, height, delays } = sequence;
  return { width, height, frames: delays.length };
}

export const avif = {
  name: NAME,
  extensions: ['avif', 'avifs'],
  contentTypes: ['image/avif'],
  alpha: true,
  animation: true,
  pages: true,
  coding: 'lossy',
  web: { kind: 'image', age: 'modern', everywhere: true },
  // The box `irot` turns the image.
  turning: { isTurned: (bytes) => bufferOf(bytes).includes('irot') },
  signature: { rank: 'common', matches: hasBrand('avif', 'avis') },
  loader: 'heifload_buffer',
  magick: { coder: 'AVIF', pages: 'each', partly: true },
  readSize,
  metadata: { read, write, densityInExif: true },
  readFacts: heifFacts,
  readCodePoints: heifCodePoints,
  output: {
    lossless: true,
    lossy: true,
    alpha: true,
    animation: 'own',
    depth: { lossless: 12, lossy: 12 },
    codePoints: true,
    holds: { ...ALL_METADATA, iptc: false },
    saver: 'heifsave_buffer',
    // Milliseconds in 32 bits.
    frameTimes: { unit: 1, longest: 4_294_967_295 },
    encodeMs: 1000,
    maxSide: 65_536,
    encodingBytes: (pixels) => pixels * 33,
    slow: true,
    chromaQualities: [80, 100],
  },
} as const satisfies Format;
