import { any, at } from '../../signature.ts';
import type { Format } from '../format.ts';

export const cals = {
  name: 'CALS raster',
  extensions: ['cals', 'cal'],
  contentTypes: ['image/x-cals'],
  named: true,
  signature: { rank: 'exact', matches: any(at(0, 'srcdocid:'), at(0, 'version: MIL-STD-1840')) },
} as const satisfies Format;
