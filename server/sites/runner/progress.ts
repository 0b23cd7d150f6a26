/** Announces the progress of a phase at a limited rate. */
import { refreshTotals } from '../findings/totals.ts';
import type { ScanContext } from './context.ts';

const TOLD_MS = 250;
const COUNTED_MS = 1000;
/** Counting takes at most this share of the time. */
const COUNTED_SHARE = 0.05;

export class Progress {
  readonly #context: Pick<ScanContext, 'scan' | 'services' | 'tell'>;
  #toldAt = 0;
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
    if (now - this.#toldAt < TOLD_MS) return;
    this.#toldAt = now;
    tell({ type: 'progress', scanId: scan.id });
  }

  async #count(): Promise<void> {
    const startedAt = performance.now();
    this.#isCounting = true;
    try {
      await refreshTotals(this.#context);
      const took = performance.now() - startedAt;
      this.#countAt = this.#context.services.now() + Math.max(COUNTED_MS, took / COUNTED_SHARE);
    } finally {
      this.#isCounting = false;
    }
  }
}
