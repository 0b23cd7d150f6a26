/** Shows the package of new files, its downloads, and how to apply it. */
import { Notice } from '../../../ui/feedback.tsx';
import { toServicePath } from '../../../ui/files.ts';
import { bytesText, timeText } from '../../../ui/format.ts';
import { pluralize } from '../labels.ts';
import { isRunning } from '../scan/states.ts';
import type { SectionProps, SiteScan } from '../types.ts';
import { HowToApply } from './how-to-apply.tsx';
import { SaveButton } from './save-button.tsx';
import './package-section.css';

export function PackageSection({ scan }: SectionProps) {
  const { zip_url, bytes, sha256, built_at, expires_at } = scan.downloads;
  if (zip_url === null) return <NoPackage scan={scan} />;
  return (
    <div class="stack">
      <section class="card" aria-label="Package">
        <h2>The package</h2>
        <p>
          {pluralize(scan.totals.assets_mapped, 'new file')} for {scan.domain}, which save{' '}
          <strong>{bytesText(scan.totals.bytes_saved)}</strong>. Your website is not touched until you apply it.
        </p>
        <SaveButton
          path={toServicePath(zip_url)}
          filename={`${scan.domain}.zip`.replaceAll(/[^\w.-]/g, '-')}
          what={`the package, ${bytes === null ? 'ZIP' : bytesText(bytes)}`}
          isPrimary
        />
        <p class="help">
          {built_at !== null && `Built ${timeText(built_at)}. `}
          {expires_at !== null && `Kept until ${timeText(expires_at)}. `}
          What you have approved or rejected since is in it when it is rebuilt.
        </p>
        {sha256 !== null && (
          <p class="help">
            SHA-256 <code>{sha256}</code>
          </p>
        )}
      </section>
      <Files scan={scan} />
      <HowToApply scan={scan} />
    </div>
  );
}

function NoPackage({ scan }: { scan: SiteScan }) {
  const { expires_at, status, totals } = scan;
  const isExpired = expires_at !== null && Date.parse(expires_at) <= Date.now();
  if (isExpired)
    return <Notice kind="warning">The files of this scan are no longer kept. Scan the website again.</Notice>;
  if (isRunning(scan)) return <Notice>The package is built when the images are converted.</Notice>;
  if (totals.assets_optimized > 0 && (status === 'ready' || status === 'done'))
    return <Notice>No package is built yet. Choose “Rebuild the package” above.</Notice>;
  return <Notice>There is no package: no image is converted yet. The first step is above.</Notice>;
}

function Files({ scan: { downloads } }: { scan: SiteScan }) {
  const { mapping_json_url, mapping_csv_url, report_html_url, report_csv_url, rules } = downloads;
  const files: [string, string, string | null][] = [
    ['report.html', 'The report to read, for everybody', report_html_url],
    ['report.csv', 'One line for each image', report_csv_url],
    ['mapping.json', 'Every image that is replaced, by which file, and how the pages spell it', mapping_json_url],
    ['mapping.csv', 'The same as a table', mapping_csv_url],
    ['nginx.conf', 'Rules for nginx', rules.nginx_url],
    ['htaccess.txt', 'Rules for Apache', rules.apache_url],
    ['redirects.txt', 'Rules for Netlify', rules.netlify_url],
  ];
  return (
    <section class="card" aria-label="Files">
      <h2>What is in it</h2>
      <p>
        The new files in the folders of your website, and these, which you can have one by one. The package also has a{' '}
        <code>README.txt</code> and instructions for coding agents, <code>AGENT.md</code>.
      </p>
      <ul class="files">
        {files.map(
          ([name, meaning, url]) =>
            url !== null && (
              <li key={name}>
                <span>
                  <strong>{name}</strong>
                  <small>{meaning}</small>
                </span>
                <SaveButton path={toServicePath(url)} filename={name} what={name} />
              </li>
            ),
        )}
      </ul>
    </section>
  );
}
