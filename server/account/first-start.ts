import type { Database } from '../../storage/ports/database.ts';
import type { Account } from '../../storage/records/accounts.ts';
import { issueKey, SCOPES } from './keys.ts';

export interface FirstAccount {
  account: Account;
  key: string;
}

/**
 * Creates the first account and a live key for it, if there is no account yet.
 * It has the plan pro, because whoever starts the service is its operator.
 * @param keep called with the key before the account is committed; if it fails, no account is created
 * @returns the account with its key, which is not stored and must be shown now; undefined if there were accounts
 */
export async function createFirstAccount(
  database: Database,
  keep: (key: string) => Promise<void> | void = () => {},
): Promise<FirstAccount | undefined> {
  return await database.transaction(async ({ accounts, keys }) => {
    if (await accounts.any()) return undefined;
    const account = await accounts.create({ name: 'default', email: null, plan: 'pro' });
    const { key } = await issueKey(keys, {
      accountId: account.id,
      name: 'first key',
      mode: 'live',
      scopes: SCOPES,
      monthlyLimit: null,
      expiresAt: null,
    });
    await keep(key);
    return { account, key };
  });
}
