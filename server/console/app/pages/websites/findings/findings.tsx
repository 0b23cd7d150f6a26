/** Lists the findings of a scan, grouped by severity. */
import { useState } from 'preact/hooks';
import { to } from '../../../shell/router.ts';
import { Notice, Spinner, Tag } from '../../../ui/feedback.tsx';
import { bytesText } from '../../../ui/format.ts';
import { useLoaded } from '../../../ui/use-loaded.ts';
import { sumImages } from '../images/all-images.ts';
import { Thumbnail } from '../images/thumbnail.tsx';
import type { SiteScan } from '../records.ts';
import { sites } from '../requests.ts';
import type { SectionProps } from '../scan/section-props.ts';
import { isAtWork } from '../scan/states.ts';
import { countOf, shortAddress } from '../words.ts';
import { type CountedFinding, countedFindings, SEVERITIES, SEVERITY_NAMES } from './texts.ts';
import './findings.css';

export function Findings({ scan, changes }: SectionProps) {
  const { scans } = sites.value;
  const isStill = !isAtWork(scan);
  const { value: sums } = useLoaded(
    async (signal) => (isStill ? await sumImages(scans, scan.id, signal) : undefined),
    [scans, scan.id, isStill, isStill && changes],
  );
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
        <Tag kind={SEVERITIES[severity].kind}>{countOf(images, 'image')}</Tag>
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

const MOST = 8;
const SIZE = 56;

function Examples({ scan, code, images }: { scan: SiteScan; code: string; images: number }) {
  const { scans } = sites.value;
  const { value, error } = useLoaded(
    (signal) => scans.listAssets(scan.id, { issue: code, limit: MOST }, { signal }),
    [scans, scan.id, code],
  );
  if (error !== undefined) return <Notice error={error} />;
  if (!value) return <Spinner label="Reading the images" />;
  return (
    <>
      <ul class="examples">
        {value.assets.map((asset) => (
          <li key={asset.seq}>
            <Thumbnail scanId={scan.id} asset={asset} size={SIZE} />
            <span>
              <a href={to(['websites', scan.id, 'images', String(asset.seq)])}>
                {shortAddress(asset.url, scan.domain)}
              </a>
              <small>{asset.findings.find((finding) => finding.code === code)?.message}</small>
            </span>
          </li>
        ))}
      </ul>
      {images > MOST && (
        <a href={to(['websites', scan.id, 'images'], { issue: code })}>See all {countOf(images, 'image')}</a>
      )}
    </>
  );
}
