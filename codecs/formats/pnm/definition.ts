import { head } from '../../signature.ts';
import type { Format } from '../format.ts';

export const pnm = {
  name: 'Portable anymap',
  extensions: ['pnm', 'pbm', 'pgm', 'ppm', 'pfm'],
  contentTypes: [
    'image/x-portable-anymap',
    'image/x-portable-bitmap',
    'image/x-portable-graymap',
    'image/x-portable-pixmap',
  ],
  note: 'with portable float maps',
  signature: { rank: 'exact', matches: (bytes) => /^P[1-6Ff][\s#]/.test(head(bytes, 3)) },
  loader: 'ppmload_buffer',
  streams: true,
} as const satisfies Format;
