import type { Format } from '../format.ts';
import { isMacPaint } from './read.ts';

export const macpaint = {
  name: 'MacPaint',
  extensions: ['mac', 'pntg', 'macp'],
  contentTypes: ['image/x-macpaint'],
  signature: { rank: 'loose', matches: isMacPaint },
} as const satisfies Format;
