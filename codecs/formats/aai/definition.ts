import { type Format, MAGICK_FILES } from '../format.ts';

export const aai = {
  name: 'Dune HD image',
  extensions: ['aai'],
  contentTypes: ['image/x-aai'],
  alpha: true,
  named: true,
  needs: MAGICK_FILES,
} as const satisfies Format;
