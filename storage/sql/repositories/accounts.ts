import type { Selectable } from 'kysely';
import { newId } from '../../../base/id.ts';
import { timestamp } from '../../../base/timestamp.ts';
import { nameTaken } from '../../errors.ts';
import type { AccountChanges, Accounts, NewAccount } from '../../ports/accounts.ts';
import type { Account } from '../../records/accounts.ts';
import { prepared } from '../prepared.ts';
import { count, Repository } from '../repository.ts';
import type { Tables } from '../schema.ts';

const toAccount = (row: Selectable<Tables['accounts']>): Account => ({ ...row, disabled: row.disabled !== 0 });

const find = prepared((db, { id }: { id: string }) => db.selectFrom('accounts').selectAll().where('id', '=', id));

export class SqlAccounts extends Repository implements Accounts {
  async create(account: NewAccount): Promise<Account> {
    const row = await this.db
      .insertInto('accounts')
      .values({ id: newId('acct'), ...account, disabled: 0, createdAt: timestamp(Date.now()) })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .returningAll()
      .executeTakeFirst();
    if (!row) throw nameTaken(account.name);
    return toAccount(row);
  }

  async find(id: string): Promise<Account | undefined> {
    const [row] = await find(this.db, { id });
    return row && toAccount(row);
  }

  async findByName(name: string): Promise<Account | undefined> {
    const row = await this.db.selectFrom('accounts').selectAll().where('name', '=', name).executeTakeFirst();
    return row && toAccount(row);
  }

  async list(): Promise<Account[]> {
    const rows = await this.db.selectFrom('accounts').selectAll().orderBy('id').execute();
    return rows.map(toAccount);
  }

  async page({ limit, offset }: { limit: number; offset: number }): Promise<{ accounts: Account[]; total: number }> {
    const all = this.db.selectFrom('accounts');
    const rows = await all.selectAll().orderBy('id').limit(limit).offset(offset).execute();
    return { accounts: rows.map(toAccount), total: await count(all) };
  }

  async any(): Promise<boolean> {
    return (await this.db.selectFrom('accounts').select('id').limit(1).executeTakeFirst()) !== undefined;
  }

  async update(id: string, { disabled, ...changes }: AccountChanges): Promise<Account | undefined> {
    const row = await this.db
      .updateTable('accounts')
      // The id is set to itself because SQL does not allow an update without columns.
      .set({ id, ...changes, ...(disabled === undefined ? {} : { disabled: Number(disabled) }) })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst();
    return row && toAccount(row);
  }
}
