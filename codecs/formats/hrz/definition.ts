import type { Format } from '../format.ts';

export const hrz = {
  name: 'Slow-scan television',
  extensions: ['hrz'],
  contentTypes: ['image/x-hrz'],
  named: true,
  magick: { coder: 'HRZ' },
} as const satisfies Format;
