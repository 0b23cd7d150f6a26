import type { Owner } from '../../engine/ticket.ts';
import type { Caller } from './authenticate.ts';

/** Whose turn the work of a caller takes. */
export function ownerOf({ account, key }: Caller): Owner {
  return { account: account.id, key: key.id };
}
