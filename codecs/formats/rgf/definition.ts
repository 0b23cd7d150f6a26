import type { Format } from '../format.ts';

export const rgf = {
  name: 'LEGO EV3 bitmap',
  extensions: ['rgf'],
  contentTypes: ['image/x-rgf'],
  named: true,
} as const satisfies Format;
