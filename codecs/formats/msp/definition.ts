import { any, at } from '../../signature.ts';
import type { Format } from '../format.ts';

export const msp = {
  name: 'Microsoft Paint 1 and 2',
  extensions: ['msp'],
  contentTypes: ['image/x-msp'],
  signature: { rank: 'exact', matches: any(at(0, 'DanM'), at(0, 'LinS')) },
} as const satisfies Format;
