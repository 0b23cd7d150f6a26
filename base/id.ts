import { monotonicFactory } from 'ulid';

/** Prefixes of public ids (spec/shapes.md, section 3), plus `req` for requests. */
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

/** Later ones of one millisecond sort after earlier ones. */
const ulid = monotonicFactory();

/** A new id: the prefix, `_` and a 26-character ULID, so that ids sort in the order in which they were made. */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${ulid()}`;
}
