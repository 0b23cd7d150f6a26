import { latin1, startsWith } from '../../metadata/bytes.ts';
import type { Format } from '../format.ts';

/**
 * Whether the bytes are a device control string whose numbers end with `q`. It starts with ESC P or the equivalent
 * single byte.
 */
function isSixel(bytes: Uint8Array): boolean {
  const start = startsWith(bytes, '\x1bP') ? 2 : bytes[0] === 0x90 ? 1 : undefined;
  return start !== undefined && /^[0-9;]*q/.test(latin1(bytes.subarray(start, 32)));
}

export const sixel = {
  name: 'Sixel',
  extensions: ['six', 'sixel'],
  contentTypes: ['image/x-sixel'],
  named: true,
  signature: { rank: 'loose', matches: isSixel },
} as const satisfies Format;
