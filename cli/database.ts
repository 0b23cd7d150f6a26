import { expected, Failure } from '../base/failure.ts';
import { loadConfig } from '../server/config.ts';
import { openDatabase } from '../storage/open-database.ts';
import type { Accounts } from '../storage/ports/accounts.ts';
import type { Database } from '../storage/ports/database.ts';
import type { Account } from '../storage/records/accounts.ts';
import type { Io } from './io.ts';

/** Runs `work` on the database of the settings. A running server may have the database open too. */
export async function withDatabase<T>(io: Io, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(loadConfig(io.env));
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** @throws Failure if no account has that name or id */
export async function accountNamed(accounts: Accounts, nameOrId: string): Promise<Account> {
  const account = (await accounts.find(nameOrId)) ?? (await accounts.findByName(nameOrId));
  if (!account) throw new Failure('not_found', expected('the name or id of an account', '--account', nameOrId));
  return account;
}
