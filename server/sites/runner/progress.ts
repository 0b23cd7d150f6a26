/** Telling how far a phase is, no oftener than anybody looks. */
import { refreshTotals } from '../findings/totals.ts';
import type { ScanContext } from './context.ts';

const TOLD_MS = 250;
const COUNTED_MS = 1000;
/** Nor does the counting take more than such a part of the time. */
const COUNTED_SHARE = 0.05;

export class Progress {
  readonly #context: Pick<ScanContext, 'scan' | 'services' | 'tell'>;
  #toldAt = 0;
  #countAt = 0;
  #isCounting = false;

  constructor(context: Pick<ScanContext, 'scan' | 'services' | 'tell'>) {
    this.#context = context;
  }

  /** Something has been kept: counts the totals and tells of it, when it is time again. */
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
