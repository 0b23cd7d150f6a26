import { isPam } from '../../legacy/pam.ts';
import type { Format } from '../format.ts';

export const pam = {
  name: 'Portable arbitrary map',
  extensions: ['pam'],
  contentTypes: ['image/x-portable-arbitrarymap'],
  alpha: true,
  signature: { rank: 'exact', matches: isPam },
} as const satisfies Format;
