import { at } from '../../signature.ts';
import type { Format } from '../format.ts';

export const viff = {
  name: 'Khoros VIFF',
  extensions: ['viff', 'xv'],
  contentTypes: ['image/x-viff'],
  signature: { rank: 'exact', matches: at(0, '\xab\x01') },
  magick: { coder: 'VIFF' },
} as const satisfies Format;
