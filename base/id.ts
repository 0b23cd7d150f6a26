import { ulid } from 'ulid';

/** Prefixes of public ids (spec/shapes.md, section 3), plus `req` for requests. */
export type IdPrefix = 'acct' | 'key' | 'req' | 'file' | 'pkg';

/** A new id: the prefix, `_` and a 26-character ULID, so that ids sort by the time they were made. */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${ulid()}`;
}
