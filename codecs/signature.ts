/** Building blocks of signatures. Main-thread safe. */
import { latin1, startsWith, viewOf } from './metadata/bytes.ts';

export type Matcher = (bytes: Uint8Array) => boolean;

export const at =
  (offset: number, signature: string): Matcher =>
  (bytes) =>
    startsWith(bytes.subarray(offset), signature);

export const any =
  (...matchers: readonly Matcher[]): Matcher =>
  (bytes) =>
    matchers.some((matches) => matches(bytes));

export const all =
  (...matchers: readonly Matcher[]): Matcher =>
  (bytes) =>
    matchers.every((matches) => matches(bytes));

export const head = (bytes: Uint8Array, length: number): string => latin1(bytes.subarray(0, length));

const MAX_BRANDS = 64;

/** Matches the brands of the file type box at the start of ISO base media files (ISO/IEC 14496-12, 4.3). */
export function hasBrand(...wanted: readonly string[]): Matcher {
  return (bytes) => {
    if (!startsWith(bytes.subarray(4), 'ftyp')) return false;
    const boxEnd = Math.min(viewOf(bytes).getUint32(0), 16 + MAX_BRANDS * 4, bytes.length);
    // The major brand, its version, then the compatible brands.
    for (let offset = 8; offset + 4 <= boxEnd; offset += 4) {
      if (offset !== 12 && wanted.includes(latin1(bytes.subarray(offset, offset + 4)))) return true;
    }
    return false;
  };
}
