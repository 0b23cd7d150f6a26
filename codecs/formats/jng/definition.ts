import { at } from '../../signature.ts';
import type { Format } from '../format.ts';

/** Offset of the colour type in the header: 12 is grey, 14 colour with alpha (JNG 1.0, section 1.1.1). */
const JNG_COLOUR_TYPE_AT = 24;
const JNG_ALPHA = 4;

export const jng = {
  name: 'JNG',
  extensions: ['jng'],
  contentTypes: ['image/x-jng'],
  alpha: true,
  coding: 'lossy',
  signature: { rank: 'exact', matches: at(0, '\x8bJNG\r\n\x1a\n') },
  magick: {
    coder: 'JNG',
    alpha: (bytes) => ((bytes[JNG_COLOUR_TYPE_AT] ?? 0) & JNG_ALPHA) !== 0,
    calls: ['JPEG', 'PNG'],
  },
} as const satisfies Format;
