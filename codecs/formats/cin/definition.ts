import { any, at } from '../../signature.ts';
import type { Format } from '../format.ts';

export const cin = {
  name: 'Kodak Cineon',
  extensions: ['cin'],
  contentTypes: ['image/x-cineon'],
  signature: { rank: 'exact', matches: any(at(0, '\x80\x2a\x5f\xd7'), at(0, '\xd7\x5f\x2a\x80')) },
  magick: { coder: 'CIN' },
} as const satisfies Format;
