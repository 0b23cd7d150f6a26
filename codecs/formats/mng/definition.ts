import { at } from '../../signature.ts';
import type { Format } from '../format.ts';
import { mngClaims } from './claims.ts';

export const mng = {
  name: 'MNG',
  extensions: ['mng'],
  contentTypes: ['video/x-mng'],
  alpha: true,
  pages: true,
  coding: 'lossless',
  signature: { rank: 'exact', matches: at(0, '\x8aMNG\r\n\x1a\n') },
  magick: { coder: 'MNG', pages: 'animation', alpha: () => true, claims: mngClaims, calls: ['JPEG', 'PNG', 'JNG'] },
} as const satisfies Format;
