import { type Format, MAGICK_FILES } from '../format.ts';

export const avs = {
  name: 'AVS image',
  extensions: ['avs', 'x'],
  contentTypes: ['image/x-avs'],
  alpha: true,
  named: true,
  needs: MAGICK_FILES,
} as const satisfies Format;
