import type { Kysely, Selectable } from 'kysely';
import { prepared } from '../prepared.ts';
import type { FileTable, Tables } from '../schema.ts';

/** A stored result. Its bytes are in the file store under its id. */
export type FileRecord = Selectable<FileTable>;

/** The id at the beginning of a file name. */
const NAME = /^(?<id>[a-z]+_[0-9A-Z]{26})(?:_|$)/;

/** At most one of these tables contains the id. */
const findOwner = prepared((db, { id }: { id: string }) =>
  db
    .selectFrom('files')
    .select('accountId')
    .where('id', '=', id)
    .unionAll(db.selectFrom('jobs').select('accountId').where('id', '=', id))
    .unionAll(db.selectFrom('siteScans').select('accountId').where('id', '=', id)),
);

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

  /**
   * Finds the account that owns a file in a store.
   * @param name the id of a result, or that of a job or scan followed by a suffix
   */
  async ownerOf(name: string): Promise<string | undefined> {
    const id = NAME.exec(name)?.groups?.id;
    if (id === undefined) return undefined;
    const [owner] = await findOwner(this.#db, { id });
    return owner?.accountId;
  }

  async delete(id: string): Promise<void> {
    await this.#db.deleteFrom('files').where('id', '=', id).execute();
  }

  /** Ids of all files whose bytes should be in the store. */
  async storedIds(): Promise<string[]> {
    const rows = await this.#db.selectFrom('files').select('id').where('removedAt', 'is', null).execute();
    return rows.map(({ id }) => id);
  }

  /** Ids of at most `limit` expired files whose bytes have not been removed yet. */
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

  /** Deletes the records of files that expired at or before `time` and whose bytes have been removed. */
  async forget(time: string): Promise<void> {
    await this.#db.deleteFrom('files').where('expiresAt', '<=', time).where('removedAt', 'is not', null).execute();
  }
}
