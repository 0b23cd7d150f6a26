/** Shows one page with its images and their places in its source. */
import { to } from '../../../shell/router.ts';
import { Notice, Spinner, Tag } from '../../../ui/feedback.tsx';
import { bytesText, countText, timeText } from '../../../ui/format.ts';
import { Table } from '../../../ui/table.tsx';
import { useData } from '../../../ui/use-loaded.ts';
import { sitesClient } from '../client.ts';
import { DetailHead } from '../detail-head.tsx';
import { findingText, SEVERITIES } from '../findings/texts.ts';
import { ASSET_KINDS, ASSET_STATUSES, pluralize, shortAddress } from '../labels.ts';
import type { SitePageDetail, SiteScan } from '../types.ts';
import { PageState } from './page-table.tsx';
import { References } from './references.tsx';

export function PageDetail({ scan, seq }: { scan: SiteScan; seq: number }) {
  const { scans } = sitesClient.value;
  const { value: page, error } = useData((signal) => scans.page(scan.id, seq, { signal }), [scans, scan.id, seq]);
  const back = <a href={to(['websites', scan.id, 'pages'])}>All pages</a>;
  if (error !== undefined) return <Notice error={error}>The page cannot be shown. {back}</Notice>;
  if (!page) return <Spinner label="Reading the page" />;
  return (
    <section class="stack">
      <DetailHead title={page.title?.trim() || shortAddress(page.url, scan.domain)} back={back} url={page.url} />
      <PageState page={page} />
      <p>
        {pluralize(page.image_requests, 'image')} {page.image_requests === 1 ? 'is' : 'are'} loaded,{' '}
        {bytesText(page.image_bytes)}
        {page.bytes_saved > 0 &&
          `; with the new files ${bytesText(page.optimized_bytes)}, ${page.seconds_saved_slow_4g} s faster on a slow connection`}
        . {page.fetched_at !== null && <span class="help">Read {timeText(page.fetched_at)}.</span>}
      </p>
      {page.asset_list.length > 0 && <ImageTable page={page} scan={scan} />}
      {page.asset_list.length === 0 && page.status === 'scanned' && <Notice>No image is named on this page.</Notice>}
    </section>
  );
}

function ImageTable({ page, scan }: { page: SitePageDetail; scan: SiteScan }) {
  return (
    <Table
      label="Images of the page"
      columns={[['Image', 'name'], ['Bytes', 'numbers'], 'Findings', 'Where it is named']}
      rows={page.asset_list.map(({ seq, url, kind, status, bytes, bytes_saved, findings, references }) => [
        <>
          <a href={to(['websites', scan.id, 'images', String(seq)])}>{shortAddress(url, scan.domain)}</a>
          <small>
            {ASSET_KINDS[kind]}, {ASSET_STATUSES[status].label}
          </small>
        </>,
        bytes !== null && (
          <>
            {bytesText(bytes)}
            {bytes_saved > 0 && <small>{countText(Math.round((100 * bytes_saved) / bytes))}% less</small>}
          </>
        ),
        <span key="tags" class="tags">
          {[...new Set(findings)].map((code) => {
            const { title, severity } = findingText(code);
            return (
              <Tag key={code} kind={SEVERITIES[severity].kind}>
                {title}
              </Tag>
            );
          })}
        </span>,
        <References key="references" references={references} />,
      ])}
    />
  );
}
