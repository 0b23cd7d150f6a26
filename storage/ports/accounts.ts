import type { Account } from '../records/accounts.ts';

export type NewAccount = Pick<Account, 'name' | 'email' | 'plan'>;

export type AccountChanges = Partial<Pick<Account, 'email' | 'plan' | 'disabled'>>;

export interface Accounts {
  /** @throws Failure when another account has the name */
  create(account: NewAccount): Promise<Account>;
  find(id: string): Promise<Account | undefined>;
  findByName(name: string): Promise<Account | undefined>;
  /** All accounts, oldest first. */
  list(): Promise<Account[]>;
  /** One page of all accounts, oldest first, and the total number. */
  page(range: { limit: number; offset: number }): Promise<{ accounts: Account[]; total: number }>;
  any(): Promise<boolean>;
  /** Returns undefined when the account does not exist. */
  update(id: string, changes: AccountChanges): Promise<Account | undefined>;
}
