import type { Selectable } from 'kysely';
import { newId } from '../../../base/id.ts';
import { timestamp } from '../../../base/timestamp.ts';
import type { KeyChanges, Keys, NewKey } from '../../ports/keys.ts';
import type { Key, UsedKey } from '../../records/keys.ts';
import { prepared } from '../prepared.ts';
import { Repository } from '../repository.ts';
import type { Tables } from '../schema.ts';

type Lists = Pick<Key, 'scopes' | 'limitedBy'>;

function toKey<R extends Selectable<Tables['keys']>>(row: R): Omit<R, keyof Lists> & Lists {
  return {
    ...row,
    scopes: JSON.parse(row.scopes) as string[],
    limitedBy: row.limitedBy === '[]' ? [] : (JSON.parse(row.limitedBy) as string[]),
  };
}

const findByHash = prepared((db, { hash }: { hash: string }) =>
  db.selectFrom('keys').selectAll().where('hash', '=', hash),
);

export class SqlKeys extends Repository implements Keys {
  async create({ scopes, limitedBy = [], ...key }: NewKey): Promise<Key> {
    const row = await this.db
      .insertInto('keys')
      .values({
        id: newId('key'),
        ...key,
        scopes: JSON.stringify(scopes),
        limitedBy: JSON.stringify(limitedBy),
        createdAt: timestamp(Date.now()),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    return toKey(row);
  }

  async findByHash(hash: string): Promise<Key | undefined> {
    const [row] = await findByHash(this.db, { hash });
    return row && toKey(row);
  }

  async some(ids: readonly string[]): Promise<Key[]> {
    const rows = await this.db.selectFrom('keys').selectAll().where('id', 'in', ids).orderBy('id').execute();
    return rows.map(toKey);
  }

  async find(id: string, accountId: string): Promise<Key | undefined> {
    const row = await this.db
      .selectFrom('keys')
      .selectAll()
      .where('id', '=', id)
      .where('accountId', '=', accountId)
      .executeTakeFirst();
    return row && toKey(row);
  }

  async list(month: string, accountId?: string): Promise<UsedKey[]> {
    const all = this.#withUse(month);
    const rows = await (accountId === undefined ? all : all.where('keys.accountId', '=', accountId)).execute();
    return rows.map(toKey);
  }

  async someWithUse(month: string, ids: readonly string[]): Promise<UsedKey[]> {
    const rows = await this.#withUse(month).where('keys.id', 'in', ids).execute();
    return rows.map(toKey);
  }

  async usableIds(accountId: string, now: string): Promise<string[]> {
    const kept = this.#notRevoked(accountId).select('id');
    const rows = await kept
      .where('expiresAt', 'is', null)
      .unionAll(kept.where('expiresAt', '>', now))
      .execute();
    return rows.map(({ id }) => id);
  }

  async lastEndedIds(accountId: string, now: string, max: number): Promise<string[]> {
    const revoked = await this.db
      .selectFrom('keys')
      .select((eb) => ['id', eb.ref('revokedAt').$notNull().as('endedAt')])
      .where('accountId', '=', accountId)
      .where('revokedAt', 'is not', null)
      .orderBy('revokedAt', 'desc')
      .limit(max)
      .execute();
    const expired = await this.#notRevoked(accountId)
      .select((eb) => ['id', eb.ref('expiresAt').$notNull().as('endedAt')])
      .where('expiresAt', '<=', now)
      .orderBy('expiresAt', 'desc')
      .limit(max)
      .execute();
    return [...revoked, ...expired]
      .sort((one, other) => (one.endedAt < other.endedAt ? 1 : -1))
      .slice(0, max)
      .map(({ id }) => id);
  }

  #notRevoked(accountId: string) {
    return this.db.selectFrom('keys').where('accountId', '=', accountId).where('revokedAt', 'is', null);
  }

  #withUse(month: string) {
    return this.db
      .selectFrom('keys')
      .leftJoin('meters', (join) => join.onRef('meters.subject', '=', 'keys.id').on('meters.period', '=', month))
      .selectAll('keys')
      .select(({ eb, fn, lit }) => fn.coalesce(eb('meters.requests', '+', eb.ref('meters.ai')), lit(0)).as('used'))
      .orderBy('keys.id');
  }

  async update(id: string, accountId: string, { scopes, ...changes }: KeyChanges): Promise<Key | undefined> {
    const row = await this.db
      .updateTable('keys')
      // The id is set to itself because SQL does not allow an update without columns.
      .set({ id, ...changes, ...(scopes === undefined ? {} : { scopes: JSON.stringify(scopes) }) })
      .where('id', '=', id)
      .where('accountId', '=', accountId)
      .where('revokedAt', 'is', null)
      .returningAll()
      .executeTakeFirst();
    return row && toKey(row);
  }

  async revoke(id: string, accountId?: string): Promise<Key | undefined> {
    const one = this.db
      .updateTable('keys')
      .set(({ fn, ref, val }) => ({ revokedAt: fn.coalesce(ref('revokedAt'), val(timestamp(Date.now()))) }))
      .where('id', '=', id);
    const row = await (accountId === undefined ? one : one.where('accountId', '=', accountId))
      .returningAll()
      .executeTakeFirst();
    return row && toKey(row);
  }

  async touch(id: string, lastUsedAt: string): Promise<void> {
    await this.db.updateTable('keys').set({ lastUsedAt }).where('id', '=', id).execute();
  }
}
