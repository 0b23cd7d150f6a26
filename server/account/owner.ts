import type { Owner } from '../../engine/ticket.ts';
import type { Caller } from '../http/context.ts';

/** Returns the account and key among which the queue shares the workers. */
export const ownerOf = ({ account, key }: Caller): Owner => ({ account: account.id, key: key.id });
