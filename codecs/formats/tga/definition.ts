import { latin1, Reader } from '../../metadata/bytes.ts';
import { EIGHT_BIT_DEPTH, type Format, NO_METADATA } from '../format.ts';

const NAME = 'Truevision TGA';

export const tga = {
  name: NAME,
  extensions: ['tga', 'icb', 'vda', 'vst'],
  contentTypes: ['image/x-tga'],
  alpha: true,
  named: true,
  signature: { rank: 'loose', matches: (bytes) => latin1(bytes.subarray(-18)) === 'TRUEVISION-XFILE.\0' },
  readSize: (bytes) => {
    const reader = new Reader(bytes, NAME, true);
    return { width: reader.u16(12), height: reader.u16(14) };
  },
  output: {
    lossless: true,
    lossy: false,
    alpha: true,
    animation: 'none',
    depth: EIGHT_BIT_DEPTH,
    holds: NO_METADATA,
    maxSide: 65_535,
    encodingBytes: (pixels) => pixels * 14,
    usuallyLossless: true,
  },
} as const satisfies Format;
