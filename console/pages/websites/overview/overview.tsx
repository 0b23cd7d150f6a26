/** Shows a scan in numbers and charts. */
import { to } from '../../../shell/router.ts';
import { Facts } from '../../../ui/facts.tsx';
import { Warnings } from '../../../ui/feedback.tsx';
import { bytesText, countText, timeText } from '../../../ui/format.ts';
import { useImageSums } from '../client.ts';
import { countsBySeverity, SEVERITIES, SEVERITY_NAMES } from '../findings/texts.ts';
import type { ImageSums } from '../images/all-images.ts';
import { ASSET_KINDS, pluralize, WARNINGS } from '../labels.ts';
import { SavedBar, type Share, ShareBar } from '../share-bar.tsx';
import type { SectionProps, SiteScan } from '../types.ts';

export function Overview({ scan, changes }: SectionProps) {
  const { totals, warnings } = scan;
  const sums = useImageSums(scan, changes);
  return (
    <div class="stack">
      <Warnings texts={warnings.map((warning) => WARNINGS[warning] ?? warning)} />
      {totals.bytes_original > 0 && <Bytes scan={scan} sums={sums} />}
      <div class="overview-grid">
        <FindingShares scan={scan} />
        <PageShares scan={scan} />
        {scan.changes && <Changes changes={scan.changes} previous={scan.previous_scan_id} />}
        <ScanFacts scan={scan} />
      </div>
    </div>
  );
}

function Bytes({ scan: { totals }, sums }: { scan: SiteScan; sums: ImageSums | undefined }) {
  const { bytes_original: before, bytes_optimized: after, bytes_saved: saved, assets_mapped } = totals;
  return (
    <section class="card" aria-label="Bytes">
      <h2>Bytes of all images</h2>
      <p class="hero">
        <span>
          <b>{bytesText(before)}</b> now
        </span>
        {saved > 0 && (
          <>
            <span>
              <b>{bytesText(after)}</b> with the new files
            </span>
            <span class="is-saved">
              <b>{totals.saved_percent}%</b> saved
            </span>
          </>
        )}
      </p>
      {saved === 0 && <p class="help">Nothing is saved yet.</p>}
      {saved > 0 && (
        <ShareBar
          label="Bytes that stay and that are saved"
          shares={[
            { label: 'stay', value: after, text: bytesText(after), tone: 'stays' },
            {
              label: `saved by ${pluralize(assets_mapped, 'new file')}`,
              value: saved,
              text: bytesText(saved),
              tone: 'saved',
            },
          ]}
        />
      )}
      {sums && sums.kinds.length > 1 && <Kinds kinds={sums.kinds} />}
      {sums && sums.images < sums.total && (
        <p class="help">
          By kind: the {countText(sums.images)} images with the largest savings, of {countText(sums.total)}.
        </p>
      )}
    </section>
  );
}

function Kinds({ kinds }: Pick<ImageSums, 'kinds'>) {
  const most = Math.max(...kinds.map(({ before }) => before), 1);
  return (
    <ul class="kinds" aria-label="Bytes by kind of image">
      {kinds.map(({ kind, images, before, saved }) => (
        <li key={kind}>
          <span>
            {ASSET_KINDS[kind]} <small>{countText(images)}</small>
          </span>
          <SavedBar whole={most} stays={before - saved} saved={saved} />
          <span class="numbers">
            {bytesText(before)}
            {saved > 0 && (
              <>
                {' → '}
                <strong>{bytesText(before - saved)}</strong>
              </>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}

function FindingShares({ scan: { id, totals } }: { scan: SiteScan }) {
  const counts = countsBySeverity(totals.issues);
  const shares = SEVERITY_NAMES.map(
    (severity): Share => ({
      label: counts[severity] === 1 ? SEVERITIES[severity].label : SEVERITIES[severity].title.toLowerCase(),
      value: counts[severity],
      text: countText(counts[severity]),
      tone: severity,
      href: to(['websites', id, 'findings']),
    }),
  );
  return (
    <section class="card" aria-label="Findings">
      <h2>Findings</h2>
      {shares.some(({ value }) => value > 0) ? (
        <ShareBar label="Findings by severity" shares={shares.filter(({ value }) => value > 0)} />
      ) : (
        <p>Nothing was found fault with so far.</p>
      )}
    </section>
  );
}

function PageShares({ scan: { id, totals } }: { scan: SiteScan }) {
  const { pages_found, pages_scanned, pages_failed, pages_skipped, pages_over_limit } = totals;
  const rest = Math.max(0, pages_found - pages_scanned - pages_failed - pages_skipped - pages_over_limit);
  const share = (label: string, value: number, tone: Share['tone'], status?: string): Share => ({
    ...{ label, value, tone, text: countText(value) },
    href: to(['websites', id, 'pages'], { status }),
  });
  const shares = [
    share('read', pages_scanned, 'good', 'scanned'),
    share('failed', pages_failed, 'bad', 'failed'),
    share('left out', pages_skipped, 'waits', 'skipped'),
    share('beyond the limit', pages_over_limit, 'warning'),
    share('not read yet', rest, 'info', 'found'),
  ].filter(({ value }) => value > 0);
  return (
    <section class="card" aria-label="Pages">
      <h2>Pages</h2>
      {shares.length > 0 ? <ShareBar label="Pages by state" shares={shares} /> : <p>No page was found yet.</p>}
    </section>
  );
}

function ScanFacts({ scan }: { scan: SiteScan }) {
  const { limits, totals, started_at, finished_at, expires_at, optimize, package: credit } = scan;
  const facts: [string, string | undefined][] = [
    ['Pages that it may read', countText(limits.pages_allowed)],
    ['Images named', `${countText(totals.references)} times`],
    ['Requests charged', countText(totals.requests_charged)],
    [
      'Pages charged to the package',
      credit === null ? undefined : `${countText(totals.package_pages_charged)} of ${credit}`,
    ],
    ['Conversion', optimize === 'auto' ? 'automatic' : 'by hand'],
    ['Begun', started_at === null ? undefined : timeText(started_at)],
    ['Ended', finished_at === null ? undefined : timeText(finished_at)],
    ['Kept until', expires_at === null ? undefined : timeText(expires_at)],
  ];
  return (
    <section class="card" aria-label="Facts">
      <h2>Facts</h2>
      <Facts class="site-facts" facts={facts} />
    </section>
  );
}

/** Shows the changes since the previous scan. */
function Changes({ changes, previous }: { changes: NonNullable<SiteScan['changes']>; previous: string | null }) {
  const { assets_new, assets_gone, assets_changed, bytes_delta, issues_new, issues_fixed } = changes;
  const sign = bytes_delta > 0 ? '+' : bytes_delta < 0 ? '−' : '±';
  const facts = [
    ['Images new', countText(assets_new)],
    ['Images gone', countText(assets_gone)],
    ['Images changed', countText(assets_changed)],
    ['Bytes', `${sign}${bytesText(Math.abs(bytes_delta))}`],
    ['Findings new', countText(issues_new)],
    ['Findings gone', countText(issues_fixed)],
  ] as const;
  return (
    <section class="card" aria-label="Changes">
      <h2>Since the scan before</h2>
      <Facts class="site-facts" facts={facts} />
      {previous !== null && <a href={to(['websites', previous])}>See that scan</a>}
    </section>
  );
}
