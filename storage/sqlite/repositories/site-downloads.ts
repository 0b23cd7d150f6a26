import type { Kysely } from 'kysely';
import type { SiteDownloads } from '../../ports/site-downloads.ts';
import type { SiteDownload } from '../../records/site-downloads.ts';
import type { Tables } from '../schema.ts';

export class SqliteSiteDownloads implements SiteDownloads {
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
