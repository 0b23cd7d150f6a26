import { any, at } from '../../signature.ts';
import type { Format } from '../format.ts';

export const pcd = {
  name: 'Kodak Photo CD',
  extensions: ['pcd'],
  contentTypes: ['image/x-photo-cd'],
  signature: { rank: 'exact', matches: any(at(2048, 'PCD_'), at(0, 'PCD_OPA')) },
  magick: { coder: 'PCD' },
} as const satisfies Format;
