import { at } from '../../signature.ts';
import type { Format } from '../format.ts';

export const farbfeld = {
  name: 'farbfeld',
  extensions: ['ff'],
  contentTypes: ['image/x-farbfeld'],
  alpha: true,
  signature: { rank: 'exact', matches: at(0, 'farbfeld') },
} as const satisfies Format;
