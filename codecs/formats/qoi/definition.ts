import { at } from '../../signature.ts';
import type { Format } from '../format.ts';

export const qoi = {
  name: 'QOI',
  extensions: ['qoi'],
  contentTypes: ['image/qoi'],
  alpha: true,
  coding: 'lossless',
  signature: { rank: 'exact', matches: at(0, 'qoif') },
} as const satisfies Format;
