import { type Kysely, type Selectable, sql, type Updateable } from 'kysely';
import type { ScanStatus, SiteScanTable, Tables } from '../schema.ts';

export type SiteScan = Selectable<SiteScanTable>;

/** What is known of a scan when it is made. */
export type NewSiteScan = Pick<
  SiteScan,
  | 'id'
  | 'accountId'
  | 'keyId'
  | 'projectId'
  | 'name'
  | 'domain'
  | 'source'
  | 'url'
  | 'list'
  | 'review'
  | 'optimize'
  | 'packageId'
  | 'package'
  | 'settings'
  | 'maxPages'
  | 'pagesAllowed'
  | 'assetsAllowed'
  | 'bytesAllowed'
  | 'warnings'
  | 'previousScanId'
  | 'createdAt'
>;

export type SiteScanChanges = Omit<Updateable<SiteScanTable>, 'id' | 'accountId' | 'status'>;

/** A scan that waits for work or is worked on. */
export type OpenSiteScan = Pick<SiteScan, 'id' | 'accountId' | 'status'>;

/** As the partial index has it: SQLite takes one only for the same words. */
const isOpen = sql<boolean>`"status" in ('queued', 'discovering', 'scanning', 'optimizing', 'packaging')`;

export class SiteScans {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** Records a scan, which waits for the runner. */
  async insert(scan: NewSiteScan): Promise<void> {
    await this.#db
      .insertInto('siteScans')
      .values({ ...scan, status: 'queued' })
      .execute();
  }

  async find(id: string): Promise<SiteScan | undefined> {
    return await this.#db.selectFrom('siteScans').selectAll().where('id', '=', id).executeTakeFirst();
  }

  /**
   * Changes the status of a scan that still has the one it is known by.
   * @returns whether it has; false when somebody else has moved or deleted it
   */
  async move(id: string, from: ScanStatus, to: ScanStatus, changes: SiteScanChanges = {}): Promise<boolean> {
    const row = await this.#db
      .updateTable('siteScans')
      .set({ ...changes, status: to })
      .where('id', '=', id)
      .where('status', '=', from)
      .returning('id')
      .executeTakeFirst();
    return row !== undefined;
  }

  /** Changes what a scan has beside its status. */
  async change(id: string, changes: SiteScanChanges): Promise<void> {
    await this.#db.updateTable('siteScans').set(changes).where('id', '=', id).execute();
  }

  /** Those in a phase of work, oldest first; after a restart nobody works on them yet. */
  async running(): Promise<OpenSiteScan[]> {
    return await this.#open().where('status', '<>', 'queued').execute();
  }

  /** Those that wait for their first phase, oldest first. */
  async queued(): Promise<OpenSiteScan[]> {
    return await this.#open().where('status', '=', 'queued').execute();
  }

  #open() {
    return this.#db.selectFrom('siteScans').select(['id', 'accountId', 'status']).where(isOpen).orderBy('id');
  }
}
