/** The report for people: one self-contained page that can be opened anywhere (docs/spec/shapes.md, section 17.4). */
import type { Repositories } from '../../../storage/ports/database.ts';
import type { AssetCounts, PageCounts } from '../../../storage/ports/site-assessment.ts';
import type {
  FindingExample,
  ReportedAsset,
  ReportedFinding,
  ReportedPage,
} from '../../../storage/ports/site-report.ts';
import { secondsOnSlow4g } from '../findings/totals.ts';
import { FINDING_TEXTS, type FindingText } from './finding-texts.ts';
import { type Html, type HtmlValue, html } from './html.ts';
import type { PackageHead } from './mapping-files.ts';
import { REPORT_STYLE } from './report-style.ts';
import type { Thumbnail } from './thumbnails.ts';

/** Longer lists are not readable; report.csv contains everything. */
const MAX_ASSETS = 500;
const MAX_PAGES = 200;
const MAX_EXAMPLES = 8;
export const MAX_THUMBNAILS = 60;

export interface ReportData {
  sums: AssetCounts & PageCounts;
  assets: ReportedAsset[];
  pages: ReportedPage[];
  findings: (ReportedFinding & { examples: FindingExample[] })[];
}

export async function readReport(
  { siteReport, siteAssessment }: Pick<Repositories, 'siteReport' | 'siteAssessment'>,
  scanId: string,
): Promise<ReportData> {
  const findings = [];
  for (const finding of await siteReport.findings(scanId))
    findings.push({ ...finding, examples: await siteReport.examples(scanId, finding.code, MAX_EXAMPLES) });
  return {
    sums: { ...(await siteAssessment.assetCounts(scanId)), ...(await siteAssessment.pageCounts(scanId)) },
    assets: await siteReport.best(scanId, MAX_ASSETS),
    pages: await siteReport.heaviestPages(scanId, MAX_PAGES),
    findings,
  };
}

/** Writes the page in chunks. */
export function* reportHtml(
  head: PackageHead,
  data: ReportData,
  thumbnails: ReadonlyMap<number, Thumbnail>,
): Generator<string> {
  const { domain, createdAt } = head;
  yield html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
<meta http-equiv="Content-Security-Policy" content="default-src 'none';img-src data:;style-src 'unsafe-inline'">
<title>Images of ${domain}, ${dayOf(createdAt)}</title>
<style>${{ html: REPORT_STYLE }}</style>
</head>
<body>
<header>
<p class="eyebrow">Image report</p>
<h1>${domain}</h1>
<p class="soft"><time datetime="${createdAt}">${dayOf(createdAt)}</time> · ${count(data.sums.pagesScanned, 'page')} · ${count(data.sums.assets, 'image')}</p>
${numbers(data)}
</header>
<main>
`.html;
  yield* findingsSection(data);
  yield* assetsSection(domain, data, thumbnails);
  yield* pagesSection(data);
  yield html`</main>
<footer class="soft small">
<p>Seconds are those that the saved bytes take at 1.6 Mbit/s, a slow mobile connection. Sizes are in units of 1000 bytes.</p>
<p>Scan ${head.scanId}, package ${head.packageId}. This page loads nothing from the network.</p>
</footer>
</body>
</html>
`.html;
}

function numbers({ sums }: ReportData): Html {
  const { bytesOriginal, bytesSaved, pagesScanned, pageBytesSaved } = sums;
  const after = bytesOriginal - bytesSaved;
  return html`<div class="numbers">
${number('All images now', bytes(bytesOriginal))}
${number('With the new files', bytes(after))}
${number('Saved', percent(bytesSaved, bytesOriginal), 'main')}
${number('Faster on slow 4G, per page', seconds(pagesScanned === 0 ? 0 : pageBytesSaved / pagesScanned))}
</div>
<div class="card whole">
${bar(bytesOriginal, bytesSaved, bytesOriginal)}
<p class="keys soft small"><span><i class="key"></i>${bytes(after)} stay</span><span><i class="key saved"></i>${bytes(bytesSaved)} saved by ${count(sums.assetsMapped, 'new file')}</span></p>
</div>`;
}

const number = (label: string, value: string, kind = ''): Html =>
  html`<div class="card number ${kind}"><b>${value}</b><span class="soft small">${label}</span></div>`;

const SEVERITIES = {
  error: ['error', 'Errors', 'Something is broken or should not be public.'],
  warning: ['warning', 'Warnings', 'Visitors wait, or miss something.'],
  notice: ['notice', 'Notices', 'Worth a look when there is time.'],
  info: ['info', 'For information', ''],
} as const;

function* findingsSection({ findings }: ReportData): Generator<string> {
  yield '<section>\n<h2>What was found</h2>\n';
  if (findings.length === 0) yield none('Nothing to complain about.').html;
  for (const [severity, title, meaning] of Object.values(SEVERITIES)) {
    const own = findings.filter((finding) => finding.severity === severity);
    if (own.length === 0) continue;
    yield html`<p class="severity tone-${severity}">${title} <span class="soft small">${meaning}</span></p>\n`.html;
    for (const finding of own) yield findingCard(finding).html;
  }
  yield '</section>\n';
}

function findingCard({ code, severity, assets, savingsBytes, examples }: ReportData['findings'][number]): Html {
  const text = (FINDING_TEXTS as Readonly<Record<string, FindingText>>)[code];
  const more = assets - examples.length;
  return html`<article class="card finding tone-${severity}">
<div class="top"><h3>${text?.title ?? code}</h3><span class="count">${count(assets, 'image')}${savingsBytes > 0 && html` · <b>${bytes(savingsBytes)}</b> to save`}</span></div>
${text && html`<p>${text.meaning}</p><p class="soft">${text.advice}</p>`}
<details><summary>Which ones</summary><ul>${examples.map(({ url, savingsBytes: savings }) => html`<li>${link(url)}${savings !== null && savings > 0 && html` <span class="soft">${bytes(savings)}</span>`}</li>`)}${more > 0 && html`<li class="soft">and ${more.toLocaleString('en')} more: report.csv</li>`}</ul></details>
</article>
`;
}

function* assetsSection(
  domain: string,
  { assets, sums }: ReportData,
  thumbnails: ReadonlyMap<number, Thumbnail>,
): Generator<string> {
  const subtitle = listed(assets.length, sums.assetsMapped, 'new file', 'mapping.csv', 'largest savings first');
  yield html`<section>\n<h2>New files</h2>\n<p class="soft">${subtitle}</p>\n`.html;
  if (assets.length === 0) yield none('No image of this website became enough smaller to be replaced.').html;
  else yield '<div class="card list">\n';
  const most = Math.max(...assets.map((asset) => asset.bytes ?? 0));
  for (const asset of assets) yield assetRow(asset, domain, most, thumbnails.get(asset.seq)).html;
  yield assets.length === 0 ? '</section>\n' : '</div>\n</section>\n';
}

function assetRow(asset: ReportedAsset, domain: string, most: number, thumbnail: Thumbnail | undefined): Html {
  const { url, format, toFormat, width, height, toWidth, toHeight, bytesSaved } = asset;
  const before = asset.bytes ?? 0;
  const resized = toWidth !== null && (toWidth !== width || toHeight !== height);
  const facts: HtmlValue[] = [
    `${name(format)} → ${name(toFormat)}`,
    size(width, height) + (resized ? ` → ${size(toWidth, toHeight)}` : ''),
    `on ${count(asset.pages, 'page')}`,
  ];
  return html`<div class="row image">
<div class="thumb">${thumbnail ? html`<img src="${thumbnail.url}" width="${thumbnail.width}" height="${thumbnail.height}" alt="" decoding="async">` : name(toFormat)}</div>
<div class="name">${place(url, domain)}<div class="soft small">${facts.filter((fact) => fact !== '').join(' · ')}</div></div>
<div class="amount small figures">${bytes(before)} &rarr; <b>${bytes(before - bytesSaved)}</b>${bar(before, bytesSaved, most)}</div>
<div class="percent">${saving(bytesSaved, before)}</div>
</div>
`;
}

function* pagesSection({ pages, sums }: ReportData): Generator<string> {
  const subtitle = listed(pages.length, sums.pagesScanned, 'page', 'the list of pages of the scan', 'heaviest first');
  yield html`<section>\n<h2>Pages</h2>\n<p class="soft">${subtitle}</p>\n`.html;
  if (pages.length === 0) yield none('No page was read.').html;
  else yield '<div class="card list">\n';
  const most = Math.max(...pages.map(({ imageBytes }) => imageBytes));
  for (const page of pages) yield pageRow(page, most).html;
  yield pages.length === 0 ? '</section>\n' : '</div>\n</section>\n';
}

function pageRow({ url, title, imageRequests, imageBytes, bytesSaved }: ReportedPage, most: number): Html {
  return html`<div class="row page">
<div class="name">${title !== null && title.trim() !== '' && html`<b>${title.slice(0, 200)}</b><br>`}<span class="small">${link(url)}</span></div>
<div class="amount small figures">${count(imageRequests, 'image')}, ${bytes(imageBytes)}${bytesSaved > 0 && html` &rarr; <b>${bytes(imageBytes - bytesSaved)}</b>`}${bar(imageBytes, bytesSaved, most)}</div>
<div class="percent">${saving(bytesSaved, imageBytes)}${bytesSaved > 0 && html`<div class="soft small">${seconds(bytesSaved)} faster</div>`}</div>
</div>
`;
}

/** A bar with the remaining and the saved part of `whole`, scaled to the largest value of its list. */
function bar(whole: number, saved: number, most: number): Html {
  const share = (part: number) => (most <= 0 ? 0 : Math.max(0, (100 * part) / most)).toFixed(2);
  return html`<div class="bar" aria-hidden="true"><i style="width:${share(whole - Math.max(0, saved))}%"></i><i style="width:${share(saved)}%"></i></div>`;
}

const none = (text: string): Html => html`<p class="card none soft">${text}</p>\n`;

function listed(shown: number, all: number, what: string, where: string, order: string): string {
  const which = shown < all ? `${shown.toLocaleString('en')} of ${count(all, what)}` : count(all, what);
  return `${which}, ${order}.${shown < all ? ` The rest is in ${where}.` : ''}`;
}

/** The file name of an address, with its folder below. */
function place(url: string, domain: string): Html {
  const [, host = '', folder = '', file = ''] = /^https?:\/\/([^/?#]+)(\/(?:[^?#]*\/)?)(.*)$/.exec(url) ?? [];
  if (file === '') return link(url);
  const where = (host === domain ? '' : host) + folder;
  return html`${link(url, file)}<div class="soft small">${shortened(where)}</div>`;
}

const shortened = (text: string): string => (text.length > 300 ? `${text.slice(0, 300)}…` : text);

/** Links only http and https addresses: `javascript:` addresses would run in this page. */
function link(url: string, text = url): Html {
  const shown = shortened(text);
  return /^https?:\/\//.test(url) ? html`<a href="${url}" rel="noreferrer nofollow">${shown}</a>` : html`${shown}`;
}

function dayOf(time: string): string {
  const options = { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' } as const;
  return new Date(time).toLocaleDateString('en-GB', options);
}

const count = (value: number, what: string): string => `${value.toLocaleString('en')} ${what}${value === 1 ? '' : 's'}`;

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** Formats bytes with three significant digits. */
function bytes(value: number): string {
  let [amount, unit] = [value, 0];
  while (Math.abs(amount) >= 999.5 && unit < UNITS.length - 1) [amount, unit] = [amount / 1000, unit + 1];
  const digits = unit === 0 || Math.abs(amount) >= 99.95 ? 0 : Math.abs(amount) >= 9.995 ? 1 : 2;
  return `${amount.toFixed(digits)}\u00a0${UNITS[unit]}`;
}

const percent = (part: number, whole: number): string => `${whole === 0 ? 0 : Math.round((100 * part) / whole)}%`;

function saving(saved: number, whole: number): string {
  if (saved === 0 || whole === 0) return '–';
  return saved > 0 ? `−${percent(saved, whole)}` : `+${percent(-saved, whole)}`;
}

const seconds = (savedBytes: number): string => `${secondsOnSlow4g(savedBytes).toFixed(1)}\u00a0s`;

const size = (width: number | null, height: number | null): string =>
  width === null || height === null ? '' : `${width}\u00a0×\u00a0${height}`;

const name = (format: string | null): string => (format === null ? '' : format.toUpperCase().replace('WEBP', 'WebP'));
