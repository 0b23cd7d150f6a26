import { at } from '../../signature.ts';
import { type Format, MAGICK_FILES } from '../format.ts';

export const wpg = {
  name: 'WordPerfect graphic',
  extensions: ['wpg'],
  contentTypes: ['image/x-wpg'],
  note: 'bitmaps only',
  signature: { rank: 'exact', matches: at(0, '\xffWPC') },
  needs: MAGICK_FILES,
} as const satisfies Format;
