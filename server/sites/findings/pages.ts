/**
 * What the images of each page weigh and lack (spec/shapes.md, section 16.6), and on how many pages each image is. Style
 * sheets are read once, however many pages link them, and of each image a few numbers are held: 100,000 of them take 2 MB.
 */
import { setImmediate } from 'node:timers/promises';
import type {
  AssetUse,
  PageSource,
  PageSummary,
  SiteAssessment,
} from '../../../storage/repositories/site-assessment.ts';
import { faultsIn, REFERENCE_FAULTS } from '../../../storage/repositories/site-reference-faults.ts';
import type { ScanContext } from '../runner/context.ts';
import { FINDING_CODES, type FindingCode } from './finding.ts';

const PAGES_AT_ONCE = 50;
const ASSETS_AT_ONCE = 1000;

/** Image bytes of a page over which it needs attention. */
const HEAVY_PAGE = 1_500_000;

/** Found in images; the others are found in places, and count for the pages that have these. */
const ASSET_CODES = FINDING_CODES.filter((code) => !(REFERENCE_FAULTS as readonly string[]).includes(code));

type Context = Pick<ScanContext, 'scan' | 'services' | 'signal'>;

export async function summarizePages({ scan: { id: scanId }, services: { database }, signal }: Context): Promise<void> {
  const repository = database.siteAssessment;
  const assets = await AssetNumbers.read(repository, scanId);
  const shared = await SharedUses.read(repository, scanId);
  const lastPage = await repository.lastPage(scanId);
  for (let first = 1; first <= lastPage; first += PAGES_AT_ONCE) {
    signal.throwIfAborted();
    const last = first + PAGES_AT_ONCE - 1;
    const pages = await repository.pageSources(scanId, first, last);
    const own = grouped(
      await repository.usesIn(
        scanId,
        pages.flatMap(({ sourceSeq }) => sourceSeq ?? []),
      ),
    );
    const named = grouped(await repository.usesOfPages(scanId, first, last));
    const summaries: PageSummary[] = [];
    for (const page of pages) {
      const uses = [
        own.get(page.sourceSeq ?? 0) ?? [],
        named.get(page.pageSeq) ?? [],
        await shared.of(JSON.parse(page.linked) as number[]),
      ];
      summaries.push(assets.summarize(page, uses));
    }
    await database.transaction(async ({ siteAssessment }) => {
      for (const summary of summaries) await siteAssessment.setPageSummary(scanId, summary);
    });
    await setImmediate();
  }
  await repository.summarizeFailedPages(scanId);
  for (let first = 1; first < assets.pages.length; first += ASSETS_AT_ONCE) {
    signal.throwIfAborted();
    await database.transaction(async ({ siteAssessment }) => {
      for (let seq = first; seq < Math.min(first + ASSETS_AT_ONCE, assets.pages.length); seq += 1)
        await siteAssessment.setAssetPages(scanId, seq, assets.pages[seq]!);
    });
    await setImmediate();
  }
}

function grouped(uses: readonly AssetUse[]): Map<number, AssetUse[]> {
  const groups = new Map<number, AssetUse[]>();
  for (const use of uses) {
    const group = groups.get(use.holder);
    if (group) group.push(use);
    else groups.set(use.holder, [use]);
  }
  return groups;
}

/** Places in style sheets and other documents that pages share, by the documents that a page links. */
class SharedUses {
  readonly #repository: SiteAssessment;
  readonly #scanId: string;
  readonly #links: ReadonlyMap<number, readonly number[]>;
  readonly #bySource = new Map<number, readonly AssetUse[]>();
  /** By what is linked: most pages of a site link the same. */
  readonly #byLinks = new Map<string, readonly AssetUse[]>();

  private constructor(repository: SiteAssessment, scanId: string, links: ReadonlyMap<number, readonly number[]>) {
    this.#repository = repository;
    this.#scanId = scanId;
    this.#links = links;
  }

  static async read(repository: SiteAssessment, scanId: string): Promise<SharedUses> {
    const links = new Map<number, number[]>();
    for (const { fromSeq, toSeq } of await repository.sharedLinks(scanId))
      links.set(fromSeq, [...(links.get(fromSeq) ?? []), toSeq]);
    return new SharedUses(repository, scanId, links);
  }

  async of(linked: readonly number[]): Promise<readonly AssetUse[]> {
    const key = linked.join();
    const known = this.#byLinks.get(key);
    if (known) return known;
    const reached = new Set(linked);
    // A set goes on with what is added meanwhile.
    for (const seq of reached) for (const next of this.#links.get(seq) ?? []) reached.add(next);
    const missing = [...reached].filter((seq) => !this.#bySource.has(seq));
    if (missing.length > 0) {
      const uses = grouped(await this.#repository.usesIn(this.#scanId, missing));
      for (const seq of missing) this.#bySource.set(seq, uses.get(seq) ?? []);
    }
    const all = [...reached].flatMap((seq) => this.#bySource.get(seq)!);
    this.#byLinks.set(key, all);
    return all;
  }
}

/** Numbers of all assets, and the sums that pages make of them. */
class AssetNumbers {
  /** On how many of the pages that were summed up each is. */
  readonly pages: Uint32Array;
  readonly #bytes: Float64Array;
  readonly #saved: Float64Array;
  readonly #replaced: Uint8Array;
  readonly #open: Uint8Array;
  /** A bit for each of {@link ASSET_CODES}. */
  readonly #issues: Uint32Array;
  /** The page that last had it, that last loaded it, and the faults of its places there. */
  readonly #seenBy: Uint32Array;
  readonly #loadedBy: Uint32Array;
  readonly #faults: Uint8Array;

  private constructor(length: number) {
    [this.pages, this.#issues] = [new Uint32Array(length), new Uint32Array(length)];
    [this.#bytes, this.#saved] = [new Float64Array(length), new Float64Array(length)];
    [this.#replaced, this.#open] = [new Uint8Array(length), new Uint8Array(length)];
    [this.#seenBy, this.#loadedBy] = [new Uint32Array(length), new Uint32Array(length)];
    this.#faults = new Uint8Array(length);
  }

  static async read(repository: SiteAssessment, scanId: string): Promise<AssetNumbers> {
    const numbers = new AssetNumbers((await repository.lastAsset(scanId)) + 1);
    for (let after = 0; ; ) {
      const weights = await repository.weights(scanId, after, ASSETS_AT_ONCE);
      const last = weights.at(-1);
      if (!last) return numbers;
      for (const { seq, bytes, bytesSaved, state } of weights) {
        numbers.#bytes[seq] = bytes;
        numbers.#saved[seq] = bytesSaved;
        numbers.#replaced[seq] = Number(state === 'replaced');
        numbers.#open[seq] = Number(state === 'open');
      }
      for (const { assetSeq, code } of await repository.findingCodes(scanId, after + 1, last.seq)) {
        const bit = ASSET_CODES.indexOf(code as FindingCode);
        if (bit >= 0) numbers.#issues[assetSeq]! |= 1 << bit;
      }
      after = last.seq;
      await setImmediate();
    }
  }

  summarize({ pageSeq, needsJavascript }: PageSource, uses: readonly (readonly AssetUse[])[]): PageSummary {
    const sum = { assets: 0, references: 0, replaced: 0, open: 0, requests: 0, bytes: 0, saved: 0, heaviest: 0 };
    const issues = new Map<FindingCode, number>();
    const count = (code: FindingCode) => issues.set(code, (issues.get(code) ?? 0) + 1);
    const load = (seq: number) => {
      if (this.#loadedBy[seq] === pageSeq) return;
      this.#loadedBy[seq] = pageSeq;
      sum.requests += 1;
      sum.bytes += this.#bytes[seq]!;
      sum.saved += this.#saved[seq]!;
      if (this.#bytes[seq]! > (sum.heaviest === 0 ? 0 : this.#bytes[sum.heaviest]!)) sum.heaviest = seq;
    };
    /** Of each image with several candidates the heaviest. */
    const choices = new Map<number, number>();
    for (const { assetSeq: seq, imageNumber, load: loads, faults } of uses.flat()) {
      sum.references += 1;
      if (this.#seenBy[seq] !== pageSeq) {
        this.#seenBy[seq] = pageSeq;
        this.#faults[seq] = 0;
        this.pages[seq]! += 1;
        sum.assets += 1;
        sum.replaced += this.#replaced[seq]!;
        sum.open += this.#open[seq]!;
        for (let bits = this.#issues[seq]!, bit = 0; bits !== 0; bits >>>= 1, bit += 1)
          if (bits & 1) count(ASSET_CODES[bit]!);
      }
      const fresh = faults & ~this.#faults[seq]!;
      if (fresh !== 0) {
        this.#faults[seq]! |= fresh;
        for (const code of faultsIn(fresh)) count(code);
      }
      if (loads === 1) load(seq);
      else if (loads === 2) {
        const other = choices.get(imageNumber!);
        if (other === undefined || this.#bytes[seq]! > this.#bytes[other]!) choices.set(imageNumber!, seq);
      }
    }
    for (const seq of choices.values()) load(seq);
    const attention = [
      ...(issues.has('broken') ? ['broken_assets'] : []),
      ...(sum.bytes > HEAVY_PAGE ? ['heavy'] : []),
      ...(needsJavascript ? ['needs_javascript'] : []),
      ...(issues.has('gps_metadata') ? ['privacy'] : []),
    ];
    return {
      seq: pageSeq,
      assets: sum.assets,
      references: sum.references,
      imageRequests: sum.requests,
      imageBytes: sum.bytes,
      optimizedBytes: sum.bytes - sum.saved,
      bytesSaved: sum.saved,
      heaviestAssetSeq: sum.heaviest || null,
      issues: JSON.stringify(Object.fromEntries([...issues].sort(([one], [other]) => (one < other ? -1 : 1)))),
      attention: JSON.stringify(attention),
      optimization: stateOf(sum.replaced, sum.open),
    };
  }
}

function stateOf(replaced: number, open: number): PageSummary['optimization'] {
  if (replaced === 0) return open === 0 ? 'not_needed' : 'none';
  return open === 0 ? 'complete' : 'partial';
}
