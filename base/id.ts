import { randomFillSync } from 'node:crypto';
import { monotonicFactory } from 'ulid';

/** Prefixes of public ids (docs/spec/shapes.md, section 3), plus `req` for requests. */
export type IdPrefix =
  | 'acct'
  | 'key'
  | 'req'
  | 'file'
  | 'pkg'
  | 'job'
  | 'msg'
  | 'proj'
  | 'scan'
  | 'opt'
  | 'plan'
  | 'bak';

/** Pool of random bytes. The library would request its 16 bytes one by one, which takes 0.25 ms per id. */
const random = new Uint8Array(4096);
let used = random.length;

/** A number from 0 to less than 1, made of 8 random bits. The library uses 5 bits of each. */
function randomFraction(): number {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  return random[used++]! / 256;
}

/** Within one millisecond, later ids sort after earlier ones. */
const ulid = monotonicFactory(randomFraction);

/** Makes a new id: the prefix, `_` and a 26-character ULID, so that ids sort in the order in which they were made. */
export const newId = (prefix: IdPrefix): string => `${prefix}_${ulid()}`;
