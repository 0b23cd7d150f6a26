/**
 * Converts the images of a scan (docs/spec/shapes.md, section 16.4). Each content is converted once, however many addresses
 * it has. The results are stored in one transaction with their charge, so that a killed process charges nothing twice.
 */
import { Failure } from '../../../base/failure.ts';
import type { SiteAsset } from '../../../storage/records/site-assets.ts';
import { runInBackground, whenNotOverloaded } from '../runner/background.ts';
import type { ScanContext } from '../runner/context.ts';
import { ScanPhaseChanged } from '../runner/errors.ts';
import { Progress } from '../runner/progress.ts';
import { siteHosts } from '../site-hosts.ts';
import { convertContent } from './content.ts';
import { ConversionStore } from './conversion-store.ts';
import type { EligibilityRules } from './eligibility.ts';

const ASSETS_AT_ONCE = 100;

/** Error codes for a lack of credits, permanent or temporary. */
const NO_CREDITS_CODES: ReadonlySet<string> = new Set(['quota_exceeded', 'key_limit_exceeded', 'test_limit_exceeded']);

/** Marks every image that is ready as wanted, so that `optimize` converts it next. */
export async function markWanted({ scan, services }: ScanContext): Promise<void> {
  await services.database.siteOutputs.markReadyAsWanted(scan.id);
}

/**
 * Converts the wanted images, and ends when none is left.
 * @throws Failure of the service, such as `storage_full`; ScanPhaseChanged; the abort reason of the signal
 */
export async function optimize(context: ScanContext): Promise<void> {
  const { scan, settings } = context;
  const optimizer = new Optimizer(context, {
    settings,
    isOwn: siteHosts(scan, settings),
    match: (input) => runInBackground(context, 'match-paths', input, context.signal),
  });
  await optimizer.run();
}

class Optimizer {
  readonly #context: ScanContext;
  readonly #qualification: EligibilityRules;
  readonly #keeper: ConversionStore;
  readonly #progress: Progress;
  /** Running conversions, by content hash. */
  readonly #running = new Map<string, Promise<void>>();
  /** Stops the other conversions when one fails. */
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  #maxRunning: number;
  #failure: { error: unknown } | undefined;

  constructor(context: ScanContext, qualification: EligibilityRules) {
    this.#signal = AbortSignal.any([context.signal, this.#stop.signal]);
    this.#context = { ...context, signal: this.#signal };
    this.#qualification = qualification;
    this.#keeper = new ConversionStore(this.#context, qualification);
    this.#progress = new Progress(this.#context);
    // One more than there are workers, so that no worker waits for an original.
    this.#maxRunning = context.services.config.workers + 1;
  }

  async run(): Promise<void> {
    await this.#keeper.start();
    try {
      // Further rounds convert the assets that were put back.
      while (await this.#round());
    } finally {
      this.#stop.abort(new ScanPhaseChanged());
      await Promise.allSettled(this.#running.values());
    }
  }

  /** Goes through the wanted assets once. Returns whether there were any. */
  async #round(): Promise<boolean> {
    const { services, scan } = this.#context;
    let isEmpty = true;
    for (let after = 0; ; ) {
      this.#check();
      const assets = await services.database.siteOutputs.wanted(scan.id, after, ASSETS_AT_ONCE);
      const last = assets.at(-1);
      if (!last) break;
      isEmpty = false;
      after = last.seq;
      const rest = await this.#keeper.skip(assets);
      await this.#progress.note();
      for (const asset of assets) {
        if (!rest.has(asset.seq)) continue;
        await this.#waitForSlot();
        this.#start(asset, asset.sha256!);
      }
    }
    await Promise.all(this.#running.values());
    this.#check();
    return !isEmpty;
  }

  async #waitForSlot(): Promise<void> {
    while (this.#running.size >= this.#maxRunning) await Promise.race(this.#running.values());
    this.#check();
  }

  #check(): void {
    if (this.#failure) throw this.#failure.error;
    this.#signal.throwIfAborted();
  }

  #start(asset: SiteAsset, hash: string): void {
    // The content is already being converted, also for this asset.
    if (this.#running.has(hash)) return;
    const work = this.#work(asset)
      .catch((error: unknown) => {
        this.#failure ??= { error };
        this.#stop.abort(new ScanPhaseChanged());
      })
      .finally(() => this.#running.delete(hash));
    this.#running.set(hash, work);
  }

  async #work(asset: SiteAsset): Promise<void> {
    const convert = () => convertContent(this.#context, this.#keeper, this.#qualification, asset);
    try {
      await whenNotOverloaded(convert, this.#signal);
    } catch (error) {
      this.#signal.throwIfAborted();
      if (!(error instanceof Failure) || !NO_CREDITS_CODES.has(error.code)) throw error;
      await this.#refuse(asset);
    }
    await this.#progress.note();
  }

  /**
   * Handles a lack of credits. While other conversions run, some of their reserved credits may be released, so this one
   * is tried again alone. If it is refused alone, the rest is left out.
   */
  async #refuse(asset: SiteAsset): Promise<void> {
    const isAlone = this.#running.size === 1;
    this.#maxRunning = 1;
    if (isAlone) await this.#keeper.leaveRest();
    else await this.#keeper.putBack(asset);
  }
}
