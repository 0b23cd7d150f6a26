/** Summarizes a scan as text for people. */

import { printable } from '../../base/printable.ts';
import { bytesText } from '../../base/size-text.ts';
import { SEVERITIES, SEVERITY_ORDER } from '../../server/sites/findings/finding.ts';
import { FINDING_TEXTS } from '../../server/sites/package/finding-texts.ts';
import { type scanWarnings, totalsOf } from '../../server/sites/records/scan.ts';
import type { PlacedReference } from '../../storage/ports/site-inventory.ts';
import type { SiteAsset } from '../../storage/records/site-assets.ts';
import type { Checks } from './checks.ts';
import type { EndedScan } from './run-scan.ts';
import { countText } from './sizes.ts';
import type { Target } from './target.ts';

/** Maximum number of images in each list. The report and the JSON document contain all. */
const MAX_SHOWN = 10;
const MAX_PLACES = 3;
const MAX_PAGES = 20;
const REFERENCES_OF_PAGE = 5000;

const WARNINGS: Readonly<Record<(typeof scanWarnings.element.options)[number], string>> = {
  robots_blocked: 'robots.txt forbids some pages or images.',
  needs_javascript: 'Some pages are filled by scripts, which are not run: --render runs them in Chromium.',
  not_rendered: 'Some pages took too long in Chromium or broke it down: of these the markup alone was read.',
  over_limit: 'There are more pages than were scanned: --max-pages N takes more.',
  assets_truncated: 'There are more images than were read.',
  slow_site: 'The website answered slowly or not at all at times: something may be missing.',
  external_skipped: 'Some images belong to other hosts: they cannot be replaced here.',
  sitemap_errors: 'A sitemap could not be read, or not all of it.',
  unknown_numbers: 'Some pages that were named do not exist.',
};

export async function* summaryOf(ended: EndedScan, checks: Checks): AsyncGenerator<string> {
  yield headOf(ended);
  yield* findingsText(ended);
  yield* imagesWithErrors(ended);
  yield* imagesWithMostToSave(ended);
  for (const warning of JSON.parse(ended.scan.warnings)) yield `Note: ${WARNINGS[warning as keyof typeof WARNINGS]}\n`;
  yield* ownAddressHint(ended);
  yield* checksText(ended, checks);
}

/** Maximum number of images on other hosts that are checked. */
const MAX_FOREIGN_IMAGES = 500;

/**
 * Suggests `--site` if images with absolute URLs exist in the folder. Built pages may use the URL of the later website.
 */
export async function* ownAddressHint({ scan, services, target }: EndedScan): AsyncGenerator<string> {
  const { holds } = target;
  if (!holds) return;
  const slice = { sort: { by: 'seq', descending: false }, offset: 0, limit: MAX_FOREIGN_IMAGES } as const;
  const { assets } = await services.database.siteInventory.assets(scan.id, { issues: ['third_party'] }, slice);
  const held = new Map<string, number>();
  for (const { url } of assets)
    if (await holds(url)) held.set(new URL(url).origin, (held.get(new URL(url).origin) ?? 0) + 1);
  for (const [origin, images] of held)
    yield `Note: ${countText(images, 'image')} of ${origin} ${images === 1 ? 'lies' : 'lie'} in this folder: --site ${origin} reads ${images === 1 ? 'it' : 'them'} from there.\n`;
}

/** States how many pages were read and how many were not. */
export function pagesText({ pages_scanned, pages_failed }: ReturnType<typeof totalsOf>): string {
  // No plural form: "1 more", "2 more".
  const failed = pages_failed > 0 ? ` (${pages_failed.toLocaleString('en')} more could not be reached)` : '';
  return `${countText(pages_scanned, 'page')}${failed}`;
}

function headOf({ scan, target }: EndedScan): string {
  const totals = totalsOf(scan);
  const { assets, bytes_original, bytes_saved, saved_percent, assets_mapped } = totals;
  const saving =
    bytes_saved > 0
      ? `${bytesText(bytes_saved)} could be saved (${saved_percent}%) with ${countText(assets_mapped, 'new file')}.`
      : 'Nothing could be saved.';
  return `${printable(target.name)}: ${pagesText(totals)}, ${countText(assets, 'image')}, ${bytesText(bytes_original)}\n${saving}\n`;
}

async function* findingsText({ scan, services }: EndedScan): AsyncGenerator<string> {
  const findings = await services.database.siteReport.findings(scan.id);
  if (findings.length === 0) return;
  yield '\nFindings\n';
  for (const level of SEVERITY_ORDER)
    for (const { code, assets, savingsBytes } of findings.filter(({ severity }) => severity === level)) {
      const { title } = FINDING_TEXTS[code as keyof typeof SEVERITIES];
      const saving = savingsBytes > 0 ? `, ${bytesText(savingsBytes)}` : '';
      yield `  ${level.padEnd(8)}${code.padEnd(20)}${title}: ${assets.toLocaleString('en')}${saving}\n`;
    }
}

async function* imagesWithErrors(ended: EndedScan): AsyncGenerator<string> {
  const { scan, services } = ended;
  const codes = Object.entries(SEVERITIES).flatMap(([code, severity]) => (severity === 'error' ? [code] : []));
  const { assets, total } = await services.database.siteInventory.assets(
    scan.id,
    { issues: codes },
    { sort: { by: 'pages', descending: true }, offset: 0, limit: MAX_SHOWN },
  );
  if (total === 0) return;
  yield `\nImages with errors${shownOf(assets.length, total)}\n`;
  yield* imagesText(ended, assets, () => '');
}

async function* imagesWithMostToSave(ended: EndedScan): AsyncGenerator<string> {
  const { scan, services } = ended;
  const { assets, total } = await services.database.siteInventory.assets(
    scan.id,
    { minSavings: 1, mapped: true },
    { sort: { by: 'bytes_saved', descending: true }, offset: 0, limit: MAX_SHOWN },
  );
  if (total === 0) return;
  yield `\nImages with the most to save${shownOf(assets.length, total)}\n`;
  yield* imagesText(ended, assets, ({ bytes, bytesSaved, format, width, height }) => {
    const before = bytes ?? 0;
    const facts = [format?.toUpperCase(), width && height && `${width} x ${height}`].filter(Boolean).join(', ');
    return `  ${bytesText(before)} to ${bytesText(before - bytesSaved)} (${facts})`;
  });
}

const shownOf = (shown: number, total: number) => (shown < total ? ` (${shown} of ${total.toLocaleString('en')})` : '');

async function* imagesText(
  { scan, services, target }: EndedScan,
  assets: readonly SiteAsset[],
  facts: (asset: SiteAsset) => string,
): AsyncGenerator<string> {
  const { siteInventory } = services.database;
  const findings = await siteInventory.findings(
    scan.id,
    assets.map(({ seq }) => seq),
  );
  const pages = new Map<number, Promise<PlacedReference[]>>();
  const referencesOf = (page: number) => {
    const known = pages.get(page) ?? siteInventory.referencesOfPage(scan.id, page, REFERENCES_OF_PAGE);
    pages.set(page, known);
    return known;
  };
  for (const asset of assets) {
    yield `  ${printable(shortened(target.shown(asset.url)))}${printable(facts(asset))}\n`;
    const told = findings.filter(({ assetSeq, severity }) => assetSeq === asset.seq && severity !== 'info');
    for (const { message } of told.filter(({ severity }) => severity === 'error'))
      yield `      ${printable(message)}\n`;
    if (told.length > 0) yield `      ${told.map(({ code }) => code).join(', ')}\n`;
    const [page] = await siteInventory.pagesOfAsset(scan.id, asset.seq, 1);
    const references = page ? await referencesOf(page.seq) : [];
    const places = [...new Set(references.filter(({ assetSeq }) => assetSeq === asset.seq).map(placeText(target)))];
    for (const place of places.slice(0, MAX_PLACES)) yield `      in ${place}\n`;
    const others = [
      ...(places.length > MAX_PLACES ? [`${countText(places.length - MAX_PLACES, 'more place')} there`] : []),
      ...(asset.pages > 1 ? [`on ${countText(asset.pages, 'page')}`] : []),
    ];
    if (others.length > 0) yield `      ${others.join(', ')}\n`;
  }
}

const placeText =
  (target: Target) =>
  ({ sourceUrl, line }: PlacedReference): string =>
    `${printable(shortened(target.shown(sourceUrl)))}${line > 0 ? ` line ${line}` : ''}`;

const MAX_TEXT_LENGTH = 200;

const shortened = (text: string): string =>
  text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text;

export function* checksText(
  { target, scan }: EndedScan,
  { fail_over, budgets, findings, bytes }: Checks,
): Generator<string> {
  if (fail_over) {
    const { limit_bytes, pages_failed, assets_failed, pages_over, pages } = fail_over;
    const of = `of ${countText(totalsOf(scan).pages_scanned, 'page')}`;
    if (pages_over === 0 && pages_failed === 0)
      yield `\nPassed: no page has more than ${bytesText(limit_bytes)} of images.\n`;
    if (pages_over > 0)
      yield `\nFailed: ${pages_over.toLocaleString('en')} ${of} with more than ${bytesText(limit_bytes)} of images\n`;
    for (const { url, image_bytes, over_bytes } of pages.slice(0, MAX_PAGES))
      yield `  ${printable(shortened(target.shown(url)))}  ${bytesText(image_bytes)}, ${bytesText(over_bytes)} too much\n`;
    if (pages_over > MAX_PAGES) yield `  and ${(pages_over - MAX_PAGES).toLocaleString('en')} more\n`;
    if (pages_failed > 0)
      yield `\nFailed: ${countText(pages_failed, 'page')} could not be read, so that nobody knows what ${pages_failed === 1 ? 'its' : 'their'} images weigh.\n`;
    if (assets_failed > 0)
      yield `Note: ${countText(assets_failed, 'image')} could not be read and ${assets_failed === 1 ? 'counts' : 'count'} 0 bytes.\n`;
  }
  if (budgets) yield* budgetsText(target, budgets);
  if (findings) {
    const known = findings.known ? ` (${countText(findings.known, 'finding')} of the baseline not counted)` : '';
    const codes = Object.entries(findings.issues).map(([code, images]) => `${code} (${images})`);
    yield codes.length === 0
      ? `\nPassed: no finding of severity ${findings.severity} or worse${known}.\n`
      : `\nFailed: findings of severity ${findings.severity} or worse${known}: ${codes.join(', ')}\n`;
  }
  if (bytes) {
    const found = `${bytesText(bytes.bytes_saved)} could be saved, ${bytesText(bytes.limit_bytes)} may remain`;
    yield bytes.bytes_saved > bytes.limit_bytes ? `\nFailed: ${found}.\n` : `\nPassed: ${found}.\n`;
  }
}

function* budgetsText(
  target: Target,
  { pages_failed, pages_over, pages }: NonNullable<Checks['budgets']>,
): Generator<string> {
  if (pages_over + pages_failed === 0) yield '\nPassed: every page keeps to its budget.\n';
  if (pages_over > 0) yield `\nFailed: ${countText(pages_over, 'page')} over budget\n`;
  for (const { url, image_bytes, max_image_bytes, images, max_images } of pages.slice(0, MAX_PAGES)) {
    const over = [
      image_bytes > (max_image_bytes ?? Infinity) && `${bytesText(image_bytes)} of ${bytesText(max_image_bytes!)}`,
      images > (max_images ?? Infinity) && `${countText(images, 'image')} of ${max_images!.toLocaleString('en')}`,
    ].filter(Boolean);
    yield `  ${printable(shortened(target.shown(url)))}  ${over.join(', ')}\n`;
  }
  if (pages_over > MAX_PAGES) yield `  and ${(pages_over - MAX_PAGES).toLocaleString('en')} more\n`;
  if (pages_failed > 0) yield `\nFailed: ${countText(pages_failed, 'page')} could not be read.\n`;
}
