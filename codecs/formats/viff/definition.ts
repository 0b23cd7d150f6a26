import { at } from '../../signature.ts';
import { type Format, MAGICK_FILES } from '../format.ts';

export const viff = {
  name: 'Khoros VIFF',
  extensions: ['viff', 'xv'],
  contentTypes: ['image/x-viff'],
  signature: { rank: 'exact', matches: at(0, '\xab\x01') },
  needs: MAGICK_FILES,
} as const satisfies Format;
