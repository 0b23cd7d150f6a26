import type { Kysely, Selectable } from 'kysely';
import type { SiteDownloadTable, Tables } from '../schema.ts';

export type SiteDownload = Selectable<SiteDownloadTable>;

/** The downloadable files of scans. */
export class SiteDownloads {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async list(scanId: string): Promise<SiteDownload[]> {
    return await this.#db
      .selectFrom('siteDownloads')
      .selectAll()
      .where('scanId', '=', scanId)
      .orderBy('name')
      .execute();
  }

  async find(scanId: string, name: string): Promise<SiteDownload | undefined> {
    return await this.#db
      .selectFrom('siteDownloads')
      .selectAll()
      .where('scanId', '=', scanId)
      .where('name', '=', name)
      .executeTakeFirst();
  }

  /**
   * Replaces the downloads of a scan. Must be called in a transaction.
   * @returns the ids of the files that are no longer used
   */
  async replace(scanId: string, downloads: readonly SiteDownload[]): Promise<string[]> {
    const former = await this.#db
      .deleteFrom('siteDownloads')
      .where('scanId', '=', scanId)
      .returning('fileId')
      .execute();
    await this.#db.insertInto('siteDownloads').values(downloads).execute();
    return former.map(({ fileId }) => fileId);
  }
}
