import { at } from '../../signature.ts';
import type { Format } from '../format.ts';

export const pdb = {
  name: 'Palm ImageViewer',
  extensions: ['pdb'],
  contentTypes: ['image/x-palm-imageviewer'],
  named: true,
  signature: { rank: 'loose', matches: at(60, 'vIMGView') },
  magick: { coder: 'PDB' },
} as const satisfies Format;
