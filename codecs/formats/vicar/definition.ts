import { at } from '../../signature.ts';
import { type Format, MAGICK_FILES } from '../format.ts';

export const vicar = {
  name: 'VICAR',
  extensions: ['vicar', 'vic'],
  contentTypes: ['image/x-vicar'],
  signature: { rank: 'exact', matches: at(0, 'LBLSIZE=') },
  needs: MAGICK_FILES,
} as const satisfies Format;
