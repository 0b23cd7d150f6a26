import { startsWith } from '../../metadata/bytes.ts';
import { read } from '../../metadata/jp2.ts';
import { any, at } from '../../signature.ts';
import type { Format } from '../format.ts';
import { hasAlpha, jp2Claims, NAME } from './claims.ts';
import { jp2Facts } from './facts.ts';

export const jp2 = {
  name: NAME,
  extensions: ['jp2', 'j2k', 'j2c', 'jpc', 'jpf', 'jpx', 'jpm'],
  contentTypes: ['image/jp2', 'image/j2c'],
  alpha: true,
  coding: 'lossy',
  web: { kind: 'image' },
  signature: { rank: 'exact', matches: any(at(0, '\0\0\0\x0cjP  '), at(0, '\xff\x4f\xff\x51')) },
  magick: {
    coder: (bytes) => (startsWith(bytes, '\xff\x4f') ? 'J2K' : 'JP2'),
    alpha: hasAlpha,
    claims: jp2Claims,
    // Three components of 32 bits, and ImageMagick's samples.
    working: 16,
    calls: ['J2K', 'JP2'],
  },
  metadata: { read },
  readFacts: jp2Facts,
} as const satisfies Format;
