import type { Writability, WriteProbe } from './ports/write-probe.ts';

export interface LimitedProbeOptions {
  /** How old the last result may be. Anyone may send the request that reads it. */
  intervalMs: number;
  /** How long the probe may take. Longer than it does under load, shorter than load balancers wait. */
  timeoutMs: number;
  /** The result of a probe that takes longer. */
  late: Writability;
  /** The clock, in milliseconds. */
  now?: () => number;
}

/** Probes seldom and never twice at a time, whoever reads it how often. */
export class LimitedProbe implements WriteProbe {
  readonly #probe: () => Promise<Writability>;
  readonly #options: Required<LimitedProbeOptions>;
  #latest: Promise<Writability> | undefined;
  #latestAt = 0;
  #isRunning = false;

  constructor(probe: () => Promise<Writability>, options: LimitedProbeOptions) {
    this.#probe = probe;
    this.#options = { now: Date.now, ...options };
  }

  /** While a late probe still runs, no further one starts. */
  async read(): Promise<Writability> {
    const { now, intervalMs } = this.#options;
    const age = now() - this.#latestAt;
    if (!this.#isRunning && (this.#latest === undefined || age < 0 || age >= intervalMs)) {
      this.#latestAt = now();
      this.#isRunning = true;
      this.#latest = this.#probe().finally(() => {
        this.#isRunning = false;
      });
    }
    return await this.#withTimeout(this.#latest!);
  }

  async #withTimeout(probe: Promise<Writability>): Promise<Writability> {
    const { timeoutMs, late } = this.#options;
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<Writability>((resolve) => {
      timer = setTimeout(resolve, timeoutMs, late);
    });
    try {
      return await Promise.race([probe, timeout]);
    } finally {
      clearTimeout(timer);
    }
  }
}
