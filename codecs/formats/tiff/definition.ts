import type { Size } from '../../../base/geometry.ts';
import { tiffFacts } from '../../facts/tiff.ts';
import { tryParse } from '../../metadata/damage.ts';
import { read, write } from '../../metadata/tiff.ts';
import { any, at } from '../../signature.ts';
import { largest } from '../../size.ts';
import { ALL_METADATA, type DecodingCost, type Format } from '../format.ts';
import { readTiffLayout } from './layout.ts';
import { readTiffTags } from './tags.ts';

const IMAGE_WIDTH = 256;
const IMAGE_LENGTH = 257;

/** Reads the size of the largest page, because the requested page is not known here. */
function readSize(bytes: Uint8Array): Size | undefined {
  const pages = readTiffTags(bytes, [IMAGE_WIDTH, IMAGE_LENGTH]);
  return largest(pages.map((tags) => ({ width: tags.get(IMAGE_WIDTH) ?? 0, height: tags.get(IMAGE_LENGTH) ?? 0 })));
}

function estimateCost(bytes: Uint8Array, page: number): DecodingCost {
  const layout = tryParse(() => readTiffLayout(bytes, page));
  return layout
    ? {
        size: { ...layout, pages: readTiffTags(bytes, []).length },
        decoderBytes: layout.heldPixels * layout.bytesPerPixel,
      }
    : {};
}

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
    animation: 'none',
    pages: true,
    depth: { lossless: 16, lossy: 8 },
    grey: 'always',
    holds: ALL_METADATA,
    saver: 'tiffsave_buffer',
    usuallyLossless: true,
  },
} as const satisfies Format;
