import { type Kysely, type Selectable, sql } from 'kysely';
import type { SiteAssetTable, SiteFindingTable, SitePageTable, Tables } from '../schema.ts';

/** An asset as listed in the report, with its chosen output. */
export type ReportedAsset = Pick<
  Selectable<SiteAssetTable>,
  | 'seq'
  | 'url'
  | 'kind'
  | 'status'
  | 'skipReason'
  | 'format'
  | 'bytes'
  | 'width'
  | 'height'
  | 'bytesSaved'
  | 'savedPercent'
  | 'mapped'
  | 'approval'
  | 'pages'
  | 'references'
  | 'errorCode'
> & {
  toBytes: number | null;
  toFormat: string | null;
  toWidth: number | null;
  toHeight: number | null;
  similarity: number | null;
  fileId: string | null;
};

export type ReportedPage = Pick<
  Selectable<SitePageTable>,
  'seq' | 'url' | 'title' | 'imageRequests' | 'imageBytes' | 'bytesSaved'
>;

/** All findings with the same code. */
export interface ReportedFinding {
  code: string;
  severity: SiteFindingTable['severity'];
  assets: number;
  savingsBytes: number;
}

export interface FindingExample {
  code: string;
  url: string;
  message: string;
  savingsBytes: number | null;
}

/** Reads the data from which the reports of a scan are made. */
export class SiteReport {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** At most `limit` assets whose numbers are above `after`. */
  async batch(scanId: string, after: number, limit: number): Promise<ReportedAsset[]> {
    return await this.#assets(scanId).where('a.seq', '>', after).orderBy('a.seq').limit(limit).execute();
  }

  /** The mapped assets with the largest savings. */
  async best(scanId: string, limit: number): Promise<ReportedAsset[]> {
    return await this.#assets(scanId)
      .where('a.mapped', '=', 1)
      .orderBy('a.bytesSaved', 'desc')
      .orderBy('a.seq')
      .limit(limit)
      .execute();
  }

  /** The scanned pages with the most image bytes. */
  async heaviestPages(scanId: string, limit: number): Promise<ReportedPage[]> {
    return await this.#db
      .selectFrom('sitePages')
      .select(['seq', 'url', 'title', 'imageRequests', 'imageBytes', 'bytesSaved'])
      .where('scanId', '=', scanId)
      .where('status', '=', 'scanned')
      .orderBy('imageBytes', 'desc')
      .orderBy('seq')
      .limit(limit)
      .execute();
  }

  async findings(scanId: string): Promise<ReportedFinding[]> {
    return await this.#db
      .selectFrom('siteFindings')
      .select(({ fn }) => [
        'code',
        'severity',
        fn.countAll<number>().as('assets'),
        sql<number>`coalesce(sum(savings_bytes), 0)`.as('savingsBytes'),
      ])
      .where('scanId', '=', scanId)
      .groupBy(['code', 'severity'])
      .orderBy('assets', 'desc')
      .orderBy('code')
      .execute();
  }

  /** The assets with the largest possible savings for a finding. */
  async examples(scanId: string, code: string, limit: number): Promise<FindingExample[]> {
    return await this.#db
      .selectFrom('siteFindings as f')
      .innerJoin('siteAssets as a', (join) => join.onRef('a.scanId', '=', 'f.scanId').onRef('a.seq', '=', 'f.assetSeq'))
      .select(['f.code', 'a.url', 'f.message', 'f.savingsBytes'])
      .where('f.scanId', '=', scanId)
      .where('f.code', '=', code)
      .orderBy(sql`coalesce("f"."savings_bytes", 0)`, 'desc')
      .orderBy('f.assetSeq')
      .limit(limit)
      .execute();
  }

  #assets(scanId: string) {
    return this.#db
      .selectFrom('siteAssets as a')
      .leftJoin('siteOutputs as own', (join) =>
        join.onRef('own.scanId', '=', 'a.scanId').onRef('own.assetSeq', '=', 'a.seq').onRef('own.id', '=', 'a.chosen'),
      )
      .select([
        'a.seq',
        'a.url',
        'a.kind',
        'a.status',
        'a.skipReason',
        'a.format',
        'a.bytes',
        'a.width',
        'a.height',
        'a.bytesSaved',
        'a.savedPercent',
        'a.mapped',
        'a.approval',
        'a.pages',
        'a.references',
        'a.errorCode',
        'own.bytes as toBytes',
        'own.format as toFormat',
        'own.width as toWidth',
        'own.height as toHeight',
        'own.similarity',
        'own.fileId',
      ])
      .where('a.scanId', '=', scanId);
  }
}
