/** Shows a scan in numbers and charts. */
import { to } from '../../../shell/router.ts';
import { Notice } from '../../../ui/feedback.tsx';
import { bytesText, countText, timeText } from '../../../ui/format.ts';
import { useData } from '../../../ui/use-loaded.ts';
import { sitesClient } from '../client.ts';
import { Facts } from '../facts.tsx';
import { countsBySeverity, SEVERITIES, SEVERITY_NAMES } from '../findings/texts.ts';
import { type ImageSums, sumAllImages } from '../images/all-images.ts';
import { ASSET_KINDS, pluralize, WARNINGS } from '../labels.ts';
import type { SectionProps } from '../scan/section-props.ts';
import { isRunning } from '../scan/states.ts';
import { Bar, type Share, ShareBar } from '../share-bar.tsx';
import type { SiteScan } from '../types.ts';
import { Changes } from './changes.tsx';

export function Overview({ scan, changes }: SectionProps) {
  const { id, totals, warnings } = scan;
  const { scans } = sitesClient.value;
  // While the scan runs, sums would be outdated before they are loaded.
  const isStill = !isRunning(scan);
  const { value: sums } = useData(
    async (signal) => (isStill ? await sumAllImages(scans, id, signal) : undefined),
    [scans, id, isStill, isStill && changes],
  );
  return (
    <div class="stack">
      {warnings.map((warning) => (
        <Notice key={warning} kind="warning">
          {WARNINGS[warning] ?? warning}
        </Notice>
      ))}
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
          <Bar
            whole={most}
            shares={[
              { tone: 'stays', value: before - saved },
              { tone: 'saved', value: saved },
            ]}
          />
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
      <Facts facts={facts} />
    </section>
  );
}
