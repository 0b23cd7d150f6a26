import { viewOf } from '../../metadata/bytes.ts';
import type { Format } from '../format.ts';
import { HEADER_BYTES, hasHeader } from './header.ts';

export const xwd = {
  name: 'X window dump',
  extensions: ['xwd'],
  contentTypes: ['image/x-xwindowdump'],
  signature: { rank: 'loose', matches: (bytes) => bytes.length >= HEADER_BYTES && hasHeader(viewOf(bytes)) },
} as const satisfies Format;
