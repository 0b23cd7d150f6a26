import type { Format } from '../format.ts';
import { isDegas } from './read.ts';

export const degas = {
  name: 'Atari ST Degas',
  extensions: ['pi1', 'pi2', 'pi3', 'pc1', 'pc2', 'pc3'],
  contentTypes: ['image/x-degas'],
  named: true,
  matchesNamed: isDegas,
} as const satisfies Format;
