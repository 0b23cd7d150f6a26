import { to } from '../../../shell/router.ts';
import { Tag } from '../../../ui/feedback.tsx';
import { bytesText, countText } from '../../../ui/format.ts';
import { ScrollBox } from '../../../ui/table.tsx';
import { SortableHeader } from '../filter-fields.tsx';
import { ATTENTION, PAGE_SKIPS, PAGE_STATUSES, shortAddress } from '../labels.ts';
import { SavedBar } from '../share-bar.tsx';
import type { SitePage, SiteScan } from '../types.ts';

export interface PageTableProps {
  scan: SiteScan;
  pages: readonly SitePage[];
  sort: string;
  /** Missing if pages cannot be selected now. */
  onTick?: (seq: number, isOn: boolean) => void;
}

export function PageTable({ scan, pages, sort, onTick }: PageTableProps) {
  const most = Math.max(...pages.map(({ image_bytes }) => image_bytes), 1);
  // Before any page has been read, these columns would be empty.
  const isAnyRead = scan.totals.pages_scanned > 0;
  return (
    <ScrollBox label="Table of pages">
      <table class="pages">
        <thead>
          <tr>
            {onTick && <th scope="col">Scan</th>}
            <SortableHeader title="Page" field="url" sort={sort} isText />
            <SortableHeader title="State" field="status" sort={sort} isText />
            {isAnyRead && (
              <>
                <SortableHeader title="Images" field="assets" sort={sort} />
                <SortableHeader title="Bytes of images" field="image_bytes" sort={sort} />
                <SortableHeader title="Saved" field="saved_percent" sort={sort} />
              </>
            )}
          </tr>
        </thead>
        <tbody>
          {pages.map((page) => (
            <tr key={page.seq}>
              {onTick && (
                <td>
                  {canSelect(page) && (
                    <input
                      type="checkbox"
                      aria-label={`Scan ${shortAddress(page.url, scan.domain)}`}
                      checked={page.selected}
                      onChange={({ currentTarget }) => onTick(page.seq, currentTarget.checked)}
                    />
                  )}
                </td>
              )}
              <PageCells page={page} scan={scan} />
              {isAnyRead && <Numbers page={page} most={most} />}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

/** Returns whether the page has not been read but can be. */
const canSelect = ({ status, skip_reason }: SitePage): boolean =>
  status === 'found' || skip_reason === 'not_selected' || skip_reason === 'excluded';

function PageCells({ page, scan }: { page: SitePage; scan: SiteScan }) {
  const { seq, url, title } = page;
  return (
    <>
      <td class="name">
        <a href={to(['websites', scan.id, 'pages', String(seq)])}>{title?.trim() || shortAddress(url, scan.domain)}</a>
        {title?.trim() && <small>{shortAddress(url, scan.domain)}</small>}
      </td>
      <td>
        <PageState page={page} />
      </td>
    </>
  );
}

function Numbers({ page, most }: { page: SitePage; most: number }) {
  const { status, assets, image_bytes, optimized_bytes, bytes_saved, saved_percent, seconds_saved_slow_4g } = page;
  if (status !== 'scanned') return <td colspan={3} />;
  return (
    <>
      <td class="numbers">{countText(assets)}</td>
      <td class="numbers amount">
        {bytesText(image_bytes)}
        {bytes_saved > 0 && (
          <>
            {' → '}
            <strong>{bytesText(optimized_bytes)}</strong>
          </>
        )}
        <SavedBar whole={most} stays={optimized_bytes} saved={bytes_saved} />
      </td>
      <td class="numbers">
        {bytes_saved > 0 && (
          <>
            {saved_percent}%<small>{seconds_saved_slow_4g} s faster</small>
          </>
        )}
      </td>
    </>
  );
}

/** Shows the state of a page, its reason, and what needs attention. */
export function PageState({ page: { status, skip_reason, over_limit, attention, error } }: { page: SitePage }) {
  const { label, kind } = PAGE_STATUSES[status];
  return (
    <span class="tags">
      {over_limit ? <Tag kind="warning">beyond the limit</Tag> : <Tag kind={kind}>{label}</Tag>}
      {attention
        .filter((code) => code !== 'failed')
        .map((code) => (
          <Tag key={code} kind={ATTENTION[code].kind}>
            {ATTENTION[code].label}
          </Tag>
        ))}
      {skip_reason !== null && <small>{PAGE_SKIPS[skip_reason]}</small>}
      {error && <small>{error.message}</small>}
    </span>
  );
}
