/** `report.csv`: one line for each asset. */
import { groupBy } from '../../../base/group-by.ts';
import type { Repositories } from '../../../storage/ports/database.ts';
import type { ReportedAsset } from '../../../storage/ports/site-report.ts';
import { type Cell, csvLine } from './csv.ts';

const BATCH = 1000;

const COLUMNS = {
  seq: ({ seq }) => seq,
  url: ({ url }) => url,
  kind: ({ kind }) => kind,
  status: ({ status }) => status,
  skip_reason: ({ skipReason }) => skipReason,
  format: ({ format }) => format,
  bytes: ({ bytes }) => bytes,
  width: ({ width }) => width,
  height: ({ height }) => height,
  optimized_format: ({ toFormat }) => toFormat,
  optimized_bytes: ({ toBytes }) => toBytes,
  optimized_width: ({ toWidth }) => toWidth,
  optimized_height: ({ toHeight }) => toHeight,
  similarity: ({ similarity }) => similarity,
  bytes_saved: ({ bytesSaved }) => bytesSaved,
  saved_percent: ({ savedPercent }) => savedPercent,
  mapped: ({ mapped }) => String(mapped === 1),
  approval: ({ approval }) => approval,
  pages: ({ pages }) => pages,
  references: ({ references }) => references,
  findings: (_asset, codes) => codes.join(' '),
  error: ({ errorCode }) => errorCode,
} satisfies Record<string, (asset: ReportedAsset, codes: readonly string[]) => Cell>;

export async function* reportCsv(
  { siteReport, siteAssessment }: Pick<Repositories, 'siteReport' | 'siteAssessment'>,
  scanId: string,
): AsyncGenerator<string> {
  yield csvLine(Object.keys(COLUMNS));
  const columns = Object.values(COLUMNS);
  for (let after = 0; ; ) {
    const assets = await siteReport.batch(scanId, after, BATCH);
    if (assets.length === 0) return;
    const last = assets.at(-1)!.seq;
    const found = groupBy(await siteAssessment.findingCodes(scanId, assets[0]!.seq, last), ({ assetSeq }) => assetSeq);
    for (const asset of assets) {
      const codes = found.get(asset.seq)?.map(({ code }) => code) ?? [];
      yield csvLine(columns.map((read) => read(asset, codes)));
    }
    after = last;
  }
}
