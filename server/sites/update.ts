/** Changes a scan on behalf of its owner: the actions of docs/spec/shapes.md, section 17.2. */

import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { described } from '../../base/described.ts';
import { createDecoder } from '../../base/parameter-decoder.ts';
import { timestamp } from '../../base/timestamp.ts';
import { slowPatterns } from '../../engine/operations/errors.ts';
import type { Repositories } from '../../storage/ports/database.ts';
import type { SiteScanChanges } from '../../storage/ports/site-scans.ts';
import type { ScanStatus, SiteScan } from '../../storage/records/site-scans.ts';
import { ownerOf } from '../account/owner.ts';
import type { Caller } from '../http/context.ts';
import { checkSettings, completeSettings, type SentSettings, withSettings } from './body.ts';
import { conflicting, noPageSelected, nothingOptimized, scanExpired, wrongState } from './errors.ts';
import { checkRobotsSetting } from './ownership.ts';
import { checkPatterns, excludedBy, type MatchPaths, matchForRequest, pageLists } from './patterns.ts';
import { isExpired } from './records/scan.ts';
import { recountedPages } from './recount.ts';
import type { SiteServices } from './services.ts';
import { ACTIONS, type Action, RUNNING_STATUSES, TRANSITIONS } from './states.ts';

/** Time limit for the patterns of one request, matched against all pages of a scan. */
const MAX_MATCHING_MS = 30_000;
/** Maximum number of pages or images named by number in one request. Patterns can select more. */
const MAX_NUMBERS = 10_000;
const numbers = (description: string, example: number[]) =>
  described(z.array(z.int().min(1)).max(MAX_NUMBERS).optional(), description, example);
const patterns = (description: string, example: string[]) =>
  described(z.array(z.string().min(1).max(500)).max(50).optional(), description, example);

export const update = z.strictObject({
  action: z.enum(ACTIONS).meta({
    description:
      'select: tick or untick pages. start: scan the ticked pages. cancel: stop. retry: go on where it was stopped, or try again what has failed. optimize: convert images. package: build the package again from the present approvals.',
  }),
  include: patterns('select, start: pages whose path matches one.', ['/blog/**']),
  exclude: patterns('select, start: not pages whose path matches one.', ['/blog/archive/**']),
  pages: numbers('select, start: numbers of pages to tick or untick. optimize: the images of these pages.', [1, 2]),
  assets: numbers('optimize: numbers of images.', [3]),
  selected: z.boolean().optional().meta({
    description:
      'select, start: tick (true, the default) or untick the pages that are named. start with true ticks these alone.',
  }),
});

export const updateDecoder = withSettings(createDecoder(update));
type Update = z.output<typeof update> & { settings?: SentSettings };

/** The fields besides `action` that each action allows. */
const FIELDS: Readonly<Record<Action, readonly string[]>> = {
  select: ['include', 'exclude', 'pages', 'selected'],
  start: ['include', 'exclude', 'pages', 'selected', 'settings'],
  optimize: ['pages', 'assets', 'settings'],
  retry: ['settings'],
  cancel: [],
  package: [],
};

/** Checks that the fields fit the action. @throws Failure 400 `conflicting_parameters` */
export function checkUpdate(asked: Update): Update {
  const stray = Object.keys(asked).find((field) => field !== 'action' && !FIELDS[asked.action].includes(field));
  if (stray !== undefined) throw conflicting(stray, `with action ${asked.action}`);
  if (asked.pages && (asked.include || asked.exclude)) throw conflicting('pages', 'beside include and exclude');
  return asked;
}

/**
 * Performs the requested action completely or not at all.
 * @param signal aborts the checks before the change; the change itself is not interrupted
 * @throws Failure `not_found`, `invalid_state`, `invalid_parameter`, `url_not_allowed`, `expired` or
 * `processing_timeout`
 */
export async function updateScan(
  services: SiteServices,
  caller: Caller,
  id: string,
  asked: Update,
  signal: AbortSignal,
): Promise<SiteScan> {
  const { scans, database, plans } = services;
  const { account } = caller;
  // Checked early, before patterns are matched against all pages. The transaction checks again.
  const present = await scans.find(account.id, id);
  targetOf(present, asked.action, services.now());
  const site = present.origin ?? `https://${present.domain}`;
  const match = matchForRequest(services, signal, ownerOf(caller));
  await checkSettings(asked.settings ?? {}, match);
  await checkRobotsSetting(services, account, asked.settings ?? {}, { site, signal });
  const named = await namedPages(services, id, asked, match);
  await database.transaction(async (repositories) => {
    const scan = await repositories.siteScans.find(id);
    // The scan was deleted in the meantime: `find` below throws `not_found`.
    if (!scan) return;
    const target = targetOf(scan, asked.action, services.now());
    const now = timestamp(services.now());
    const effect = await EFFECTS[asked.action]({ repositories, scan, asked, named, now });
    const changes: SiteScanChanges = {
      ...effect.changes,
      ...(effect.warnings && { warnings: withWarnings(scan.warnings, effect.warnings) }),
    };
    if (asked.action !== 'cancel') changes.expiresAt = scans.expiryOf(id, plans.of(account));
    if (asked.action === 'select') changes.totals = await recountedPages(repositories, scan);
    if (target === scan.status) await repositories.siteScans.change(id, changes);
    else
      await repositories.siteScans.move(id, scan.status, target, { ...startChanges(asked.action, target), ...changes });
  });
  scans.events.emit({ type: 'changed', scanId: id });
  return await scans.find(account.id, id);
}

const CLEARED_END: SiteScanChanges = { stoppedIn: null, errorCode: null, errorMessage: null, finishedAt: null };
const CLEARED_PHASE: SiteScanChanges = {
  phaseStartedAt: null,
  progressDone: 0,
  progressTotal: null,
  progressUrl: null,
};

function startChanges(action: Action, target: ScanStatus): SiteScanChanges {
  if (action === 'cancel') return {};
  return RUNNING_STATUSES.has(target) ? { ...CLEARED_END, ...CLEARED_PHASE } : CLEARED_END;
}

function targetOf(scan: SiteScan, action: Action, now: number): ScanStatus {
  const target = TRANSITIONS[action][scan.status];
  if (target === undefined) throw wrongState(action, scan.status);
  if (action !== 'cancel' && isExpired(scan, now)) throw scanExpired();
  if (target === 'same') return scan.status;
  return target === 'stopped' ? (scan.stoppedIn ?? 'queued') : target;
}

interface ActionContext {
  repositories: Repositories;
  scan: SiteScan;
  asked: Update;
  /** Numbers of the named pages; undefined when none are named. */
  named: readonly number[] | undefined;
  now: string;
}

interface ActionResult {
  changes?: SiteScanChanges;
  warnings?: readonly string[];
}

const EFFECTS: Readonly<Record<Action, (order: ActionContext) => Promise<ActionResult>>> = {
  select: async (order) => {
    const { repositories, scan, asked, named } = order;
    return { warnings: await setSelected(repositories, scan, named ?? [], asked.selected ?? true) };
  },

  start: async ({ repositories, scan, asked, named }) => {
    const { siteInventory, siteCrawl } = repositories;
    const selected = asked.selected ?? true;
    const warnings: string[] = [];
    if (named) {
      if (selected) await siteInventory.untickAll(scan.id);
      warnings.push(...(await setSelected(repositories, scan, named, selected)));
    }
    await siteCrawl.queueSelected(scan.id);
    const { queued } = await siteCrawl.countPages(scan.id);
    if (queued === 0) throw noPageSelected();
    return { warnings, changes: changedSettings(scan, asked.settings) };
  },

  cancel: async ({ scan, now }) => ({ changes: { stoppedIn: scan.status, finishedAt: now } }),

  retry: async ({ repositories, scan, asked }) => {
    const { siteCrawl, siteInventory } = repositories;
    await siteCrawl.putBack(scan.id);
    await siteCrawl.retrySources(scan.id);
    const isStopped = scan.status === 'failed' || scan.status === 'cancelled';
    if (!isStopped || scan.stoppedIn === 'scanning') await siteInventory.retryFailed(scan.id);
    return { changes: changedSettings(scan, asked.settings) };
  },

  optimize: async ({ repositories, scan, asked }) => {
    const { siteInventory } = repositories;
    const changes = changedSettings(scan, asked.settings);
    const { assets, pages } = asked;
    await siteInventory.unwantAll(scan.id);
    if (!assets && !pages) {
      await siteInventory.wantAll(scan.id, changes.settings !== undefined);
      return { changes };
    }
    const wanted = [...new Set(assets)];
    let unknown = wanted.length - (await siteInventory.want(scan.id, wanted));
    const ofPages = [...new Set(pages)];
    unknown += ofPages.length - (await siteInventory.wantOfPages(scan.id, ofPages));
    return { changes, warnings: unknown > 0 ? ['unknown_numbers'] : [] };
  },

  package: async ({ repositories, scan }) => {
    if ((await repositories.siteInventory.countOptimized(scan.id)) === 0) throw nothingOptimized();
    return {};
  },
};

/** Ticks pages up to the allowance of the scan, or unticks them. Returns warnings. */
async function setSelected(
  { siteInventory }: Repositories,
  scan: SiteScan,
  asked: readonly number[],
  selected: boolean,
): Promise<string[]> {
  const seqs = [...new Set(asked)];
  const known = await siteInventory.selectableOf(scan.id, seqs);
  const warnings = known.length < seqs.length ? ['unknown_numbers'] : [];
  const unticked = selected ? known.filter((seq) => !seq.selected) : known;
  const room = selected ? Math.max(0, scan.pagesAllowed - (await siteInventory.countSelected(scan.id))) : known.length;
  const numbersOf = (pages: typeof known) => pages.map(({ seq }) => seq);
  await siteInventory.tick(scan.id, numbersOf(unticked.slice(0, room)), selected);
  const beyond = numbersOf(unticked.slice(room));
  if (beyond.length === 0) return warnings;
  await siteInventory.markOverLimit(scan.id, beyond);
  return [...warnings, 'over_limit'];
}

/** The pages that a request names by numbers or patterns. `select` with neither means all pages. */
async function namedPages(
  { database }: Pick<SiteServices, 'database'>,
  scanId: string,
  { action, pages, include, exclude }: Update,
  match: MatchPaths,
): Promise<readonly number[] | undefined> {
  if (pages) return pages;
  if (action !== 'select' && (action !== 'start' || (!include && !exclude))) return undefined;
  await checkPatterns(pageLists({ include, exclude }), match);
  const deadline = performance.now() + MAX_MATCHING_MS;
  const seqs: number[] = [];
  for await (const batch of database.siteInventory.selectable(scanId)) {
    if (performance.now() > deadline) throw slowPatterns('include', MAX_MATCHING_MS);
    const urls = batch.map(({ url }) => url);
    const leftOut = await excludedBy({ include, exclude }, urls, match);
    for (const { seq, url } of batch) if (!leftOut.has(url)) seqs.push(seq);
    await setImmediate();
  }
  return seqs;
}

/** The changed settings, if settings were sent and differ from the present ones. */
function changedSettings(scan: SiteScan, sent: SentSettings | undefined): Pick<SiteScanChanges, 'settings'> {
  if (!sent) return {};
  const settings = JSON.stringify(completeSettings({ ...JSON.parse(scan.settings), ...sent }));
  return settings === scan.settings ? {} : { settings };
}

const withWarnings = (present: string, more: readonly string[]): string =>
  JSON.stringify([...new Set([...(JSON.parse(present) as string[]), ...more])]);
