import type { Format } from '../format.ts';

export const otb = {
  name: 'Over-the-air bitmap',
  extensions: ['otb'],
  contentTypes: ['image/x-otb'],
  named: true,
  magick: { coder: 'OTB' },
} as const satisfies Format;
