import type { Kysely, Selectable } from 'kysely';
import { newId } from '../../base/id.ts';
import { prepared } from '../prepared.ts';
import { type KeyTable, type Tables, timestamp } from '../schema.ts';

export interface Key {
  id: string;
  accountId: string;
  name: string;
  mode: 'live' | 'test';
  /** The first characters of the key, for recognising it. */
  prefix: string;
  /** SHA-256 of the key in hex; the key itself is not kept. */
  hash: string;
  scopes: readonly string[];
  monthlyLimit: number | null;
  createdAt: string;
  /** To the minute. */
  lastUsedAt: string | null;
  expiresAt: string | null;
  revokedAt: string | null;
}

export type NewKey = Omit<Key, 'id' | 'createdAt' | 'lastUsedAt' | 'revokedAt'>;

function toKey(row: Selectable<KeyTable>): Key {
  return { ...row, scopes: JSON.parse(row.scopes) as string[] };
}

const findByHash = prepared((db, { hash }: { hash: string }) =>
  db.selectFrom('keys').selectAll().where('hash', '=', hash),
);

export class Keys {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async create({ scopes, ...key }: NewKey): Promise<Key> {
    const row = await this.#db
      .insertInto('keys')
      .values({ id: newId('key'), ...key, scopes: JSON.stringify(scopes), createdAt: timestamp(Date.now()) })
      .returningAll()
      .executeTakeFirstOrThrow();
    return toKey(row);
  }

  async findByHash(hash: string): Promise<Key | undefined> {
    const [row] = await findByHash(this.#db, { hash });
    return row && toKey(row);
  }

  /** The keys of one account, or of all, oldest first; revoked ones too. */
  async list(accountId?: string): Promise<Key[]> {
    const all = this.#db.selectFrom('keys').selectAll().orderBy('id');
    const rows = await (accountId === undefined ? all : all.where('accountId', '=', accountId)).execute();
    return rows.map(toKey);
  }

  /** Revokes a key; one that is revoked keeps its first time. Undefined when there is no such key. */
  async revoke(id: string): Promise<Key | undefined> {
    const row = await this.#db
      .updateTable('keys')
      .set(({ fn, ref, val }) => ({ revokedAt: fn.coalesce(ref('revokedAt'), val(timestamp(Date.now()))) }))
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst();
    return row && toKey(row);
  }

  async touch(id: string, lastUsedAt: string): Promise<void> {
    await this.#db.updateTable('keys').set({ lastUsedAt }).where('id', '=', id).execute();
  }
}
