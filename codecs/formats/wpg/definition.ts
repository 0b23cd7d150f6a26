import { at } from '../../signature.ts';
import type { Format } from '../format.ts';

export const wpg = {
  name: 'WordPerfect graphic',
  extensions: ['wpg'],
  contentTypes: ['image/x-wpg'],
  note: 'bitmaps only',
  signature: { rank: 'exact', matches: at(0, '\xffWPC') },
  magick: { coder: 'WPG' },
} as const satisfies Format;
