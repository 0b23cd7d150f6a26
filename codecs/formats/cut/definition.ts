import { type Format, MAGICK_FILES } from '../format.ts';

export const cut = {
  name: 'Dr. Halo',
  extensions: ['cut'],
  contentTypes: ['image/x-cut'],
  named: true,
  needs: MAGICK_FILES,
} as const satisfies Format;
