import type { Files } from '../../ports/files.ts';
import type { FileRecord } from '../../records/files.ts';
import { prepared } from '../prepared.ts';
import { Repository } from '../repository.ts';

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

export class SqlFiles extends Repository implements Files {
  async insert(file: FileRecord): Promise<void> {
    await this.db.insertInto('files').values(file).execute();
  }

  async find(id: string): Promise<FileRecord | undefined> {
    return await this.db.selectFrom('files').selectAll().where('id', '=', id).executeTakeFirst();
  }

  async ownerOf(name: string): Promise<string | undefined> {
    const id = NAME.exec(name)?.groups?.id;
    if (id === undefined) return undefined;
    const [owner] = await findOwner(this.db, { id });
    return owner?.accountId;
  }

  async delete(id: string): Promise<void> {
    await this.db.deleteFrom('files').where('id', '=', id).execute();
  }

  async storedIds(): Promise<string[]> {
    const rows = await this.db.selectFrom('files').select('id').where('removedAt', 'is', null).execute();
    return rows.map(({ id }) => id);
  }

  async expiredIds(now: string, limit: number): Promise<string[]> {
    const rows = await this.db
      .selectFrom('files')
      .select('id')
      .where('expiresAt', '<=', now)
      .where('removedAt', 'is', null)
      .limit(limit)
      .execute();
    return rows.map(({ id }) => id);
  }

  async markRemoved(ids: readonly string[], removedAt: string): Promise<void> {
    await this.db.updateTable('files').set({ removedAt }).where('id', 'in', ids).execute();
  }

  async forget(time: string): Promise<void> {
    await this.db.deleteFrom('files').where('expiresAt', '<=', time).where('removedAt', 'is not', null).execute();
  }
}
