import { useState } from 'preact/hooks';
import { to } from '../../../shell/router.ts';
import { Notice, Spinner } from '../../../ui/feedback.tsx';
import { countText } from '../../../ui/format.ts';
import { useLoaded } from '../../../ui/use-loaded.ts';
import { References } from '../pages/references.tsx';
import type { SiteAssetDetail, SiteScan } from '../records.ts';
import { sites } from '../requests.ts';
import { countOf, shortAddress } from '../words.ts';

const MOST = 20;

/** Lists the pages that use an image. The places within a page are loaded when the user opens it. */
export function Uses({ scan, asset }: { scan: SiteScan; asset: SiteAssetDetail }) {
  const { page_list, pages, seq } = asset;
  return (
    <section aria-label="Where it is used">
      <h3>Where it is used</h3>
      {page_list.length === 0 && <p>On no page: a style sheet, a manifest or a sitemap names it.</p>}
      {page_list.slice(0, MOST).map((page) => (
        <Use key={page.seq} scan={scan} seq={seq} page={page} />
      ))}
      {pages > MOST && <p class="help">and on {countText(pages - MOST)} more</p>}
    </section>
  );
}

function Use({ scan, seq, page }: { scan: SiteScan; seq: number; page: SiteAssetDetail['page_list'][number] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="use" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {shortAddress(page.url, scan.domain)} <small>{countOf(page.references, 'time')}</small>
      </summary>
      {isOpen && <Places scan={scan} seq={seq} pageSeq={page.seq} />}
    </details>
  );
}

function Places({ scan, seq, pageSeq }: { scan: SiteScan; seq: number; pageSeq: number }) {
  const { scans } = sites.value;
  const { value, error } = useLoaded((signal) => scans.page(scan.id, pageSeq, { signal }), [scans, scan.id, pageSeq]);
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
