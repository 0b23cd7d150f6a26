import { highDynamicRange } from '../../facts/high-dynamic-range.ts';
import { any, at } from '../../signature.ts';
import type { Format } from '../format.ts';

export const hdr = {
  name: 'Radiance HDR',
  extensions: ['hdr', 'rgbe', 'pic'],
  contentTypes: ['image/vnd.radiance'],
  signature: { rank: 'exact', matches: any(at(0, '#?RADIANCE'), at(0, '#?RGBE')) },
  loader: 'radload_buffer',
  streams: true,
  readFacts: highDynamicRange,
} as const satisfies Format;
