/** What makes a scan fail that went well: checks for builds, each with its bound. */
import { InvalidArgumentError, Option } from 'commander';
import type { SiteReport } from '../../../storage/repositories/site-report.ts';
import { LEVELS, type Severity } from '../../sites/findings/finding.ts';
import { totalsOf } from '../../sites/records/scan.ts';
import type { EndedScan } from './run-scan.ts';
import { parseSize, SIZE_FORM } from './sizes.ts';

/** What `--fail-on` asks for. */
interface FailOn {
  findings?: Severity;
  /** Bytes that may remain to be saved. */
  bytes?: number;
}

export interface CheckOptions {
  /** Bytes of the images of one page. */
  failOver?: number;
  failOn?: FailOn;
}

/** Pages over the bound that are named. */
const MOST_NAMED = 100;

export interface Checks {
  passed: boolean;
  fail_over?: {
    limit_bytes: number;
    /** That could not be read: nothing is known of their images, so that the check fails. */
    pages_failed: number;
    /** That could not be read and count nothing: a finding, and no reason to fail. */
    assets_failed: number;
    pages_over: number;
    /** The heaviest. */
    pages: { url: string; image_bytes: number; over_bytes: number }[];
  };
  findings?: { severity: Severity; issues: Record<string, number> };
  bytes?: { limit_bytes: number; bytes_saved: number };
}

export const checkOptions = [
  new Option(
    '--fail-over <size>',
    `end with 1 when the images of any page have more bytes, each image once (${SIZE_FORM}), or a page could not be read; images that could not be read count 0 bytes and fail only --fail-on findings`,
  ).argParser(sizeOf),
  new Option(
    '--fail-on <what>',
    'end with 1 on findings (errors and warnings; findings=error, =notice or =info for others) or on bytes that could be saved (bytes=100kB: more than that); may be given several times',
  ).argParser(failOn),
];

function sizeOf(text: string): number {
  const bytes = parseSize(text);
  if (bytes === undefined) throw new InvalidArgumentError(`Expected ${SIZE_FORM}.`);
  return bytes;
}

function failOn(text: string, before: FailOn = {}): FailOn {
  const [, what, bound] = /^(findings|bytes)(?:=(.+))?$/.exec(text) ?? [];
  if (what === 'bytes') return { ...before, bytes: sizeOf(bound ?? '0') };
  const severity = bound ?? 'warning';
  if (what === 'findings' && isSeverity(severity)) return { ...before, findings: severity };
  throw new InvalidArgumentError(`Expected findings, bytes, findings=SEVERITY (${LEVELS.join(', ')}) or bytes=SIZE.`);
}

const isSeverity = (text: string): text is Severity => (LEVELS as readonly string[]).includes(text);

export async function runChecks(ended: EndedScan, { failOver, failOn: asked = {} }: CheckOptions): Promise<Checks> {
  const checks: Checks = { passed: true };
  const { scan, services } = ended;
  if (failOver !== undefined) checks.fail_over = await pagesOver(ended, failOver);
  if (asked.findings !== undefined)
    checks.findings = { severity: asked.findings, issues: await issuesOf(services.database, scan.id, asked.findings) };
  if (asked.bytes !== undefined) checks.bytes = { limit_bytes: asked.bytes, bytes_saved: totalsOf(scan).bytes_saved };
  checks.passed = !(
    (checks.fail_over && checks.fail_over.pages_over + checks.fail_over.pages_failed > 0) ||
    (checks.findings && Object.keys(checks.findings.issues).length > 0) ||
    (checks.bytes && checks.bytes.bytes_saved > checks.bytes.limit_bytes)
  );
  return checks;
}

const PAGES_AT_ONCE = 500;

async function pagesOver({ scan, services }: EndedScan, limit: number): Promise<NonNullable<Checks['fail_over']>> {
  const { pages_failed, assets_failed } = totalsOf(scan);
  const found: NonNullable<Checks['fail_over']> = {
    limit_bytes: limit,
    pages_failed,
    assets_failed,
    pages_over: 0,
    pages: [],
  };
  for (let offset = 0; ; offset += PAGES_AT_ONCE) {
    const { pages } = await services.database.siteInventory.pages(
      scan.id,
      { statuses: ['scanned'] },
      { sort: { by: 'image_bytes', descending: true }, offset, limit: PAGES_AT_ONCE },
    );
    const over = pages.filter(({ imageBytes }) => imageBytes > limit);
    found.pages_over += over.length;
    for (const { url, imageBytes } of over.slice(0, MOST_NAMED - found.pages.length))
      found.pages.push({ url, image_bytes: imageBytes, over_bytes: imageBytes - limit });
    if (over.length < PAGES_AT_ONCE) return found;
  }
}

/** How many images have each finding of a severity, or of a worse one. */
async function issuesOf(
  { siteReport }: { siteReport: SiteReport },
  scanId: string,
  least: Severity,
): Promise<Record<string, number>> {
  const worst = LEVELS.slice(0, LEVELS.indexOf(least) + 1);
  const findings = await siteReport.findings(scanId);
  return Object.fromEntries(
    findings.filter(({ severity }) => worst.includes(severity)).map(({ code, assets }) => [code, assets]),
  );
}
