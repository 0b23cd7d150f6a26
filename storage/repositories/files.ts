import type { Kysely, Selectable } from 'kysely';
import type { FileTable, Tables } from '../schema.ts';

/** A stored result. Its bytes lie in the file store under its id. */
export type FileRecord = Selectable<FileTable>;

export class Files {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async insert(file: FileRecord): Promise<void> {
    await this.#db.insertInto('files').values(file).execute();
  }

  async find(id: string): Promise<FileRecord | undefined> {
    return await this.#db.selectFrom('files').selectAll().where('id', '=', id).executeTakeFirst();
  }

  async delete(id: string): Promise<void> {
    await this.#db.deleteFrom('files').where('id', '=', id).execute();
  }

  /** Ids of all files whose bytes should lie in the store. */
  async storedIds(): Promise<string[]> {
    const rows = await this.#db.selectFrom('files').select('id').where('removedAt', 'is', null).execute();
    return rows.map(({ id }) => id);
  }

  /** Ids of at most `limit` files that have expired and whose bytes were not removed yet. */
  async expiredIds(now: string, limit: number): Promise<string[]> {
    const rows = await this.#db
      .selectFrom('files')
      .select('id')
      .where('expiresAt', '<=', now)
      .where('removedAt', 'is', null)
      .limit(limit)
      .execute();
    return rows.map(({ id }) => id);
  }

  async markRemoved(ids: readonly string[], removedAt: string): Promise<void> {
    await this.#db.updateTable('files').set({ removedAt }).where('id', 'in', ids).execute();
  }

  /** Forgets the files that expired at or before `time` and whose bytes are gone. */
  async forget(time: string): Promise<void> {
    await this.#db.deleteFrom('files').where('expiresAt', '<=', time).where('removedAt', 'is not', null).execute();
  }
}
