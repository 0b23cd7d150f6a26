import { highDynamicRange } from '../../facts/high-dynamic-range.ts';
import { at } from '../../signature.ts';
import type { Format } from '../format.ts';

export const exr = {
  name: 'OpenEXR',
  extensions: ['exr'],
  contentTypes: ['image/x-exr'],
  alpha: true,
  signature: { rank: 'exact', matches: at(0, 'v/1\x01') },
  magick: { coder: 'EXR', partly: true },
  readFacts: highDynamicRange,
} as const satisfies Format;
