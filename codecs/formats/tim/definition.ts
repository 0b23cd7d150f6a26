import { type Format, MAGICK_FILES } from '../format.ts';

export const tim = {
  name: 'PlayStation TIM',
  extensions: ['tim'],
  contentTypes: ['image/x-tim'],
  named: true,
  needs: MAGICK_FILES,
} as const satisfies Format;
