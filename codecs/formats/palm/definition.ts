import type { Format } from '../format.ts';

export const palm = {
  name: 'Palm bitmap',
  extensions: ['palm'],
  contentTypes: ['image/x-palm'],
  named: true,
} as const satisfies Format;
