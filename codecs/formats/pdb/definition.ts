import { at } from '../../signature.ts';
import { type Format, MAGICK_FILES } from '../format.ts';

export const pdb = {
  name: 'Palm ImageViewer',
  extensions: ['pdb'],
  contentTypes: ['image/x-palm-imageviewer'],
  named: true,
  signature: { rank: 'loose', matches: at(60, 'vIMGView') },
  needs: MAGICK_FILES,
} as const satisfies Format;
