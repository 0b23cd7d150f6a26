import type { Format } from '../format.ts';
import { isPam } from './read.ts';

export const pam = {
  name: 'Portable arbitrary map',
  extensions: ['pam'],
  contentTypes: ['image/x-portable-arbitrarymap'],
  alpha: true,
  signature: { rank: 'exact', matches: isPam },
} as const satisfies Format;
