import { at } from '../../signature.ts';
import type { Format } from '../format.ts';

export const djvu = {
  name: 'DjVu',
  extensions: ['djvu', 'djv'],
  contentTypes: ['image/vnd.djvu'],
  pages: true,
  coding: 'lossy',
  signature: { rank: 'exact', matches: at(0, 'AT&TFORM') },
} as const satisfies Format;
