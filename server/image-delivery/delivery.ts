/**
 * Delivers images from the cache, and makes those that are not there. Each is made once, however many requests wait for
 * it. A failed source is not read again for half a minute.
 */
import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { Readable } from 'node:stream';
import { BoundedMap } from '../../base/bounded-map.ts';
import { Failure } from '../../base/failure.ts';
import { sha256 } from '../../base/sha256.ts';
import { timestamp } from '../../base/timestamp.ts';
import { FORMATS } from '../../codecs/formats/registry.ts';
import { resultFilename } from '../../engine/file-name.ts';
import type { ImagesOf } from '../../storage/ports/delivered-images.ts';
import type { ByteRange } from '../../storage/ports/file-store.ts';
import type { RequestRecord } from '../http/context.ts';
import { shuttingDown } from '../http/errors.ts';
import type { Log } from '../log.ts';
import { type CachedImage, type ImageCache, isOneOf, type NewImage } from './cache.ts';
import { type ImageRequest, type MakingServices, makeImage } from './make.ts';
import type { SourceReading } from './source.ts';

/** How long an image that has expired is still sent while it is made again. */
export const STALE_SECONDS = 86_400;

const FAILURE_MS = 30_000;
const MAX_FAILURES = 10_000;

/** Failures that the next attempt would probably repeat. Others, such as a full queue, pass. */
const LASTING: ReadonlySet<string> = new Set([
  'url_fetch_failed',
  'url_not_allowed',
  'not_found',
  'unsupported_format',
  'corrupt_image',
  'page_out_of_range',
  'password_protected',
  'file_too_large',
  'image_too_large',
  'processing_timeout',
  'unsupported_output',
  'no_subject',
]);

export const CACHE_STATES = ['hit', 'stale', 'miss'] as const;
export type CacheState = (typeof CACHE_STATES)[number];

export interface Delivered {
  /** Without `fileId` while its file is being written; then it has `data`. */
  image: Omit<CachedImage, 'fileId' | 'usedAt'> & Partial<Pick<CachedImage, 'fileId'>>;
  state: CacheState;
}

/** An image that is being made or stored. */
interface Making {
  image: Promise<NewImage>;
  /** What a purge names it by. */
  mark: Pick<NewImage, 'accountId' | 'source' | 'tag'>;
  /** Was purged meanwhile: those who wait get it, and nobody else. */
  isPurged: boolean;
}

export interface ImageDeliveryOptions {
  cache: ImageCache;
  services: MakingServices;
  /** Folders of sources by name. */
  folders: SourceReading['folders'];
  /** How long an image is sent before it is made again. */
  freshSeconds: number;
  /** Counts a request by its result. */
  onRequest(result: CacheState | 'failed'): void;
  now: () => number;
  log: Pick<Log, 'error'>;
}

export class ImageDelivery {
  readonly #options: ImageDeliveryOptions;
  /** Images that are being made, or stored after that. */
  readonly #making = new Map<string, Making>();
  readonly #storing = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #failures = new BoundedMap<string, { failure: Failure; until: number }>(MAX_FAILURES);

  constructor(options: ImageDeliveryOptions) {
    this.#options = options;
    // Every image that is being made listens to it.
    setMaxListeners(Number.POSITIVE_INFINITY, this.#stopping.signal);
  }

  /**
   * Returns the image of a request.
   * @param record gets the times and sizes of an image that is made, for the log
   * @throws Failure
   */
  async get(request: ImageRequest, record: RequestRecord): Promise<Delivered> {
    try {
      const delivered = await this.#get(request, record);
      this.#options.onRequest(delivered.state);
      return delivered;
    } catch (error) {
      this.#options.onRequest('failed');
      throw error;
    }
  }

  async #get(request: ImageRequest, record: RequestRecord): Promise<Delivered> {
    const { cache, now } = this.#options;
    const key = keyOf(request);
    const image = await cache.find(key);
    const expiredFor = image ? now() - Date.parse(image.expiresAt) : Number.POSITIVE_INFINITY;
    if (image && expiredFor < 0) return { image, state: 'hit' };
    const made = this.#failed(sourceKeyOf(request)) ?? this.#failed(key) ?? this.#once(key, request, record);
    if (image && expiredFor < STALE_SECONDS * 1000) {
      // The next request sees whether it failed.
      made.catch(() => {});
      return { image, state: 'stale' };
    }
    return { image: await made, state: 'miss' };
  }

  /** Opens the bytes of an image. Undefined if its file is gone; the next request makes it again. */
  async open(
    { key, data, fileId, bytes }: Delivered['image'],
    range?: ByteRange,
  ): Promise<Readable | Uint8Array | undefined> {
    if (data) return range ? data.subarray(range.start, range.end + 1) : data;
    return fileId === undefined ? undefined : await this.#options.cache.open({ key, fileId, bytes }, range);
  }

  /** Removes images of an account from the cache. Returns how many. */
  async purge(accountId: string, which: ImagesOf): Promise<number> {
    this.#failures.clear();
    for (const [key, making] of this.#making) {
      if (!isOneOf(making.mark, accountId, which)) continue;
      // Its source may have been read before it changed.
      making.isPurged = true;
      this.#making.delete(key);
    }
    await this.stored();
    return await this.#options.cache.purge(accountId, which);
  }

  /** Images and bytes that the cache has for an account. */
  async total(accountId: string): Promise<{ images: number; bytes: number }> {
    await this.stored();
    return await this.#options.cache.total(accountId);
  }

  /** Resolves when all images that were made until now are stored. */
  async stored(): Promise<void> {
    await Promise.all(this.#storing);
  }

  /** Ends the work that is under way, and stores what was made. */
  async stop(): Promise<void> {
    this.#stopping.abort(shuttingDown());
    await Promise.allSettled([...this.#making.values()].map(({ image }) => image));
    await this.stored();
    await this.#options.cache.stop();
  }

  #failed(key: string): Promise<never> | undefined {
    const known = this.#failures.get(key);
    if (!known) return undefined;
    if (known.until > this.#options.now()) return Promise.reject(known.failure);
    this.#failures.delete(key);
    return undefined;
  }

  #once(key: string, request: ImageRequest, record: RequestRecord): Promise<NewImage> {
    const running = this.#making.get(key);
    if (running) return running.image;
    const { caller, source, options } = request;
    const mark = { accountId: caller.account.id, source: source.text, tag: options.tag ?? null };
    const making: Making = { image: this.#make(key, mark, request, record), mark, isPurged: false };
    this.#making.set(key, making);
    // It stays until it is stored: a request in between finds it here.
    making.image
      .then((made) => (making.isPurged ? undefined : this.#store(made)))
      .catch((error: unknown) => this.#noteFailure(key, request, error))
      .finally(() => {
        if (this.#making.get(key) === making) this.#making.delete(key);
      });
    return making.image;
  }

  async #make(key: string, mark: Making['mark'], request: ImageRequest, record: RequestRecord): Promise<NewImage> {
    const { services, folders, freshSeconds, now } = this.#options;
    const { result, name } = await makeImage(services, folders, request, record, this.#stopping.signal);
    const { data, format, width, height } = result;
    const time = now();
    return {
      key,
      ...mark,
      filename: request.options.download ?? resultFilename(name, result),
      contentType: FORMATS[format].contentTypes[0],
      ...{ format, width, height },
      bytes: data.byteLength,
      sha256: await sha256(data),
      createdAt: timestamp(time),
      expiresAt: timestamp(time + freshSeconds * 1000),
      data: new Uint8Array(data),
    };
  }

  async #store(image: NewImage): Promise<void> {
    const stored = this.#options.cache.put(image).catch((error: unknown) => {
      this.#options.log.error({ err: error }, 'storing an image in the cache failed');
    });
    this.#storing.add(stored);
    await stored;
    this.#storing.delete(stored);
  }

  #noteFailure(key: string, request: ImageRequest, error: unknown): void {
    if (!(error instanceof Failure) || !LASTING.has(error.code)) return;
    this.#failures.set(OF_SOURCE.has(error.code) ? sourceKeyOf(request) : key, {
      failure: error,
      until: this.#options.now() + FAILURE_MS,
    });
  }
}

/** Failures of a source, whatever is made of it. */
const OF_SOURCE: ReadonlySet<string> = new Set([
  'url_fetch_failed',
  'url_not_allowed',
  'not_found',
  'unsupported_format',
]);

const sourceKeyOf = ({ caller, source }: ImageRequest): string => `${caller.account.id} ${source.text}`;

/** SHA-256 of everything that determines the image. */
const keyOf = ({ caller, options, source, accepted }: ImageRequest): string =>
  createHash('sha256')
    .update(JSON.stringify([caller.account.id, options.canonical, source.text, accepted]))
    .digest('hex');
