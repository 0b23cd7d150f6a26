import type { Format } from '../format.ts';

export const aai = {
  name: 'Dune HD image',
  extensions: ['aai'],
  contentTypes: ['image/x-aai'],
  alpha: true,
  named: true,
  magick: { coder: 'AAI' },
} as const satisfies Format;
