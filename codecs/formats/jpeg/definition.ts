import { jpegFacts } from '../../facts/jpeg.ts';
import { jpegEncodingBytes } from '../../jpeg/memory.ts';
import { isDeep, isJpegLs, readJpegFrame } from '../../jpeg-frame.ts';
import { coefficientBytes, estimateJpegScans } from '../../jpeg-scans.ts';
import { startsWith } from '../../metadata/bytes.ts';
import { tryParse } from '../../metadata/damage.ts';
import { JPEG_LIMITS, read, write } from '../../metadata/jpeg.ts';
import { ALL_METADATA, type DecodingCost, EIGHT_BIT_DEPTH, type Format } from '../format.ts';
import { pad } from './padding.ts';

function estimateCost(bytes: Uint8Array): DecodingCost {
  const { scans, holdsCoefficients } = estimateJpegScans(bytes);
  const frame = tryParse(() => readJpegFrame(bytes));
  if (!frame) return { scans, isRefused: scans === 0 };
  const { width, height, components } = frame;
  return {
    scans,
    isRefused: scans === 0,
    // JPEGs with more bits per sample are decoded as a whole, and not by libvips.
    streams: !isDeep(frame),
    decoderBytes: holdsCoefficients ? coefficientBytes(width * height, components) : 0,
  };
}

export const jpeg = {
  name: 'JPEG',
  extensions: ['jpg', 'jpeg', 'jpe', 'jfif', 'mpo'],
  equivalentExtensions: ['jpeg', 'jpe', 'jfif'],
  contentTypes: ['image/jpeg'],
  pages: true,
  note: 'the images of a multi-picture file are its pages',
  coding: 'lossy',
  jpegStream: true,
  turning: { byExif: true },
  web: { kind: 'image', age: 'classic', everywhere: true },
  signature: { rank: 'common', matches: (bytes) => startsWith(bytes, '\xff\xd8\xff') && !isJpegLs(bytes) },
  magick: { coder: 'JPEG', partly: true },
  loader: 'jpegload_buffer',
  streams: true,
  readSize: readJpegFrame,
  estimateCost,
  metadata: { read, write },
  readFacts: jpegFacts,
  output: {
    lossless: false,
    lossy: true,
    alpha: false,
    animation: 'none',
    depth: EIGHT_BIT_DEPTH,
    grey: 'always',
    holds: { ...ALL_METADATA, gainMap: true },
    maxBlockBytes: JPEG_LIMITS,
    // JPEG_MAX_DIMENSION of libjpeg, which is less than the format's limit.
    maxSide: 65_500,
    encodingBytes: jpegEncodingBytes,
    chromaQualities: [80, 100, 1],
    pad,
  },
} as const satisfies Format;
