import { at } from '../../signature.ts';
import type { Format } from '../format.ts';

export const dcx = {
  name: 'DCX',
  extensions: ['dcx'],
  contentTypes: ['image/x-dcx'],
  alpha: true,
  pages: true,
  signature: { rank: 'exact', matches: at(0, '\xb1\x68\xde\x3a') },
} as const satisfies Format;
