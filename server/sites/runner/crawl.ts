/**
 * What the phases of discovering and scanning share. Their rows are stored step by step, each step in one transaction.
 */
import type { TaskInput, TaskName, TaskResult } from '../../../engine/task.ts';
import type { Repositories } from '../../../storage/ports/database.ts';
import type { ScanStatus } from '../../../storage/records/site-scans.ts';
import type { MatchPaths } from '../patterns.ts';
import { runInBackground } from './background.ts';
import type { ScanContext } from './context.ts';
import { ScanPhaseChanged } from './errors.ts';
import { Progress } from './progress.ts';

export type Warning =
  | 'robots_blocked'
  | 'needs_javascript'
  | 'not_rendered'
  | 'over_limit'
  | 'assets_truncated'
  | 'slow_site'
  | 'external_skipped'
  | 'sitemap_errors';

export type Warn = (warning: Warning) => void;

export interface Step {
  /** Address of the step. */
  url: string | null;
  /** True when the step completes work that must not be repeated: the phase has made progress. */
  isEnd: boolean;
}

/** A step without an address. */
export const NO_STEP: Step = { url: null, isEnd: false };

/** A step whose work has started or will be repeated as a whole. */
export const startedStep = (url: string | null): Step => ({ url, isEnd: false });
export const endedStep = (url: string): Step => ({ url, isEnd: true });

export class Crawl {
  readonly context: ScanContext;
  readonly #progress: Progress;
  readonly #phase: ScanStatus;
  readonly #warned: Set<string>;
  /** Number of finished items, and of all items; null while that is unknown. */
  done: number;
  total: number | null;
  bytesFetched: number;

  constructor(context: ScanContext, phase: ScanStatus) {
    this.context = context;
    this.#phase = phase;
    this.#progress = new Progress(context);
    this.#warned = new Set(JSON.parse(context.scan.warnings) as string[]);
    // Includes the progress before the phase was interrupted.
    this.done = context.scan.progressDone;
    this.total = context.scan.progressTotal;
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
   * Stores a step completely or not at all.
   * @param done number of items that it finishes
   * @param work what to store; it may add warnings for the owner
   * @throws ScanPhaseChanged when the scan is no longer in this phase; the abort reason of the signal
   */
  async keep<T>(
    { url, isEnd }: Step,
    done: number,
    work: (repositories: Repositories, warn: Warn) => Promise<T>,
  ): Promise<T> {
    const { scan, services, signal, client } = this.context;
    const warnings = new Set<Warning>(client.hasStopped ? ['slow_site'] : []);
    const result = await services.database.transaction(async (repositories) => {
      // Checked again because the transaction may have waited before it began.
      signal.throwIfAborted();
      const present = this.done + done;
      const total = this.total && Math.max(this.total, present);
      const progress = { done: present, total, url, bytes: client.takeReceivedBytes(), isEnd };
      const fetched = await repositories.siteCrawl.report(scan.id, this.#phase, progress);
      if (fetched === undefined) throw new ScanPhaseChanged();
      this.bytesFetched = fetched;
      const kept = await work(repositories, (warning) => warnings.add(warning));
      for (const warning of warnings)
        if (!this.#warned.has(warning)) await repositories.siteCrawl.warn(scan.id, warning);
      // Before other steps run, because they count from this value.
      this.done += done;
      return kept;
    });
    for (const warning of warnings) this.#warned.add(warning);
    await this.#progress.note();
    return result;
  }

  /** Matches paths against patterns. */
  readonly matchPaths: MatchPaths = (input) => this.run('match-paths', input, this.context.signal);

  /** Runs a task in the background. Waits while the workers are overloaded. */
  async run<N extends TaskName>(name: N, input: TaskInput<N>, signal: AbortSignal): Promise<TaskResult<N>> {
    return await runInBackground(this.context, name, input, signal);
  }
}
