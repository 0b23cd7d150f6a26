import type { Format } from '../format.ts';

export const tim = {
  name: 'PlayStation TIM',
  extensions: ['tim'],
  contentTypes: ['image/x-tim'],
  named: true,
  magick: { coder: 'TIM' },
} as const satisfies Format;
