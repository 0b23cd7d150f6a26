/** The findings of a scan with their places, for baselines and reports for other programs. */
import { createHash } from 'node:crypto';
import { sitePart } from '../../server/sites/domain.ts';
import type { FindingCode, Severity } from '../../server/sites/findings/finding.ts';
import type { PlacedReference } from '../../storage/ports/site-inventory.ts';
import type { SiteAsset } from '../../storage/records/site-assets.ts';
import type { EndedScan } from './run-scan.ts';

const BATCH_SIZE = 100;
/** Maximum number of places per finding. */
const MAX_PLACES = 10;
const MAX_NAME_LENGTH = 200;

export interface PlacedFinding {
  code: FindingCode;
  severity: Severity;
  message: string;
  /** URL of the image as shown to the user. */
  image: string;
  /** Identifies the image independently of the host and scheme that the website is served from. */
  imageKey: string;
  savingsBytes: number;
  /** Number of places of the finding; 1 for a finding about the file itself. */
  placeCount: number;
  /** The first places. */
  places: ProblemPlace[];
  /** Whether the baseline contains the finding. */
  isKnown: boolean;
}

export interface ProblemPlace {
  /** Path of the file relative to the working directory, or the URL if there is no file. */
  source: string;
  /** From 1. Undefined if unknown. */
  line: number | undefined;
  column: number | undefined;
}

/** Findings that the project has accepted. */
export interface AcceptedFindings {
  has(problem: Pick<PlacedFinding, 'code' | 'imageKey' | 'placeCount'>): boolean;
}

/** Yields the findings by image, in the order in which the images were found. */
export async function* problemsOf(ended: EndedScan, known?: AcceptedFindings): AsyncGenerator<PlacedFinding> {
  const { scan, services } = ended;
  const { siteInventory } = services.database;
  for (let offset = 0; ; offset += BATCH_SIZE) {
    const slice = { sort: { by: 'seq', descending: false }, offset, limit: BATCH_SIZE } as const;
    const { assets } = await siteInventory.assets(scan.id, {}, slice);
    yield* problemsOfAssets(ended, assets, known);
    if (assets.length < BATCH_SIZE) return;
  }
}

async function* problemsOfAssets(
  { scan, services, target }: EndedScan,
  assets: readonly SiteAsset[],
  known: AcceptedFindings | undefined,
): AsyncGenerator<PlacedFinding> {
  const { siteInventory } = services.database;
  const bySeq = new Map(assets.map((asset) => [asset.seq, asset]));
  const found = await siteInventory.findings(scan.id, [...bySeq.keys()]);
  const findings = found.map((finding) => ({ ...finding, listed: JSON.parse(finding.references) as number[] }));
  const references = await siteInventory.references(
    scan.id,
    findings.flatMap(({ listed }) => listed.slice(0, MAX_PLACES)),
  );
  const placed = new Map(references.map((reference) => [reference.seq, reference]));
  const first = await siteInventory.firstReferences(
    scan.id,
    findings.filter(({ listed }) => listed.length === 0).map(({ assetSeq }) => assetSeq),
  );
  const placeOf = ({ sourceUrl, line, column }: PlacedReference): ProblemPlace =>
    line > 0
      ? { source: target.file(sourceUrl), line, column }
      : { source: target.file(sourceUrl), line: undefined, column: undefined };
  for (const { assetSeq, code, severity, message, savingsBytes, listed, data } of findings) {
    const { url } = bySeq.get(assetSeq)!;
    const named = listed.length > 0 ? listed.map((seq) => placed.get(seq)) : [first.get(assetSeq)];
    const { places: placeCount = Math.max(1, listed.length) } = JSON.parse(data) as { places?: number };
    const problem = {
      ...{ code: code as FindingCode, severity, message, image: shortened(target.shown(url)) },
      ...{ imageKey: imageKeyOf(url, scan.domain), savingsBytes: savingsBytes ?? 0, placeCount },
      places: named.filter((place) => place !== undefined).map(placeOf),
    };
    yield { ...problem, isKnown: known?.has(problem) ?? false };
  }
}

function imageKeyOf(url: string, domain: string): string {
  if (!URL.canParse(url) || sitePart(url) !== domain) return shortened(url);
  const { pathname, search } = new URL(url);
  return shortened(pathname + search);
}

/** Shortens a long URL, for example a data URL. A hash of the whole text keeps it unique. */
function shortened(text: string): string {
  if (text.length <= MAX_NAME_LENGTH) return text;
  return `${text.slice(0, 60)}…${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}
