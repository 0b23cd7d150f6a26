import { tiffFacts } from '../../facts/tiff.ts';
import { read, write } from '../../metadata/tiff.ts';
import { any, at } from '../../signature.ts';
import { ALL_METADATA, type Format } from '../format.ts';
import { estimateCost } from './cost.ts';
import { readSize } from './size.ts';

export const tiff = {
  name: 'TIFF',
  extensions: ['tif', 'tiff'],
  equivalentExtensions: ['tiff'],
  contentTypes: ['image/tiff'],
  alpha: true,
  pages: true,
  web: { kind: 'image', age: 'classic' },
  signature: { rank: 'exact', matches: any(at(0, 'II*\0'), at(0, 'MM\0*'), at(0, 'II+\0'), at(0, 'MM\0+')) },
  magick: { coder: 'TIFF', pages: 'each', partly: true },
  loader: 'tiffload_buffer',
  streams: true,
  readSize,
  estimateCost,
  metadata: { read, write },
  readFacts: tiffFacts,
  output: {
    lossless: true,
    lossy: true,
    alpha: true,
    animation: false,
    depth: 16,
    holds: ALL_METADATA,
    saver: 'tiffsave_buffer',
    usuallyLossless: true,
  },
} as const satisfies Format;
