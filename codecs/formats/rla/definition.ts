import type { Format } from '../format.ts';

export const rla = {
  name: 'Wavefront RLA',
  extensions: ['rla'],
  contentTypes: ['image/x-rla'],
  alpha: true,
  named: true,
  magick: { coder: 'RLA' },
} as const satisfies Format;
