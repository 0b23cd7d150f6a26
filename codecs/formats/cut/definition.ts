import type { Format } from '../format.ts';

export const cut = {
  name: 'Dr. Halo',
  extensions: ['cut'],
  contentTypes: ['image/x-cut'],
  named: true,
  magick: { coder: 'CUT' },
} as const satisfies Format;
