import { any, at } from '../../signature.ts';
import { type Format, MAGICK_FILES } from '../format.ts';

export const dpx = {
  name: 'DPX',
  extensions: ['dpx'],
  contentTypes: ['image/x-dpx'],
  alpha: true,
  signature: { rank: 'exact', matches: any(at(0, 'SDPX'), at(0, 'XPDS')) },
  needs: MAGICK_FILES,
} as const satisfies Format;
