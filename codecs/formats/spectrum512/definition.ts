import type { Format } from '../format.ts';
import { isSpectrum512 } from './read.ts';

export const spectrum512 = {
  name: 'Atari ST Spectrum 512',
  extensions: ['spu', 'spc'],
  contentTypes: ['image/x-spectrum512'],
  named: true,
  matchesNamed: isSpectrum512,
} as const satisfies Format;
