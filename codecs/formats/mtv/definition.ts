import { type Format, MAGICK_FILES } from '../format.ts';

export const mtv = {
  name: 'MTV ray tracer',
  extensions: ['mtv'],
  contentTypes: ['image/x-mtv'],
  named: true,
  needs: MAGICK_FILES,
} as const satisfies Format;
