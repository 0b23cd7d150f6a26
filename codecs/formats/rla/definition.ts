import { type Format, MAGICK_FILES } from '../format.ts';

export const rla = {
  name: 'Wavefront RLA',
  extensions: ['rla'],
  contentTypes: ['image/x-rla'],
  alpha: true,
  named: true,
  needs: MAGICK_FILES,
} as const satisfies Format;
