import { type Format, MAGICK_FILES } from '../format.ts';

export const otb = {
  name: 'Over-the-air bitmap',
  extensions: ['otb'],
  contentTypes: ['image/x-otb'],
  named: true,
  needs: MAGICK_FILES,
} as const satisfies Format;
