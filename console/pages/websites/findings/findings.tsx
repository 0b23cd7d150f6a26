/** Lists the findings of a scan, grouped by severity. */
import './findings.css';
import { useState } from 'preact/hooks';
import { to } from '../../../shell/router.ts';
import { Notice, Spinner, Tag } from '../../../ui/feedback.tsx';
import { bytesText } from '../../../ui/format.ts';
import { useData } from '../../../ui/use-loaded.ts';
import { sitesClient, useImageSums } from '../client.ts';
import { Thumbnail } from '../images/thumbnail.tsx';
import { pluralize, shortAddress } from '../labels.ts';
import { isRunning } from '../scan/states.ts';
import type { SectionProps, SiteFinding, SiteScan } from '../types.ts';
import { type CountedFinding, countedFindings, findingText, SEVERITIES, SEVERITY_NAMES } from './texts.ts';

export function Findings({ scan, changes }: SectionProps) {
  const isStill = !isRunning(scan);
  const sums = useImageSums(scan, changes);
  const findings = countedFindings(scan.totals.issues);
  if (findings.length === 0)
    return (
      <Notice kind={isStill ? 'success' : 'info'}>
        {isStill ? 'Nothing was found fault with.' : 'Nothing was found fault with so far.'}
      </Notice>
    );
  return (
    <div class="stack">
      {SEVERITY_NAMES.map((severity) => {
        const own = findings.filter((finding) => finding.severity === severity);
        if (own.length === 0) return null;
        const { title, meaning } = SEVERITIES[severity];
        return (
          <section key={severity} class="stack severity" aria-label={title}>
            <h2>
              {title} <small>{meaning}</small>
            </h2>
            {own.map((finding) => (
              <FindingCard key={finding.code} scan={scan} finding={finding} savings={sums?.savings.get(finding.code)} />
            ))}
          </section>
        );
      })}
    </div>
  );
}

interface FindingCardProps {
  scan: SiteScan;
  finding: CountedFinding;
  savings: number | undefined;
}

function FindingCard({ scan, finding, savings }: FindingCardProps) {
  const [isOpen, setOpen] = useState(false);
  const { code, title, meaning, advice, images, severity } = finding;
  return (
    <article class={`card finding tone-edge-${severity}`}>
      <div class="row">
        <h3>{title}</h3>
        <Tag kind={SEVERITIES[severity].kind}>{pluralize(images, 'image')}</Tag>
        {savings !== undefined && <span>{bytesText(savings)} to save</span>}
      </div>
      {meaning && <p>{meaning}</p>}
      {advice && <p class="help">{advice}</p>}
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>Which ones</summary>
        {isOpen && <Examples scan={scan} code={code} images={images} />}
      </details>
    </article>
  );
}

const MAX_EXAMPLES = 8;
const THUMBNAIL_PX = 56;

function Examples({ scan, code, images }: { scan: SiteScan; code: string; images: number }) {
  const { scans } = sitesClient.value;
  const { value, error } = useData(
    (signal) => scans.listAssets(scan.id, { issue: code, limit: MAX_EXAMPLES }, { signal }),
    [scans, scan.id, code],
  );
  if (error !== undefined) return <Notice error={error} />;
  if (!value) return <Spinner label="Reading the images" />;
  return (
    <>
      <ul class="examples">
        {value.assets.map((asset) => (
          <li key={asset.seq}>
            <Thumbnail scanId={scan.id} asset={asset} size={THUMBNAIL_PX} />
            <span>
              <a href={to(['websites', scan.id, 'images', String(asset.seq)])}>
                {shortAddress(asset.url, scan.domain)}
              </a>
              <small>{asset.findings.find((finding) => finding.code === code)?.message}</small>
            </span>
          </li>
        ))}
      </ul>
      {images > MAX_EXAMPLES && (
        <a href={to(['websites', scan.id, 'images'], { issue: code })}>See all {pluralize(images, 'image')}</a>
      )}
    </>
  );
}

/** Lists the findings of one image. */
export function ImageFindings({ findings }: { findings: readonly SiteFinding[] }) {
  return (
    <section class="card" aria-label="Findings">
      <h3>Findings</h3>
      {findings.length === 0 && <p>Nothing was found fault with.</p>}
      <ul class="findings-of">
        {findings.map(({ code, severity, message, savings_bytes }) => {
          const { title, advice } = findingText(code);
          return (
            <li key={code}>
              <span class="row">
                <strong>{title}</strong>
                <Tag kind={SEVERITIES[severity].kind}>{SEVERITIES[severity].label}</Tag>
              </span>
              <p>
                {message}
                {savings_bytes ? ` ${bytesText(savings_bytes)} to save.` : ''}
              </p>
              <p class="help">{advice}</p>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
