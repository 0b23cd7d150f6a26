/** Fetches the images of a website, each once, and inspects them (docs/spec/shapes.md, section 16.3). */

import { Failure } from '../../../base/failure.ts';
import type { WebUse } from '../../../codecs/formats/format.ts';
import { findFormat } from '../../../codecs/formats/registry.ts';
import { recognise } from '../../../codecs/recognise.ts';
import type { InspectResult } from '../../../engine/operations/inspect/record.ts';
import type { SiteAsset } from '../../../storage/records/site-assets.ts';
import type { DocumentReading } from '../../../web-documents/reading.ts';
import { RobotsForbidden, type SiteFetch, type SiteResponse } from '../fetch/site-client.ts';
import { type AssetFacts, factsOf } from '../findings/facts.ts';
import { IMAGE_ACCEPT } from '../image-accept.ts';
import { toAssetColumns } from '../inspected.ts';
import { siteHosts } from '../site-hosts.ts';
import { type Crawl, endedStep, NO_STEP, startedStep } from './crawl.ts';
import type { CrawlStore } from './crawl-store.ts';
import { describe, type FetchedResponse, failureOfDocument, read } from './documents.ts';
import { noImage, unexpectedResponse } from './errors.ts';
import { HostQueues } from './host-queues.ts';
import type { Site } from './site.ts';

/** Status of a response to a conditional request (RFC 9110, section 15.4.5). */
const UNCHANGED = 304;

const NEW_FORMATS = 'image/avif,image/webp,image/*';
const MAX_PROBES_PER_ORIGIN = 5;

/**
 * Maximum number of images fetched at a time, and the memory that each may take. Larger images are fetched one at a
 * time.
 */
const MAX_CONCURRENT_IMAGES = 16;
const MAX_CONCURRENT_IMAGE_BYTES = 4_000_000;
const BATCH = 1000;

/** The result for one image. */
interface Outcome {
  /** robots.txt forbids it. */
  isBlocked?: boolean;
  fetched?: FetchedResponse;
  failure?: Failure;
  inspected?: InspectResult['record'];
  facts?: AssetFacts;
  /** What an earlier scan has found, if it is still valid. */
  known?: SiteAsset;
  /** The reading of an SVG. */
  reading?: DocumentReading;
  /** The bytes, so that the conversion needs no further fetch. */
  original?: ArrayBuffer;
  negotiated?: boolean;
}

export async function fetchAssets(crawl: Crawl, site: Site, keeper: CrawlStore): Promise<void> {
  await new AssetFetch(crawl, site, keeper).run();
}

class AssetFetch {
  readonly #crawl: Crawl;
  readonly #keeper: CrawlStore;
  readonly #isOwn: (url: string) => boolean;
  readonly #queues: HostQueues;
  readonly #largest: number;
  /** For each origin, how many images were requested in new formats. */
  readonly #probes = new Map<string, number>();
  /** Resolves when no large image is in work; and the number of large images in work or waiting. */
  #largeDone: Promise<void> = Promise.resolve();
  #large = 0;
  #assetsLeft = 0;

  constructor(crawl: Crawl, site: Site, keeper: CrawlStore) {
    const { scan, settings, caller, services } = crawl.context;
    this.#crawl = crawl;
    this.#keeper = keeper;
    this.#isOwn = siteHosts({ ...scan, origin: site.origin }, settings);
    this.#queues = new HostQueues(settings.concurrency);
    this.#largest = services.plans.fileLimitBytes(caller.account, caller.key);
  }

  async run(): Promise<void> {
    const { scan, signal, services } = this.#crawl.context;
    const { siteCrawl } = services.database;
    this.#assetsLeft = scan.assetsAllowed - (await siteCrawl.countAssets(scan.id)).ended;
    // Repeated because linked SVGs may name further images.
    for (let after = 0; ; ) {
      const last = await this.#enqueue(after);
      if (last === after) break;
      after = last;
      await this.#queues.work({
        atATime: MAX_CONCURRENT_IMAGES,
        signal,
        work: (seq, origin, either) => this.#fetchOne(seq, origin, either),
      });
    }
    await this.#crawl.keep(NO_STEP, 0, async ({ siteCrawl: kept }) => {
      const origins = new Set((await kept.negotiatedUrls(scan.id)).map((url) => new URL(url).origin));
      for (const origin of origins) await kept.markNegotiated(scan.id, origin);
      await kept.markDuplicates(scan.id);
    });
  }

  /** Queues the images that have not been fetched. @returns the number of the last */
  async #enqueue(after: number): Promise<number> {
    const { scanId, context } = this.#crawl;
    const { siteCrawl } = context.services.database;
    let last = after;
    let lined = 0;
    for (;;) {
      const assets = await siteCrawl.unfetchedAssets(scanId, last, BATCH);
      const further = assets.splice(Math.max(0, this.#assetsLeft));
      this.#assetsLeft -= assets.length;
      for (const { seq, url } of assets) this.#queues.add(new URL(url).origin, seq);
      last = further.at(-1)?.seq ?? assets.at(-1)?.seq ?? last;
      lined += assets.length;
      this.#crawl.total = this.#crawl.done + lined;
      if (further.length > 0)
        await this.#crawl.keep(NO_STEP, 0, async (repositories, warn) => {
          await repositories.siteCrawl.leaveUnfetched(
            scanId,
            further.map(({ seq }) => seq),
          );
          warn('assets_truncated');
        });
      if (assets.length + further.length < BATCH) return last;
    }
  }

  async #fetchOne(seq: number, origin: string, signal: AbortSignal): Promise<void> {
    const crawl = this.#crawl;
    const { scanId } = crawl;
    const { services, tell } = crawl.context;
    const asset = await services.database.siteInventory.asset(scanId, seq);
    if (asset?.status !== 'found') return;
    if (crawl.bytesLeft <= 0) {
      await crawl.keep(endedStep(asset.url), 1, async ({ siteCrawl }, warn) => {
        await siteCrawl.leaveUnfetched(scanId, [seq]);
        warn('assets_truncated');
        warn('over_limit');
      });
      return;
    }
    await crawl.keep(startedStep(asset.url), 0, ({ siteCrawl }) =>
      siteCrawl.changeAsset(scanId, seq, { status: 'fetching' }),
    );
    tell({ type: 'asset', scanId, seq });
    let release = () => {};
    try {
      const outcome = await this.#outcomeOf(asset, origin, signal, (free) => {
        release = free;
      });
      await this.#keepOutcome(asset, outcome);
    } finally {
      release();
    }
    tell({ type: 'asset', scanId, seq });
  }

  /** @param onAlone called, if this image is a large one, with a function that lets the next large image start */
  async #outcomeOf(
    asset: SiteAsset,
    origin: string,
    signal: AbortSignal,
    onAlone: (release: () => void) => void,
  ): Promise<Outcome> {
    let fetched: FetchedResponse | undefined;
    try {
      const known = await this.#knownOf(asset.url);
      const answer = await this.#fetch({ url: asset.url, ...(known && { known }), signal }, onAlone);
      fetched = describe(answer);
      if (known && answer.status === UNCHANGED) {
        const negotiated = await this.#negotiates(asset.url, origin, known.format, signal);
        return { fetched: withKnownHeaders(fetched, known), known, negotiated };
      }
      if (answer.status !== 200) throw unexpectedResponse('an image', `status ${answer.status}`);
      const negotiated = await this.#negotiates(asset.url, origin, formatOf(answer.data), signal);
      return { fetched, negotiated, ...(await this.#inspect(answer, signal)) };
    } catch (error) {
      if (error instanceof RobotsForbidden) return { isBlocked: true };
      return { failure: failureOfDocument(error, signal), ...(fetched && { fetched }) };
    }
  }

  /** What an earlier scan has found at an address. It need not be sent again while it is unchanged. */
  async #knownOf(url: string): Promise<SiteAsset | undefined> {
    const { scan, services } = this.#crawl.context;
    if (scan.previousScanId === null) return undefined;
    const known = await services.database.siteCrawl.knownImage(scan.previousScanId, url);
    // SVGs are always fetched: their references are read from their bytes.
    const isOfUse = known && known.kind !== 'vector' && (known.bytes ?? 0) <= this.#largest;
    return isOfUse ? known : undefined;
  }

  async #fetch(
    request: Pick<SiteFetch, 'url' | 'known' | 'signal'>,
    onAlone: (release: () => void) => void,
  ): Promise<SiteResponse> {
    const { client } = this.#crawl.context;
    const ordinary = Math.min(MAX_CONCURRENT_IMAGE_BYTES, this.#largest);
    let isAlone = ordinary === this.#largest;
    const grow = () => {
      if (isAlone || this.#large > 0) return ordinary;
      isAlone = true;
      this.#waitForLarge(onAlone);
      return this.#largest;
    };
    try {
      return await client.fetch({ ...request, accept: IMAGE_ACCEPT, maxBytes: ordinary, grow });
    } catch (error) {
      const isLarge = error instanceof Failure && error.code === 'file_too_large';
      if (!isLarge || isAlone) throw error;
    }
    await this.#waitForLarge(onAlone);
    return await client.fetch({ ...request, accept: IMAGE_ACCEPT, maxBytes: this.#largest });
  }

  /** Takes turns among large images: each may take more memory than all others together. */
  #waitForLarge(onAlone: (release: () => void) => void): Promise<void> {
    const before = this.#largeDone;
    this.#large += 1;
    this.#largeDone = new Promise((resolve) =>
      onAlone(() => {
        this.#large -= 1;
        void before.then(resolve);
      }),
    );
    return before;
  }

  /**
   * Whether the host sends this image in a new format to clients that accept it. Tested on a few images of each host.
   */
  async #negotiates(url: string, origin: string, format: string | null, signal: AbortSignal): Promise<boolean> {
    const probes = this.#probes.get(origin) ?? 0;
    if (probes >= MAX_PROBES_PER_ORIGIN || findFormat(format)?.web?.age !== 'classic') return false;
    this.#probes.set(origin, probes + 1);
    try {
      const { client } = this.#crawl.context;
      const request = { url, accept: NEW_FORMATS, method: 'HEAD', maxBytes: 0, optional: true, signal } as const;
      const head = await client.fetch(request);
      return head.status === 200 && /^image\/(?:avif|webp)\b/i.test(head.contentType?.trim() ?? '');
    } catch (error) {
      failureOfDocument(error, signal);
      return false;
    }
  }

  async #inspect(answer: SiteResponse, signal: AbortSignal): Promise<Outcome> {
    const crawl = this.#crawl;
    const { data, contentType, finalUrl } = answer;
    const format = formatOf(data);
    const web = findFormat(format)?.web;
    if (format === null || !web) throw noImage(contentType);
    const isVector = web.kind === 'vector';
    const copy = () => data.slice(0);
    const original = this.#isKept(web) ? { original: copy() } : {};
    const reading = isVector
      ? { reading: await read(crawl, 'svg', { data: copy(), finalUrl, contentType }, signal) }
      : {};
    const packed = isVector ? copy() : data;
    const input = { image: { data }, params: { page: 1 } };
    const { record } = await crawl.run('inspect', input, signal);
    return { inspected: record, facts: await factsOf(record, packed), ...reading, ...original };
  }

  /** Whether an original is stored for the following conversion. */
  #isKept({ kind }: WebUse): boolean {
    const { scan, settings } = this.#crawl.context;
    return scan.optimize === 'auto' && (kind !== 'vector' || settings.optimize_svg) && kind !== 'icon';
  }

  async #keepOutcome(asset: SiteAsset, outcome: Outcome): Promise<void> {
    const crawl = this.#crawl;
    const { scanId } = crawl;
    const { fetched, failure, inspected, known } = outcome;
    if (outcome.isBlocked) {
      await crawl.keep(endedStep(asset.url), 1, async ({ siteCrawl }, warn) => {
        await siteCrawl.changeAsset(scanId, asset.seq, { status: 'skipped', skipReason: 'excluded' });
        warn('robots_blocked');
      });
      return;
    }
    const isThirdParty = !this.#isOwn(asset.url);
    const answered: Partial<SiteAsset> = fetched
      ? {
          finalUrl: fetched.finalUrl,
          httpStatus: fetched.status,
          redirects: fetched.redirects,
          contentType: fetched.contentType ?? null,
          cacheControl: fetched.cacheControl ?? null,
          etag: fetched.etag ?? null,
          lastModified: fetched.lastModified ?? null,
          contentEncoding: fetched.contentEncoding ?? null,
        }
      : {};
    const changes: Partial<SiteAsset> = failure
      ? { ...answered, status: 'failed', errorCode: failure.code, errorMessage: failure.message }
      : {
          ...answered,
          ...(known ? contentOf(known) : { ...toAssetColumns(inspected!), facts: JSON.stringify(outcome.facts) }),
          status: isThirdParty ? 'skipped' : 'ready',
          skipReason: isThirdParty ? 'third_party' : null,
          negotiated: outcome.negotiated ? 1 : 0,
          errorCode: null,
          errorMessage: null,
        };
    if (outcome.original && !isThirdParty) await this.#keepOriginal(asset.seq, inspected!, outcome.original);
    const excluded = await this.#keeper.excludedImages(outcome.reading?.references ?? []);
    await crawl.keep(endedStep(asset.url), 1, async (repositories, warn) => {
      await repositories.siteCrawl.changeAsset(scanId, asset.seq, changes);
      if (outcome.reading && !failure) {
        const { references, inlineImages, truncated } = outcome.reading;
        const read = { references, excluded, inlineImages, truncated, linked: [] };
        await this.#keeper.source(repositories, { kind: 'svg', url: asset.url, pageSeq: null, ...read }, warn);
      }
    });
  }

  async #keepOriginal(seq: number, { fingerprints }: InspectResult['record'], original: ArrayBuffer): Promise<void> {
    const { scan, services, originals, log, signal } = this.#crawl.context;
    if (await services.database.siteCrawl.isDuplicate(scan.id, seq, fingerprints.sha256)) return;
    signal.throwIfAborted();
    try {
      await originals.put(scan.id, seq, original);
    } catch (error) {
      // The conversion will fetch it again.
      if (!(error instanceof Failure) || !NOT_STORED_CODES.has(error.code)) throw error;
      log.warn({ scan_id: scan.id, error: error.code }, 'an original of a website scan was not stored');
    }
  }
}

/** The storage is full, or does not answer. */
const NOT_STORED_CODES: ReadonlySet<string> = new Set(['storage_full', 'overloaded']);

function formatOf(data: ArrayBuffer): string | null {
  const recognised = recognise(new Uint8Array(data));
  return recognised && 'format' in recognised ? recognised.format : null;
}

/** The columns of an asset that depend only on its bytes. */
function contentOf(asset: SiteAsset): Partial<SiteAsset> {
  const { kind, format, bytes, width, height, frames, animated, hasAlpha, sha256, fingerprint, facts } = asset;
  return { kind, format, bytes, width, height, frames, animated, hasAlpha, sha256, fingerprint, facts };
}

/** Completes a 304 response to the response with a body. Headers that it omits have not changed. */
function withKnownHeaders(fetched: FetchedResponse, known: SiteAsset): FetchedResponse {
  return {
    ...fetched,
    status: 200,
    contentType: known.contentType ?? undefined,
    contentEncoding: known.contentEncoding ?? undefined,
    cacheControl: fetched.cacheControl ?? known.cacheControl ?? undefined,
    etag: fetched.etag ?? known.etag ?? undefined,
    lastModified: fetched.lastModified ?? known.lastModified ?? undefined,
  };
}
