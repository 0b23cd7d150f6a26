/** Lists the websites of the account with their scans. */
import './project-list.css';
import { useEffect, useState } from 'preact/hooks';
import { to } from '../../../shell/router.ts';
import { Notice, Spinner } from '../../../ui/feedback.tsx';
import { SelectField, TextField } from '../../../ui/fields.tsx';
import { Pager } from '../../../ui/pager.tsx';
import { useData } from '../../../ui/use-loaded.ts';
import { sitesClient } from '../client.ts';
import { SCAN_STATUSES, toOptions } from '../labels.ts';
import { isRunning } from '../scan/states.ts';
import type { ScanStatus, SiteProject } from '../types.ts';
import { ProjectCard } from './project-card.tsx';

const PAGE_SIZE = 50;
/** Poll interval while a scan is running. */
const REFRESH_MS = 5000;

export function ProjectList() {
  const [offset, setOffset] = useState(0);
  const [text, setText] = useState('');
  const [status, setStatus] = useState<ScanStatus | ''>('');
  const { scans } = sitesClient.value;
  const { value, error, reload } = useData(
    (signal) => scans.list({ limit: PAGE_SIZE, offset }, { signal }),
    [scans, offset],
  );
  const isBusy = value?.projects.some(({ scans }) => scans.some(isRunning)) ?? false;
  useEffect(() => {
    if (!isBusy) return;
    const timer = setTimeout(reload, REFRESH_MS);
    return () => clearTimeout(timer);
  }, [value, isBusy]);

  if (error !== undefined) return <ListError error={error} onRetry={reload} />;
  if (!value) return <Spinner label="Reading the websites" />;
  if (value.total === 0) return <EmptyState />;
  const shown = filterProjects(value.projects, text, status);
  return (
    <div class="stack">
      <search class="filters" aria-label="Websites">
        <TextField label="Find" type="search" placeholder="Part of a name" value={text} onValue={setText} />
        <SelectField
          label="Status"
          value={status}
          options={[{ value: '', label: 'any' }, ...toOptions(SCAN_STATUSES)]}
          onValue={(chosen) => setStatus(chosen as ScanStatus | '')}
        />
        <a class="button primary" href={to(['websites', 'new'])}>
          Scan a website
        </a>
      </search>
      {shown.length === 0 && <Notice>No website fits. Change what you look for.</Notice>}
      {shown.map((project: SiteProject) => (
        <ProjectCard key={project.id} project={project} />
      ))}
      <Pager what="websites" slice={value} onOffset={setOffset} />
    </div>
  );
}

function ListError({ error, onRetry }: { error: unknown; onRetry(): void }) {
  return (
    <>
      <Notice error={error} />
      <p class="help">
        Website scans need a live key with the scope <code>sites</code>. Whoever operates this service can make one:{' '}
        <code>imagecrew admin key create --account default --scopes sites</code>
      </p>
      <button type="button" onClick={onRetry}>
        Try again
      </button>
    </>
  );
}

function EmptyState() {
  return (
    <section class="card nothing-yet">
      <h2>No website yet</h2>
      <p>
        A scan reads the pages of your website, finds every image and what is wrong with it, and makes smaller files
        that look the same. You look at them, and download them as one package.
      </p>
      <a class="button primary" href={to(['websites', 'new'])}>
        Scan a website
      </a>
    </section>
  );
}

/**
 * Returns the projects with the scans that match. Projects without a matching scan are omitted.
 * @param text part of the domain or of a name, case-insensitive
 */
function filterProjects(projects: readonly SiteProject[], text: string, status: ScanStatus | ''): SiteProject[] {
  const wanted = text.trim().toLowerCase();
  const hasText = (name: string | null) => name?.toLowerCase().includes(wanted) ?? false;
  return projects.flatMap((project) => {
    const isWhole = hasText(project.domain) || hasText(project.name);
    const scans = project.scans.filter(
      (scan) => (isWhole || hasText(scan.name)) && (!status || scan.status === status),
    );
    return scans.length > 0 ? [{ ...project, scans }] : [];
  });
}
