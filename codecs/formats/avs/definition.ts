import type { Format } from '../format.ts';

export const avs = {
  name: 'AVS image',
  extensions: ['avs', 'x'],
  contentTypes: ['image/x-avs'],
  alpha: true,
  named: true,
  magick: { coder: 'AVS' },
} as const satisfies Format;
