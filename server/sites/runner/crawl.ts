/** What discovering and scanning a website share: its rows are kept step by step, each step in one transaction. */
import { setTimeout } from 'node:timers/promises';
import { Failure } from '../../../base/failure.ts';
import type { TaskInput, TaskName, TaskResult } from '../../../engine/task.ts';
import type { Repositories } from '../../../storage/database.ts';
import type { ScanStatus } from '../../../storage/schema.ts';
import type { SiteAnswer, SiteFetch } from '../fetch/site-client.ts';
import { refreshTotals } from '../findings/totals.ts';
import type { ScanContext } from './context.ts';
import { ScanLeft } from './errors.ts';
import { Hosts } from './hosts.ts';

/** At most so often anybody is told of the progress, and the totals are counted. */
const PROGRESS_MS = 250;
const TOTALS_MS = 1000;
/** Nor does the counting take more than such a part of the time. */
const TOTALS_SHARE = 0.05;

/** How long a document or an image waits when the workers have too much to do. */
const BUSY_MS = 1000;

export type Warning =
  | 'robots_blocked'
  | 'needs_javascript'
  | 'over_limit'
  | 'assets_truncated'
  | 'slow_site'
  | 'external_skipped'
  | 'sitemap_errors';

export type Warn = (warning: Warning) => void;

export interface Step {
  /** Address that was worked on. */
  url: string | null;
  /** That came over the network. */
  bytes: number;
}

/** A step that is no work on an address. */
export const NO_STEP: Step = { url: null, bytes: 0 };

export class Crawl {
  readonly context: ScanContext;
  readonly #hosts = new Hosts();
  /** A host was given up. */
  #isSlow = false;
  readonly #phase: ScanStatus;
  readonly #warned: Set<string>;
  #toldAt = 0;
  #countAt = 0;
  /** Things that are done, and all that there are; null while that is not known. */
  done = 0;
  total: number | null = null;
  bytesFetched: number;

  constructor(context: ScanContext, phase: ScanStatus) {
    this.context = context;
    this.#phase = phase;
    this.#warned = new Set(JSON.parse(context.scan.warnings) as string[]);
    this.bytesFetched = context.scan.bytesFetched;
  }

  get scanId(): string {
    return this.context.scan.id;
  }

  /** Bytes that may still be fetched. */
  get bytesLeft(): number {
    return this.context.scan.bytesAllowed - this.bytesFetched;
  }

  /**
   * Keeps a step, or nothing of it.
   * @param done things that it ends
   * @param work what is kept, and what its owner should know of it
   * @throws ScanLeft when the scan is no longer in this phase; the reason of the signal
   */
  async keep<T>(
    { url, bytes }: Step,
    done: number,
    work: (repositories: Repositories, warn: Warn) => Promise<T>,
  ): Promise<T> {
    const { scan, services, signal } = this.context;
    const progress = { done: this.done + done, total: this.total, url, bytes };
    const warnings = new Set<Warning>(this.#isSlow ? ['slow_site'] : []);
    const result = await services.database.transaction(async (repositories) => {
      // Between the wish for a transaction and its beginning much may have happened.
      signal.throwIfAborted();
      const fetched = await repositories.siteCrawl.report(scan.id, this.#phase, progress);
      if (fetched === undefined) throw new ScanLeft();
      this.bytesFetched = fetched;
      const kept = await work(repositories, (warning) => warnings.add(warning));
      for (const warning of warnings)
        if (!this.#warned.has(warning)) await repositories.siteCrawl.warn(scan.id, warning);
      return kept;
    });
    for (const warning of warnings) this.#warned.add(warning);
    this.done += done;
    await this.#tellProgress();
    return result;
  }

  /**
   * Fetches something where robots.txt allows it, unless its host has been given up.
   * @returns undefined where robots.txt forbids it
   * @throws Failure as the client
   */
  async fetch(request: SiteFetch): Promise<SiteAnswer | undefined> {
    const { url, signal } = request;
    const { client } = this.context;
    const dead = this.#hosts.givenUp(url);
    if (dead) {
      this.#isSlow = true;
      throw dead;
    }
    const startedAt = performance.now();
    try {
      if (!(await client.robots(url, signal)).allows(url)) return undefined;
      const answer = await client.fetch(request);
      this.#hosts.answered(url);
      return answer;
    } catch (error) {
      if (error instanceof Failure) this.#hosts.failed(url, error, performance.now() - startedAt);
      throw error;
    }
  }

  /** Runs a task in the background, also when the workers have too much to do at first: what is refused keeps its bytes. */
  async run<N extends TaskName>(name: N, input: TaskInput<N>, signal: AbortSignal): Promise<TaskResult<N>> {
    const { engine } = this.context.services;
    for (;;) {
      try {
        return await engine.run(name, input, { lane: 'background', signal });
      } catch (error) {
        if (!(error instanceof Failure) || error.code !== 'overloaded') throw error;
        await setTimeout(error.retryAfter === undefined ? BUSY_MS : error.retryAfter * 1000, undefined, { signal });
      }
    }
  }

  async #tellProgress(): Promise<void> {
    const { tell, services } = this.context;
    const now = services.now();
    if (now >= this.#countAt) {
      const startedAt = performance.now();
      await refreshTotals(this.context);
      this.#countAt = now + Math.max(TOTALS_MS, (performance.now() - startedAt) / TOTALS_SHARE);
    }
    if (now - this.#toldAt < PROGRESS_MS) return;
    this.#toldAt = now;
    tell({ type: 'progress', scanId: this.scanId });
  }
}
