import type { Format } from '../format.ts';

export const mtv = {
  name: 'MTV ray tracer',
  extensions: ['mtv'],
  contentTypes: ['image/x-mtv'],
  named: true,
  magick: { coder: 'MTV' },
} as const satisfies Format;
