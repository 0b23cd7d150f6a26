import { isSpectrum512 } from '../../screens/spectrum512.ts';
import type { Format } from '../format.ts';

export const spectrum512 = {
  name: 'Atari ST Spectrum 512',
  extensions: ['spu', 'spc'],
  contentTypes: ['image/x-spectrum512'],
  named: true,
  matchesNamed: isSpectrum512,
} as const satisfies Format;
