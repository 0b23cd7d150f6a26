import { at } from '../../signature.ts';
import { type Format, MAGICK_FILES } from '../format.ts';

export const dds = {
  name: 'DirectDraw surface',
  extensions: ['dds'],
  contentTypes: ['image/vnd.ms-dds'],
  alpha: true,
  signature: { rank: 'exact', matches: at(0, 'DDS ') },
  needs: MAGICK_FILES,
} as const satisfies Format;
