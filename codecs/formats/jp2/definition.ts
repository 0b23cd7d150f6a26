import { read } from '../../metadata/jp2.ts';
import { any, at } from '../../signature.ts';
import { type Format, MAGICK_FILES } from '../format.ts';
import { jp2Facts } from './facts.ts';

export const jp2 = {
  name: 'JPEG 2000',
  extensions: ['jp2', 'j2k', 'j2c', 'jpc', 'jpf', 'jpx', 'jpm'],
  contentTypes: ['image/jp2', 'image/j2c'],
  alpha: true,
  coding: 'lossy',
  web: { kind: 'image' },
  signature: { rank: 'exact', matches: any(at(0, '\0\0\0\x0cjP  '), at(0, '\xff\x4f\xff\x51')) },
  needs: MAGICK_FILES,
  metadata: { read },
  readFacts: jp2Facts,
} as const satisfies Format;
