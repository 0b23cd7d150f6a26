/**
 * Computes the image weight and the findings of each page (docs/spec/shapes.md, section 16.6), and on how many pages each
 * image is used. Style sheets that all pages link are read once. Only a few numbers per image are kept in memory: 4 MB
 * for 100,000 images.
 */
import { setImmediate } from 'node:timers/promises';
import { groupBy } from '../../../base/group-by.ts';
import type { AssetUse, PageSource, PageSummary, SiteAssessment } from '../../../storage/ports/site-assessment.ts';
import { faultsIn, REFERENCE_FAULTS } from '../../../storage/records/site-reference-faults.ts';
import { mayMatch } from '../../../web-documents/names.ts';
import type { ScanContext } from '../runner/context.ts';
import { FINDING_CODES, type FindingCode } from './finding.ts';

/** Each page may have 20,000 places. */
const PAGES_AT_ONCE = 10;
const ASSETS_AT_ONCE = 1000;

/** Maximum number of places in shared documents cached for the next pages. */
const MAX_CACHED_PLACES = 100_000;

/** A page with more image bytes than this needs attention. */
const HEAVY_PAGE_BYTES = 1_500_000;

/** Codes of findings about images. The other findings are about places and count for the pages that contain these. */
const ASSET_CODES = FINDING_CODES.filter((code) => !(REFERENCE_FAULTS as readonly string[]).includes(code));

type Context = Pick<ScanContext, 'scan' | 'services' | 'signal'>;

export async function summarizePages({ scan: { id: scanId }, services: { database }, signal }: Context): Promise<void> {
  const repository = database.siteAssessment;
  const assets = await AssetNumbers.read(repository, scanId);
  const shared = await SharedDocumentPlaces.read(repository, scanId);
  const lastPage = await repository.lastPage(scanId);
  for (let first = 1; first <= lastPage; first += PAGES_AT_ONCE) {
    signal.throwIfAborted();
    const last = first + PAGES_AT_ONCE - 1;
    const pages = await repository.pageSources(scanId, first, last);
    const sources = pages.flatMap(({ sourceSeq }) => sourceSeq ?? []);
    const own = groupBy(await repository.usesIn(scanId, sources), ({ holder }) => holder);
    const named = groupBy(await repository.usesOfPages(scanId, first, last), ({ holder }) => holder);
    const summaries: PageSummary[] = [];
    for (const page of pages) {
      const sum = new PageSum(page, assets);
      sum.add(own.get(page.sourceSeq ?? 0) ?? []);
      sum.add(named.get(page.pageSeq) ?? []);
      for await (const uses of shared.of(JSON.parse(page.linked) as number[])) sum.add(uses);
      summaries.push(sum.end());
    }
    await database.transaction(async ({ siteAssessment }) => {
      for (const summary of summaries) await siteAssessment.setPageSummary(scanId, summary);
    });
    await setImmediate();
  }
  await repository.summarizeOtherPages(scanId);
  for (let first = 1; first < assets.pages.length; first += ASSETS_AT_ONCE) {
    signal.throwIfAborted();
    await database.transaction(async ({ siteAssessment }) => {
      for (let seq = first; seq < Math.min(first + ASSETS_AT_ONCE, assets.pages.length); seq += 1)
        await siteAssessment.setAssetPages(scanId, seq, assets.pages[seq]!);
    });
    await setImmediate();
  }
}

/** Places in style sheets and other documents that pages share, found by the documents that a page links. */
class SharedDocumentPlaces {
  readonly #repository: SiteAssessment;
  readonly #scanId: string;
  readonly #links: ReadonlyMap<number, readonly number[]>;
  /** A cache by document: most pages of a site link the same documents. */
  readonly #bySource = new Map<number, readonly AssetUse[]>();
  #cachedPlaces = 0;

  private constructor(repository: SiteAssessment, scanId: string, links: ReadonlyMap<number, readonly number[]>) {
    this.#repository = repository;
    this.#scanId = scanId;
    this.#links = links;
  }

  static async read(repository: SiteAssessment, scanId: string): Promise<SharedDocumentPlaces> {
    const links = new Map<number, number[]>();
    for (const { fromSeq, toSeq } of await repository.sharedLinks(scanId))
      links.set(fromSeq, [...(links.get(fromSeq) ?? []), toSeq]);
    return new SharedDocumentPlaces(repository, scanId, links);
  }

  /** Yields the places of each document, one document after another. */
  async *of(linked: readonly number[]): AsyncGenerator<readonly AssetUse[]> {
    const reached = new Set(linked);
    // Iteration over a set includes items added during the iteration.
    for (const seq of reached) {
      for (const next of this.#links.get(seq) ?? []) reached.add(next);
      yield this.#bySource.get(seq) ?? (await this.#read(seq));
    }
  }

  async #read(seq: number): Promise<readonly AssetUse[]> {
    const uses = await this.#repository.usesIn(this.#scanId, [seq]);
    if (this.#cachedPlaces + uses.length > MAX_CACHED_PLACES) {
      this.#bySource.clear();
      this.#cachedPlaces = 0;
    }
    this.#bySource.set(seq, uses);
    this.#cachedPlaces += uses.length;
    return uses;
  }
}

/** Numbers about all assets, indexed by asset number, from which page sums are made. */
class AssetNumbers {
  /** For each asset, the number of summed pages that use it. */
  readonly pages: Uint32Array;
  readonly bytes: Float64Array;
  readonly saved: Float64Array;
  readonly replaced: Uint8Array;
  readonly open: Uint8Array;
  /** One bit for each of {@link ASSET_CODES}. */
  readonly issues: Uint32Array;
  /** For each asset, the page that last used it, the page that last loaded it, and the faults of its places there. */
  readonly seenBy: Uint32Array;
  readonly loadedBy: Uint32Array;
  readonly faults: Uint8Array;

  private constructor(length: number) {
    [this.pages, this.issues] = [new Uint32Array(length), new Uint32Array(length)];
    [this.bytes, this.saved] = [new Float64Array(length), new Float64Array(length)];
    [this.replaced, this.open] = [new Uint8Array(length), new Uint8Array(length)];
    [this.seenBy, this.loadedBy] = [new Uint32Array(length), new Uint32Array(length)];
    this.faults = new Uint8Array(length);
  }

  static async read(repository: SiteAssessment, scanId: string): Promise<AssetNumbers> {
    const numbers = new AssetNumbers((await repository.lastAsset(scanId)) + 1);
    for (let after = 0; ; ) {
      const weights = await repository.weights(scanId, after, ASSETS_AT_ONCE);
      const last = weights.at(-1);
      if (!last) return numbers;
      for (const { seq, bytes, bytesSaved, state } of weights) {
        numbers.bytes[seq] = bytes;
        numbers.saved[seq] = bytesSaved;
        numbers.replaced[seq] = Number(state === 'replaced');
        numbers.open[seq] = Number(state === 'open');
      }
      for (const { assetSeq, code } of await repository.findingCodes(scanId, after + 1, last.seq)) {
        const bit = ASSET_CODES.indexOf(code as FindingCode);
        if (bit >= 0) numbers.issues[assetSeq]! |= 1 << bit;
      }
      after = last.seq;
      await setImmediate();
    }
  }
}

/** The sum of one page, added up document by document. The arrays of {@link AssetNumbers} serve one page at a time. */
class PageSum {
  readonly #page: PageSource;
  readonly #numbers: AssetNumbers;
  readonly #issues = new Map<FindingCode, number>();
  /** For each image with several candidates, the heaviest candidate. */
  readonly #choices = new Map<number, number>();
  #assets = 0;
  #references = 0;
  #replaced = 0;
  #open = 0;
  #requests = 0;
  #bytes = 0;
  #saved = 0;
  #heaviest = 0;

  /** The names of the page's elements, if known. */
  readonly #names: ReadonlySet<number> | undefined;

  constructor(page: PageSource, numbers: AssetNumbers) {
    this.#page = page;
    this.#numbers = numbers;
    // Copied because the bytes of a row may start at an unaligned offset.
    this.#names = page.names ? new Set(new Uint32Array(Uint8Array.from(page.names).buffer)) : undefined;
  }

  add(uses: readonly AssetUse[]): void {
    const { bytes, faults: known } = this.#numbers;
    for (const { assetSeq: seq, imageNumber, load, needed, faults } of uses) {
      this.#references += 1;
      this.#countOnce(seq);
      const fresh = faults & ~known[seq]!;
      if (fresh !== 0) {
        known[seq]! |= fresh;
        for (const code of faultsIn(fresh)) this.#count(code);
      }
      if (!mayMatch(needed ?? undefined, this.#names)) continue;
      if (load === 1) this.#load(seq);
      else if (load === 2) {
        const other = this.#choices.get(imageNumber!);
        if (other === undefined || bytes[seq]! > bytes[other]!) this.#choices.set(imageNumber!, seq);
      }
    }
  }

  end(): PageSummary {
    for (const seq of this.#choices.values()) this.#load(seq);
    const attention = [
      ...(this.#issues.has('broken') ? ['broken_assets'] : []),
      ...(this.#bytes > HEAVY_PAGE_BYTES ? ['heavy'] : []),
      ...(this.#page.needsJavascript ? ['needs_javascript'] : []),
      ...(this.#issues.has('gps_metadata') ? ['privacy'] : []),
    ];
    const issues = [...this.#issues].sort(([one], [other]) => (one < other ? -1 : 1));
    return {
      seq: this.#page.pageSeq,
      assets: this.#assets,
      references: this.#references,
      imageRequests: this.#requests,
      imageBytes: this.#bytes,
      bytesSaved: this.#saved,
      heaviestAssetSeq: this.#heaviest || null,
      issues: JSON.stringify(Object.fromEntries(issues)),
      attention: JSON.stringify(attention),
      optimization: stateOf(this.#replaced, this.#open),
    };
  }

  /** Counts an asset the first time that it occurs on this page. */
  #countOnce(seq: number): void {
    const { seenBy, faults, pages, replaced, open, issues } = this.#numbers;
    if (seenBy[seq] === this.#page.pageSeq) return;
    seenBy[seq] = this.#page.pageSeq;
    faults[seq] = 0;
    pages[seq]! += 1;
    this.#assets += 1;
    this.#replaced += replaced[seq]!;
    this.#open += open[seq]!;
    for (let bits = issues[seq]!, bit = 0; bits !== 0; bits >>>= 1, bit += 1)
      if (bits & 1) this.#count(ASSET_CODES[bit]!);
  }

  #load(seq: number): void {
    const { loadedBy, bytes, saved } = this.#numbers;
    if (loadedBy[seq] === this.#page.pageSeq) return;
    loadedBy[seq] = this.#page.pageSeq;
    this.#requests += 1;
    this.#bytes += bytes[seq]!;
    this.#saved += saved[seq]!;
    if (bytes[seq]! > (this.#heaviest === 0 ? 0 : bytes[this.#heaviest]!)) this.#heaviest = seq;
  }

  #count(code: FindingCode): void {
    this.#issues.set(code, (this.#issues.get(code) ?? 0) + 1);
  }
}

function stateOf(replaced: number, open: number): PageSummary['optimization'] {
  if (replaced === 0) return open === 0 ? 'not_needed' : 'none';
  return open === 0 ? 'complete' : 'partial';
}
