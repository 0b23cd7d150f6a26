/** Parses `Range` for a single range of a file (RFC 9110, section 14). */
import type { ByteRange } from '../../storage/ports/file-store.ts';

const ONE_RANGE = /^bytes=(?:([0-9]{1,15})-([0-9]{1,15})?|-([0-9]{1,15}))$/;

/**
 * Returns the requested range. Returns undefined, which means the whole file, also for several ranges, other units and
 * invalid text. Returns `unsatisfiable` for a range outside the file.
 */
export function parseRange(header: string, bytes: number): ByteRange | 'unsatisfiable' | undefined {
  const match = ONE_RANGE.exec(header);
  if (!match) return undefined;
  const [, first, last, suffix] = match;
  if (first === undefined) {
    const length = Math.min(Number(suffix), bytes);
    return length === 0 ? 'unsatisfiable' : { start: bytes - length, end: bytes - 1 };
  }
  const start = Number(first);
  const end = Math.min(last === undefined ? bytes - 1 : Number(last), bytes - 1);
  if (last !== undefined && Number(last) < start) return undefined;
  return start >= bytes ? 'unsatisfiable' : { start, end };
}
