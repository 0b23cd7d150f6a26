/** Checks for builds: limits that make a scan fail although it completed. */

import { SEVERITY_ORDER, type Severity } from '../../server/sites/findings/finding.ts';
import { checkPatterns, matchedBy, matchForRequest } from '../../server/sites/patterns.ts';
import { totalsOf } from '../../server/sites/records/scan.ts';
import type { SiteServices } from '../../server/sites/services.ts';
import type { SitePage } from '../../storage/records/site-pages.ts';
import { exists } from '../files.ts';
import { Baseline } from './baseline.ts';
import type { CheckOptions } from './check-options.ts';
import { problemsOf } from './problems.ts';
import { type Budget, readProjectConfig } from './project-config.ts';
import type { EndedScan } from './run-scan.ts';

/** Maximum number of pages over the limit that are listed. */
const MAX_LISTED_PAGES = 100;

export interface Checks {
  passed: boolean;
  fail_over?: {
    limit_bytes: number;
    /** Pages that could not be read. Their images are unknown, so the check fails. */
    pages_failed: number;
    /** Images that could not be read. They count 0 bytes; they are a finding but do not fail this check. */
    assets_failed: number;
    pages_over: number;
    /** The pages with the most image bytes. */
    pages: { url: string; image_bytes: number; over_bytes: number }[];
  };
  budgets?: {
    pages_failed: number;
    pages_over: number;
    /** The first pages over their budget. */
    pages: OverBudget[];
  };
  findings?: {
    severity: Severity;
    /** Number of images per finding. With a baseline, only findings that are not in it. */
    issues: Record<string, number>;
    /** Number of findings that are in the baseline. */
    known?: number;
  };
  bytes?: { limit_bytes: number; bytes_saved: number };
}

interface OverBudget {
  url: string;
  /** Patterns of the budget. */
  pages: readonly string[];
  image_bytes: number;
  max_image_bytes?: number;
  images: number;
  max_images?: number;
}

/** The files that checks need. They are read before the scan, so that an invalid file is reported at once. */
export interface PreparedChecks {
  baseline: Baseline | undefined;
  budgets: readonly Budget[];
}

/**
 * @param writesBaseline whether the command writes a baseline; then the project's baseline need not exist yet
 * @throws Failure for files that cannot be read or are invalid
 */
export async function prepareChecks(
  { baseline, config }: CheckOptions,
  writesBaseline: boolean,
): Promise<PreparedChecks> {
  const project = await readProjectConfig(config);
  const path = baseline ?? project.baseline;
  const isMissing = path === undefined || (writesBaseline && !(await exists(path)));
  return { baseline: isMissing ? undefined : await Baseline.read(path), budgets: project.budgets };
}

export async function runChecks(
  ended: EndedScan,
  { failOver, failOn: asked = {} }: CheckOptions,
  { baseline, budgets }: PreparedChecks,
): Promise<Checks> {
  const checks: Checks = { passed: true };
  if (failOver !== undefined) checks.fail_over = await pagesOver(ended, failOver);
  if (budgets.length > 0) checks.budgets = await pagesOverBudget(ended, budgets);
  if (asked.findings !== undefined) checks.findings = await findingsOf(ended, asked.findings, baseline);
  if (asked.bytes !== undefined)
    checks.bytes = { limit_bytes: asked.bytes, bytes_saved: totalsOf(ended.scan).bytes_saved };
  checks.passed = !(
    (checks.fail_over && checks.fail_over.pages_over + checks.fail_over.pages_failed > 0) ||
    (checks.budgets && checks.budgets.pages_over + checks.budgets.pages_failed > 0) ||
    (checks.findings && Object.keys(checks.findings.issues).length > 0) ||
    (checks.bytes && checks.bytes.bytes_saved > checks.bytes.limit_bytes)
  );
  return checks;
}

/** Whether `severity` is at least as severe as `least`. */
export const isAtLeast = (severity: Severity, least: Severity): boolean =>
  SEVERITY_ORDER.indexOf(severity) <= SEVERITY_ORDER.indexOf(least);

const PAGE_BATCH_SIZE = 500;

const budgetLists = (budgets: readonly Budget[]) => budgets.map(({ pages }) => ({ patterns: pages, param: 'budgets' }));

/** @throws Failure `invalid_parameter` for invalid patterns */
export async function checkBudgets(
  { budgets }: PreparedChecks,
  services: Pick<SiteServices, 'engine'>,
  signal: AbortSignal,
): Promise<void> {
  await checkPatterns(budgetLists(budgets), matchForRequest(services, signal));
}

async function* scannedPages(ended: EndedScan): AsyncGenerator<SitePage> {
  for await (const pages of pagesAtOnce(ended)) yield* pages;
}

/** Pages that were read, in batches, those with the most image bytes first. */
async function* pagesAtOnce({ scan, services }: EndedScan): AsyncGenerator<SitePage[]> {
  for (let offset = 0; ; offset += PAGE_BATCH_SIZE) {
    const { pages } = await services.database.siteInventory.pages(
      scan.id,
      { statuses: ['scanned'] },
      { sort: { by: 'image_bytes', descending: true }, offset, limit: PAGE_BATCH_SIZE },
    );
    yield pages;
    if (pages.length < PAGE_BATCH_SIZE) return;
  }
}

async function pagesOver(ended: EndedScan, limit: number): Promise<NonNullable<Checks['fail_over']>> {
  const { pages_failed, assets_failed } = totalsOf(ended.scan);
  const none = { pages_over: 0, pages: [] };
  const found: NonNullable<Checks['fail_over']> = { limit_bytes: limit, pages_failed, assets_failed, ...none };
  for await (const { url, imageBytes } of scannedPages(ended)) {
    if (imageBytes <= limit) break;
    found.pages_over += 1;
    if (found.pages.length < MAX_LISTED_PAGES)
      found.pages.push({ url, image_bytes: imageBytes, over_bytes: imageBytes - limit });
  }
  return found;
}

async function pagesOverBudget(ended: EndedScan, budgets: readonly Budget[]): Promise<NonNullable<Checks['budgets']>> {
  const { pages_failed } = totalsOf(ended.scan);
  const found: NonNullable<Checks['budgets']> = { pages_failed, pages_over: 0, pages: [] };
  for await (const pages of pagesAtOnce(ended)) {
    const urls = pages.map(({ url }) => url);
    const matched = await matchedBy(budgetLists(budgets), urls, matchForRequest(ended.services, ended.signal));
    for (const page of pages) {
      const own = budgets[matched.findIndex((matching) => matching.has(page.url))];
      const over = own && overBudget(page, own);
      if (!over) continue;
      found.pages_over += 1;
      if (found.pages.length < MAX_LISTED_PAGES) found.pages.push(over);
    }
  }
  return found;
}

function overBudget(
  { url, imageBytes, imageRequests }: SitePage,
  { pages, image_bytes: maxBytes, images: maxImages }: Budget,
): OverBudget | undefined {
  const isOver = imageBytes > (maxBytes ?? Infinity) || imageRequests > (maxImages ?? Infinity);
  if (!isOver) return undefined;
  return {
    ...{ url, pages, image_bytes: imageBytes, images: imageRequests },
    ...(maxBytes !== undefined && { max_image_bytes: maxBytes }),
    ...(maxImages !== undefined && { max_images: maxImages }),
  };
}

/** Counts the images per finding of the severity or worse. */
async function findingsOf(
  ended: EndedScan,
  severity: Severity,
  baseline: Baseline | undefined,
): Promise<NonNullable<Checks['findings']>> {
  if (!baseline) {
    const findings = await ended.services.database.siteReport.findings(ended.scan.id);
    const failing = findings.filter((finding) => isAtLeast(finding.severity, severity));
    return { severity, issues: Object.fromEntries(failing.map(({ code, assets }) => [code, assets])) };
  }
  const issues: Record<string, number> = {};
  let known = 0;
  for await (const problem of problemsOf(ended, baseline)) {
    if (!isAtLeast(problem.severity, severity)) continue;
    if (problem.isKnown) known += 1;
    else issues[problem.code] = (issues[problem.code] ?? 0) + 1;
  }
  return { severity, issues, known };
}
