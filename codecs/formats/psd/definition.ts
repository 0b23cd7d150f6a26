import { Reader } from '../../metadata/bytes.ts';
import { at } from '../../signature.ts';
import { ALL_METADATA, type Format } from '../format.ts';
import { NAME, psdDeclaredPixels } from './claims.ts';
import { psdFacts } from './facts.ts';
import { read } from './metadata.ts';

export const psd = {
  name: NAME,
  extensions: ['psd', 'psb'],
  contentTypes: ['image/vnd.adobe.photoshop'],
  alpha: true,
  note: 'the merged image',
  replacementLoss: 'a Photoshop file, whose layers would be joined',
  signature: { rank: 'common', matches: at(0, '8BPS') },
  magick: { coder: 'PSD', pages: 'first', claims: psdDeclaredPixels },
  readSize: (bytes) => {
    const reader = new Reader(bytes, NAME);
    return { height: reader.u32(14), width: reader.u32(18) };
  },
  metadata: { read },
  readFacts: psdFacts,
  output: {
    lossless: true,
    lossy: false,
    alpha: true,
    animation: 'none',
    depth: { lossless: 16, lossy: 16 },
    grey: 'always',
    holds: ALL_METADATA,
    maxSide: 30_000,
    encodingBytes: (pixels) => pixels * 14,
    usuallyLossless: true,
  },
} as const satisfies Format;
