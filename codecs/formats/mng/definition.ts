import { at } from '../../signature.ts';
import { type Format, MAGICK_FILES } from '../format.ts';

export const mng = {
  name: 'MNG',
  extensions: ['mng'],
  contentTypes: ['video/x-mng'],
  alpha: true,
  pages: true,
  coding: 'lossless',
  signature: { rank: 'exact', matches: at(0, '\x8aMNG\r\n\x1a\n') },
  needs: MAGICK_FILES,
} as const satisfies Format;
