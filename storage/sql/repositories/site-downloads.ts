import type { SiteDownloads } from '../../ports/site-downloads.ts';
import type { SiteDownload } from '../../records/site-downloads.ts';
import { Repository } from '../repository.ts';

export class SqlSiteDownloads extends Repository implements SiteDownloads {
  async list(scanId: string): Promise<SiteDownload[]> {
    return await this.db.selectFrom('siteDownloads').selectAll().where('scanId', '=', scanId).orderBy('name').execute();
  }

  async find(scanId: string, name: string): Promise<SiteDownload | undefined> {
    return await this.db
      .selectFrom('siteDownloads')
      .selectAll()
      .where('scanId', '=', scanId)
      .where('name', '=', name)
      .executeTakeFirst();
  }

  async replace(scanId: string, downloads: readonly SiteDownload[]): Promise<string[]> {
    const former = await this.db.deleteFrom('siteDownloads').where('scanId', '=', scanId).returning('fileId').execute();
    await this.db.insertInto('siteDownloads').values(downloads).execute();
    return former.map(({ fileId }) => fileId);
  }
}
