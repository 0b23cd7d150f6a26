/** The website scans of accounts: making, finding, changing and deleting them. What runs them is runner/. */
import type { Database } from '../../storage/database.ts';
import type { StorageRoom } from '../../storage/files.ts';
import type { NewSiteScan, SiteScan } from '../../storage/repositories/site-scans.ts';
import type { Config } from '../config.ts';
import { Events } from '../events.ts';
import { scanNotFound } from './errors.ts';
import type { ScanEvent } from './events.ts';
import { ScanOriginals } from './originals.ts';

export interface SiteScansOptions {
  database: Database;
  config: Pick<Config, 'dataDir'>;
  /** What the originals of scans take is counted in. */
  room: StorageRoom;
}

export class SiteScans {
  readonly events = new Events<ScanEvent>(({ scanId }) => scanId);
  readonly originals: ScanOriginals;
  readonly #database: Database;

  private constructor({ database }: SiteScansOptions, originals: ScanOriginals) {
    this.originals = originals;
    this.#database = database;
  }

  static async open(options: SiteScansOptions): Promise<SiteScans> {
    return new SiteScans(options, await ScanOriginals.open(options.config.dataDir, options.room));
  }

  /** Records a scan: from here on it is done, whatever happens to the process. */
  async create(scan: NewSiteScan): Promise<SiteScan> {
    await this.#database.siteScans.insert(scan);
    this.events.emit({ type: 'changed', scanId: scan.id });
    return (await this.#database.siteScans.find(scan.id))!;
  }

  /** @throws Failure `not_found`, also for another account's */
  async find(accountId: string, id: string): Promise<SiteScan> {
    const scan = await this.#database.siteScans.find(id);
    if (scan?.accountId !== accountId) throw scanNotFound(id);
    return scan;
  }
}
