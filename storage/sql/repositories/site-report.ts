import { sql } from 'kysely';
import type {
  FindingExample,
  ReportedAsset,
  ReportedFinding,
  ReportedPage,
  SiteReport,
} from '../../ports/site-report.ts';
import { SiteRepository } from '../repository.ts';

export class SqlSiteReport extends SiteRepository implements SiteReport {
  async batch(scanId: string, after: number, limit: number): Promise<ReportedAsset[]> {
    return await this.#assets(scanId).where('a.seq', '>', after).orderBy('a.seq').limit(limit).execute();
  }

  async best(scanId: string, limit: number): Promise<ReportedAsset[]> {
    return await this.#assets(scanId)
      .where('a.mapped', '=', 1)
      .orderBy('a.bytesSaved', 'desc')
      .orderBy('a.seq')
      .limit(limit)
      .execute();
  }

  async heaviestPages(scanId: string, limit: number): Promise<ReportedPage[]> {
    return await this.pagesOf(scanId)
      .select(['seq', 'url', 'title', 'imageRequests', 'imageBytes', 'bytesSaved'])
      .where('status', '=', 'scanned')
      .orderBy('imageBytes', 'desc')
      .orderBy('seq')
      .limit(limit)
      .execute();
  }

  async findings(scanId: string): Promise<ReportedFinding[]> {
    return await this.findingsOf(scanId)
      .select(({ fn }) => [
        'code',
        'severity',
        fn.countAll<number>().as('assets'),
        sql<number>`coalesce(sum(savings_bytes), 0)`.as('savingsBytes'),
      ])
      .groupBy(['code', 'severity'])
      .orderBy('assets', 'desc')
      .orderBy('code')
      .execute();
  }

  async examples(scanId: string, code: string, limit: number): Promise<FindingExample[]> {
    return await this.db
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
    return this.db
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
