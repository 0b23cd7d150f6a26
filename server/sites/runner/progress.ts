/** Announces the progress of a phase at a limited rate. */
import { refreshTotals } from '../findings/totals.ts';
import type { ScanContext } from './context.ts';

const EVENT_INTERVAL_MS = 250;
const COUNT_INTERVAL_MS = 1000;
/** Counting takes at most this share of the time. */
const MAX_COUNT_SHARE = 0.05;

export class Progress {
  readonly #context: Pick<ScanContext, 'scan' | 'services' | 'tell'>;
  #emittedAt = 0;
  #countAt = 0;
  #isCounting = false;

  constructor(context: Pick<ScanContext, 'scan' | 'services' | 'tell'>) {
    this.#context = context;
  }

  /** Called after something was stored: counts the totals and announces progress when it is time. */
  async note(): Promise<void> {
    const { scan, services, tell } = this.#context;
    const now = services.now();
    if (now >= this.#countAt && !this.#isCounting) await this.#count();
    if (now - this.#emittedAt < EVENT_INTERVAL_MS) return;
    this.#emittedAt = now;
    tell({ type: 'progress', scanId: scan.id });
  }

  async #count(): Promise<void> {
    const startedAt = performance.now();
    this.#isCounting = true;
    try {
      await refreshTotals(this.#context);
      const took = performance.now() - startedAt;
      this.#countAt = this.#context.services.now() + Math.max(COUNT_INTERVAL_MS, took / MAX_COUNT_SHARE);
    } finally {
      this.#isCounting = false;
    }
  }
}
