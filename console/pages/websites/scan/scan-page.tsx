/** Shows one scan: its progress, the possible actions, and its results. */
import './scan-page.css';
import { useEffect, useState } from 'preact/hooks';
import { navigate, to } from '../../../shell/router.ts';
import { Choice, Dialog } from '../../../ui/dialog.tsx';
import { Notice, Spinner, Tag } from '../../../ui/feedback.tsx';
import { countText, timeText } from '../../../ui/format.ts';
import { useAction } from '../../../ui/use-latest.ts';
import { sitesClient } from '../client.ts';
import { Findings } from '../findings/findings.tsx';
import { Images } from '../images/image-list.tsx';
import { SCAN_STATUSES } from '../labels.ts';
import { Overview } from '../overview/overview.tsx';
import { PackageSection } from '../package/package-section.tsx';
import { Pages } from '../pages/page-list.tsx';
import type { SiteScan, UpdateScanBody } from '../types.ts';
import { ScanState } from './scan-state.tsx';
import { useScan } from './use-scan.ts';

const SECTIONS = {
  overview: { title: 'Overview', Section: Overview, count: () => undefined },
  pages: { title: 'Pages', Section: Pages, count: ({ totals }: SiteScan) => totals.pages_found },
  images: { title: 'Images', Section: Images, count: ({ totals }: SiteScan) => totals.assets },
  findings: { title: 'Findings', Section: Findings, count: ({ totals }: SiteScan) => sumOf(totals.issues) },
  package: { title: 'Package', Section: PackageSection, count: () => undefined },
} as const;
type SectionName = keyof typeof SECTIONS;

export interface ScanPageProps {
  id: string;
  section: string | undefined;
  part: string | undefined;
}

export function ScanPage({ id, section = 'overview', part }: ScanPageProps) {
  const { scan, error, isLost, changes, show } = useScan(id);
  const [refusal, setRefusal] = useState<unknown>();
  const name: SectionName = section in SECTIONS ? (section as SectionName) : 'overview';
  const { Section } = SECTIONS[name];
  const domain = scan?.domain;
  useEffect(() => {
    if (domain) document.title = `${domain} · Imagecrew`;
  }, [domain]);
  const act = async (body: UpdateScanBody) => {
    setRefusal(undefined);
    try {
      show(await sitesClient.value.scans.update(id, body));
      return true;
    } catch (reason) {
      setRefusal(reason);
      return false;
    }
  };
  return (
    <>
      <h1>{domain ?? 'Website'}</h1>
      {error !== undefined && (
        <Notice error={error}>
          The scan cannot be shown. <a href={to(['websites'])}>See all websites</a>
        </Notice>
      )}
      {!scan && error === undefined && <Spinner label="Reading the scan" />}
      {scan && (
        <div class="stack scan">
          <ScanHeader scan={scan} onDeleted={() => navigate(to(['websites']))} />
          {isLost && <Notice kind="warning">The connection is lost. It is being made again.</Notice>}
          {refusal !== undefined && <Notice error={refusal} />}
          <ScanState scan={scan} act={act} />
          <SectionLinks scan={scan} selected={name} />
          <Section
            key={`${name}/${part ?? ''}`}
            scan={scan}
            changes={changes}
            part={part === undefined ? undefined : Number(part)}
            act={act}
          />
        </div>
      )}
    </>
  );
}

function ScanHeader({ scan, onDeleted }: { scan: SiteScan; onDeleted(): void }) {
  const { label, kind } = SCAN_STATUSES[scan.status];
  const { project_id, url, name, created_at } = scan;
  return (
    <div class="row about">
      <a href={to(['websites'])}>All websites</a>
      <Tag kind={kind}>{label}</Tag>
      <span class="help">
        {timeText(created_at)}
        {name !== null && ` · ${name}`}
      </span>
      <span class="row ends">
        <a href={to(['websites', 'new'], { project: project_id ?? undefined, url: url ?? undefined })}>Scan again</a>
        <DeleteScan scan={scan} onDeleted={onDeleted} />
      </span>
    </div>
  );
}

function SectionLinks({ scan, selected }: { scan: SiteScan; selected: SectionName }) {
  return (
    <nav class="sections" aria-label="Parts of the scan">
      {Object.entries(SECTIONS).map(([name, { title, count }]) => {
        const number = count(scan);
        return (
          <a
            key={name}
            href={to(['websites', scan.id, ...(name === 'overview' ? [] : [name])])}
            aria-current={name === selected ? 'page' : undefined}
          >
            {title}
            {number !== undefined && number > 0 && <small> {countText(number)}</small>}
          </a>
        );
      })}
    </nav>
  );
}

const sumOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

function DeleteScan({ scan, onDeleted }: { scan: SiteScan; onDeleted(): void }) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <button type="button" class="quiet" onClick={() => setOpen(true)}>
        Delete
      </button>
      <Dialog title="Delete this scan?" isOpen={isOpen} onClose={close}>
        <Question scan={scan} onCancel={close} onDeleted={onDeleted} />
      </Dialog>
    </>
  );
}

function Question({ scan, onCancel, onDeleted }: { scan: SiteScan; onCancel(): void; onDeleted(): void }) {
  const { isBusy, error, run } = useAction();
  const remove = async () => {
    await sitesClient.value.scans.delete(scan.id);
    onDeleted();
  };
  return (
    <>
      <p>
        The scan of {scan.domain}, its results and its files are removed for good. What is being done for it is stopped.
        Your website is not touched.
      </p>
      {error !== undefined && <Notice error={error} />}
      <Choice {...{ isBusy, onCancel }} confirm="Delete" cancel="Keep it" onConfirm={() => void run(remove)} />
    </>
  );
}
