/** `imagecrew scan` and `imagecrew optimize`: scan a website, at a URL or in a folder, without a server. */
import type { Command } from 'commander';
import { Failure, withHint } from '../../base/failure.ts';
import { printable } from '../../base/printable.ts';
import { bytesText } from '../../base/size-text.ts';
import { totalsOf } from '../../server/sites/records/scan.ts';
import { ExitStatus, FAILED } from '../exit-status.ts';
import { exists } from '../files.ts';
import type { Io } from '../io.ts';
import { asUsage, withOptionNames } from '../usage.ts';
import { baselineText } from './baseline.ts';
import type { CheckOptions } from './check-options.ts';
import { checkBudgets, prepareChecks, runChecks } from './checks.ts';
import { noPageRead, outputTaken } from './errors.ts';
import { jsonDocument } from './json-document.ts';
import { writeReports } from './reports/index.ts';
import type { ReportOptions } from './reports/options.ts';
import { type EndedScan, withScan } from './run-scan.ts';
import type { SiteOptions } from './scan-options.ts';
import { countText } from './sizes.ts';
import { ownAddressHint, pagesText, summaryOf } from './summary.ts';
import { type Target, targetOf } from './target.ts';
import { checkOutput, type Written, writeFolder, writeReport, writeText, writeZip } from './write-package.ts';

/** Exit status if the scan itself failed, as opposed to a check. */
const SCAN_FAILED = 3;

export interface ScanCommandOptions extends SiteOptions, CheckOptions, ReportOptions {
  report?: string;
  writeBaseline?: string;
}

export async function scanSite(io: Io, command: Command, site: string, options: ScanCommandOptions): Promise<void> {
  const { report, writeBaseline, json } = options;
  const prepare = async () => ({
    target: await targetOf(site, options),
    prepared: await prepareChecks(options, writeBaseline !== undefined),
  });
  const { target, prepared } = await asUsage(command, prepare, withOptionNames);
  await withErrorReport(io, command, async () =>
    withScan(
      io,
      target,
      options,
      async (ended) => {
        const failure = await failureOf(ended);
        const checks = failure ? { passed: false } : await runChecks(ended, options, prepared);
        if (json) await print(io, jsonDocument(ended, { checks }));
        if (failure) throw failure;
        if (!json) await print(io, summaryOf(ended, checks));
        if (report !== undefined) await writeReport(ended, report);
        await writeReports(io, { ended, checks, baseline: prepared.baseline }, options);
        if (writeBaseline !== undefined) await writeText(writeBaseline, baselineText(ended), ended.signal);
        if (!checks.passed) throw new ExitStatus(FAILED);
      },
      (services, signal) => checkBudgets(prepared, services, signal),
    ),
  );
}

export interface OptimizeCommandOptions extends SiteOptions {
  output?: string;
  zip?: true;
  overwrite?: true;
}

export async function optimizeSite(
  io: Io,
  command: Command,
  site: string,
  options: OptimizeCommandOptions,
): Promise<void> {
  const { output, zip = false, overwrite = false } = options;
  const found = async () => {
    const target = await targetOf(site, options);
    const place = output ?? placeOf(target, zip);
    if (!overwrite) await checkPlace(place, zip);
    return { target, place };
  };
  const { target, place } = await asUsage(command, found, withOptionNames);
  await withErrorReport(io, command, async () =>
    withScan(io, target, options, async (ended) => {
      const failure = await failureOf(ended);
      const written = failure ? null : await (zip ? writeZip : writeFolder)(ended, place);
      if (options.json) await print(io, jsonDocument(ended, { package: written }));
      if (failure) throw failure;
      if (options.json) return;
      io.out(writtenText(ended, written!));
      await print(io, ownAddressHint(ended));
    }),
  );
}

const placeOf = ({ name }: Target, zip: boolean): string =>
  `imagecrew-${name.replaceAll(/[^A-Za-z0-9._-]/g, '_')}${zip ? '.zip' : ''}`;

async function checkPlace(path: string, zip: boolean): Promise<void> {
  if (!zip) return await checkOutput(path);
  if (await exists(path)) throw outputTaken(path);
}

/** @returns the failure of the scan, or a failure if no page was read */
async function failureOf({ scan, services }: EndedScan): Promise<Failure | undefined> {
  if (scan.status === 'failed') return new Failure('url_fetch_failed', scan.errorMessage ?? 'The scan has failed.');
  const totals = totalsOf(scan);
  if (totals.pages_scanned > 0) return undefined;
  const isBlocked = (JSON.parse(scan.warnings) as string[]).includes('robots_blocked');
  if (isBlocked) return noPageRead('robots.txt forbids all.');
  const slice = { sort: { by: 'seq', descending: false }, offset: 0, limit: 1 } as const;
  const failed = await services.database.siteInventory.pages(scan.id, { statuses: ['failed'] }, slice);
  const [first] = failed.pages;
  if (!first) return noPageRead('all are left out.');
  return noPageRead(`${countText(failed.total, 'page')} failed, the first so: ${first.errorMessage}`);
}

async function print(io: Io, text: AsyncIterable<string>): Promise<void> {
  for await (const part of text) io.out(part);
}

function writtenText({ scan }: EndedScan, { path, files, bytes }: Written): string {
  const totals = totalsOf(scan);
  const { assets, assets_mapped, bytes_original, bytes_saved, saved_percent } = totals;
  return [
    `${pagesText(totals)}, ${countText(assets, 'image')} of ${bytesText(bytes_original)}: ${countText(assets_mapped, 'new file')} ${assets_mapped === 1 ? 'saves' : 'save'} ${bytesText(bytes_saved)} (${saved_percent}%).`,
    `${countText(files, 'file')}, ${bytesText(bytes)}, in ${printable(path)}`,
    '',
  ].join('\n');
}

const USAGE_ERROR_CODES: ReadonlySet<string> = new Set([
  'invalid_parameter',
  'invalid_url',
  'conflicting_parameters',
  'list_too_large',
]);

async function withErrorReport(io: Io, command: Command, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (USAGE_ERROR_CODES.has(error.code)) command.error(withOptionNames(withHint(error)));
    const hint = error.code === 'url_not_allowed' ? ' --allow-private CIDR lets private addresses through.' : '';
    io.err(`${printable(withHint(error))}${hint}\n`);
    throw new ExitStatus(SCAN_FAILED);
  }
}
