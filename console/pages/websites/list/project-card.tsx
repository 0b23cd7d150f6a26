import { to } from '../../../shell/router.ts';
import { Tag } from '../../../ui/feedback.tsx';
import { bytesText, timeText } from '../../../ui/format.ts';
import { pluralize, SCAN_STATUSES } from '../labels.ts';
import { isRunning } from '../scan/states.ts';
import { SavedBar } from '../share-bar.tsx';
import type { SiteProject, SiteScanSummary } from '../types.ts';

/** Shows one website with its scans, newest first. */
export function ProjectCard({ project: { domain, name, scans } }: { project: SiteProject }) {
  const [newest] = scans;
  return (
    <section class="card project" aria-label={domain}>
      <div class="row project-head">
        <h2>{domain}</h2>
        {name !== null && name !== domain && <span class="help">{name}</span>}
        <a
          class="again"
          href={to(['websites', 'new'], { project: newest!.project_id ?? undefined, url: newest!.url ?? undefined })}
        >
          Scan again
        </a>
      </div>
      <ul class="scans">
        {scans.map((scan) => (
          <li key={scan.id}>
            <ScanLine scan={scan} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function ScanLine({ scan }: { scan: SiteScanSummary }) {
  const { id, status, created_at, name, totals, progress } = scan;
  const { label, kind } = SCAN_STATUSES[status];
  const { bytes_original: before, bytes_saved: saved } = totals;
  return (
    <>
      <a href={to(['websites', id])}>
        {timeText(created_at)}
        {name !== null && ` · ${name}`}
      </a>
      <Tag kind={kind}>
        {label}
        {isRunning(scan) && progress.total !== null && ` ${Math.round(progress.percent)}%`}
      </Tag>
      <span class="help">
        {pluralize(totals.pages_scanned, 'page')}, {pluralize(totals.assets, 'image')}
      </span>
      {before > 0 && (
        <span class="saving">
          <SavedBar whole={before} stays={before - saved} saved={saved} />
          <span>
            {bytesText(before)} → <strong>{bytesText(before - saved)}</strong>
          </span>
        </span>
      )}
    </>
  );
}
