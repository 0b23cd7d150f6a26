/**
 * Assesses a scan: finds what is wrong with its images and summarizes it for pages and for the scan. Works in batches
 * of one transaction each. It may run again at any time and replaces earlier findings.
 */
import { setImmediate } from 'node:timers/promises';
import type { SiteAssessment } from '../../../storage/ports/site-assessment.ts';
import type { SiteFinding } from '../../../storage/records/site-findings.ts';
import type { ScanContext } from '../runner/context.ts';
import { siteHosts } from '../site-hosts.ts';
import { storeChanges } from './changes.ts';
import { contentRules } from './content.ts';
import { deliveryRules } from './delivery.ts';
import { readFacts } from './facts.ts';
import { type AssetView, type Rule, SEVERITIES } from './finding.ts';
import { markupRules } from './markup.ts';
import { NearDuplicates } from './near-duplicates.ts';
import { summarizePages } from './pages.ts';
import { PlacesSum } from './places.ts';
import { addWarnings, refreshTotals } from './totals.ts';
import { weightRules } from './weight.ts';

const ASSETS_AT_ONCE = 100;
const PLACES_AT_ONCE = 2000;
const PRINTS_AT_ONCE = 2000;

const RULES: readonly Rule[] = [...deliveryRules, ...contentRules, ...weightRules, ...markupRules];

type Context = Pick<ScanContext, 'scan' | 'settings' | 'services' | 'signal'>;

export async function assess(context: Context): Promise<void> {
  await assessAssets(context);
  await summarizePages(context);
  await addWarnings(context);
  await refreshTotals(context);
  await storeChanges(context);
}

async function assessAssets({ scan, settings, services, signal }: Context): Promise<void> {
  const { database } = services;
  const { id: scanId } = scan;
  const live = await liveNumbers(database.siteAssessment, scanId);
  const near = await nearDuplicates(database.siteAssessment, scanId);
  const isOwn = siteHosts(scan, settings);
  for (let after = 0; ; ) {
    signal.throwIfAborted();
    const assets = await database.siteAssessment.assets(scanId, after, ASSETS_AT_ONCE);
    const last = assets.at(-1);
    if (!last) return;
    const places = await placesOf(database.siteAssessment, scanId, after, last.seq, live);
    const views = assets.map(
      (asset): AssetView => ({
        asset,
        facts: readFacts(asset.facts),
        places: places.get(asset.seq) ?? new PlacesSum(),
        settings,
        isThirdParty: !isOwn(asset.url),
        nearDuplicates: near.get(asset.seq) ?? [],
      }),
    );
    const findings = views.flatMap(findingsOf);
    signal.throwIfAborted();
    await database.transaction(async ({ siteAssessment }) => {
      await siteAssessment.replaceFindings(scanId, after + 1, last.seq, findings);
      for (const {
        asset,
        places: { references, roles, displayed },
      } of views)
        await siteAssessment.setAssetSummary(scanId, {
          seq: asset.seq,
          references,
          roles: JSON.stringify(roles),
          displayedWidth: displayed?.width ?? null,
          displayedHeight: displayed?.height ?? null,
          displayedSource: displayed?.source ?? null,
        });
    });
    after = last.seq;
    await setImmediate();
  }
}

/** Applies all rules to one asset and returns the findings as rows. */
export function findingsOf(view: AssetView): SiteFinding[] {
  const { scanId, seq } = view.asset;
  return RULES.map((rule) => rule(view))
    .filter((finding) => finding !== undefined)
    .map(({ code, message, savingsBytes = null, references = [], data = {} }) => ({
      scanId,
      assetSeq: seq,
      code,
      severity: SEVERITIES[code],
      message,
      savingsBytes,
      references: JSON.stringify(references),
      data: JSON.stringify(data),
    }));
}

/** The numbers of the sources and pages that count. */
interface LiveNumbers {
  sources: ReadonlySet<number>;
  pages: ReadonlySet<number>;
}

const liveNumbers = async (repository: SiteAssessment, scanId: string): Promise<LiveNumbers> => ({
  sources: new Set(await repository.liveSources(scanId)),
  pages: new Set(await repository.scannedPages(scanId)),
});

/** Sums the places of a range of assets, counting only places that scanned pages lead to. */
async function placesOf(
  repository: SiteAssessment,
  scanId: string,
  after: number,
  lastAsset: number,
  { sources, pages }: LiveNumbers,
): Promise<Map<number, PlacesSum>> {
  const sums = new Map<number, PlacesSum>();
  for (let from = { assetSeq: after + 1, seq: 0 }; ; ) {
    const places = await repository.places(scanId, from, lastAsset, PLACES_AT_ONCE);
    for (const place of places) {
      if (place.pageSeq === null ? !sources.has(place.sourceSeq) : !pages.has(place.pageSeq)) continue;
      const sum = sums.get(place.assetSeq) ?? new PlacesSum();
      sum.add(place);
      sums.set(place.assetSeq, sum);
    }
    const last = places.at(-1);
    if (!last || places.length < PLACES_AT_ONCE) return sums;
    from = last;
    await setImmediate();
  }
}

async function nearDuplicates(repository: SiteAssessment, scanId: string): Promise<Map<number, number[]>> {
  const found = new NearDuplicates();
  for (let after = 0; ; ) {
    const prints = await repository.prints(scanId, after, PRINTS_AT_ONCE);
    for (const print of prints) found.add(print);
    const last = prints.at(-1);
    if (!last) return await found.find();
    after = last.seq;
  }
}
