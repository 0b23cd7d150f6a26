import type { Database } from '../../storage/database.ts';
import type { Account } from '../../storage/repositories/accounts.ts';
import { issueKey, SCOPES } from './keys.ts';

/**
 * Makes the first account and a live key for it, when there is no account yet. Pro, because whoever starts the service
 * is its operator.
 * @returns the account with its key, which must be shown now or never; undefined when there were accounts
 */
export async function firstStart(database: Database): Promise<{ account: Account; key: string } | undefined> {
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
    return { account, key };
  });
}
