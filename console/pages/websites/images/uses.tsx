import { useState } from 'preact/hooks';
import { to } from '../../../shell/router.ts';
import { Notice, Spinner } from '../../../ui/feedback.tsx';
import { countText } from '../../../ui/format.ts';
import { useData } from '../../../ui/use-loaded.ts';
import { sitesClient } from '../client.ts';
import { pluralize, shortAddress } from '../labels.ts';
import { References } from '../pages/references.tsx';
import type { SiteAssetDetail, SiteScan } from '../types.ts';

const MAX_PAGES = 20;

/** Lists the pages that use an image. The places within a page are loaded when the user opens it. */
export function Uses({ scan, asset }: { scan: SiteScan; asset: SiteAssetDetail }) {
  const { page_list, pages, seq } = asset;
  return (
    <section aria-label="Where it is used">
      <h3>Where it is used</h3>
      {page_list.length === 0 && <p>On no page: a style sheet, a manifest or a sitemap names it.</p>}
      {page_list.slice(0, MAX_PAGES).map((page) => (
        <Use key={page.seq} scan={scan} seq={seq} page={page} />
      ))}
      {pages > MAX_PAGES && <p class="help">and on {countText(pages - MAX_PAGES)} more</p>}
    </section>
  );
}

function Use({ scan, seq, page }: { scan: SiteScan; seq: number; page: SiteAssetDetail['page_list'][number] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="use" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {shortAddress(page.url, scan.domain)} <small>{pluralize(page.references, 'time')}</small>
      </summary>
      {isOpen && <ReferencesOnPage scan={scan} seq={seq} pageSeq={page.seq} />}
    </details>
  );
}

function ReferencesOnPage({ scan, seq, pageSeq }: { scan: SiteScan; seq: number; pageSeq: number }) {
  const { scans } = sitesClient.value;
  const { value, error } = useData((signal) => scans.page(scan.id, pageSeq, { signal }), [scans, scan.id, pageSeq]);
  if (error !== undefined) return <Notice error={error} />;
  if (!value) return <Spinner label="Reading the page" />;
  const references = value.asset_list.find((image) => image.seq === seq)?.references ?? [];
  return (
    <>
      <References references={references} />
      <a href={to(['websites', scan.id, 'pages', String(pageSeq)])}>See this page</a>
    </>
  );
}
