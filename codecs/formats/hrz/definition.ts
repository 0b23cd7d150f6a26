import { type Format, MAGICK_FILES } from '../format.ts';

export const hrz = {
  name: 'Slow-scan television',
  extensions: ['hrz'],
  contentTypes: ['image/x-hrz'],
  named: true,
  needs: MAGICK_FILES,
} as const satisfies Format;
