import { at } from '../../signature.ts';
import { type Format, MAGICK_FILES } from '../format.ts';

export const jng = {
  name: 'JNG',
  extensions: ['jng'],
  contentTypes: ['image/x-jng'],
  alpha: true,
  coding: 'lossy',
  signature: { rank: 'exact', matches: at(0, '\x8bJNG\r\n\x1a\n') },
  needs: MAGICK_FILES,
} as const satisfies Format;
