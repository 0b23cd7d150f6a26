import { at } from '../../signature.ts';
import type { Format } from '../format.ts';

export const sct = {
  name: 'Scitex CT',
  extensions: ['sct', 'ct'],
  contentTypes: ['image/x-scitex-ct'],
  named: true,
  signature: { rank: 'loose', matches: at(80, 'CT') },
  magick: { coder: 'SCT' },
} as const satisfies Format;
