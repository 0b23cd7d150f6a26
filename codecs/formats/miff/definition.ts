import { at } from '../../signature.ts';
import { type Format, MAGICK_FILES } from '../format.ts';

export const miff = {
  name: 'ImageMagick image',
  extensions: ['miff', 'mif'],
  contentTypes: ['image/x-miff'],
  alpha: true,
  pages: true,
  signature: { rank: 'exact', matches: at(0, 'id=ImageMagick') },
  needs: MAGICK_FILES,
} as const satisfies Format;
