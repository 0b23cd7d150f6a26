import { isDegas } from '../../screens/degas.ts';
import type { Format } from '../format.ts';

export const degas = {
  name: 'Atari ST Degas',
  extensions: ['pi1', 'pi2', 'pi3', 'pc1', 'pc2', 'pc3'],
  contentTypes: ['image/x-degas'],
  named: true,
  matchesNamed: isDegas,
} as const satisfies Format;
