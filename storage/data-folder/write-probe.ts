/** Whether the data folder can be written. Free disk space is not enough: quotas and container limits count too. */

import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writability, WriteProbe } from '../ports/write-probe.ts';
import { isOutOfSpace } from './out-of-space.ts';

/** One block of common file systems. */
const PROBE_BYTES = 4096;

/** Anyone may send the request, so the disk is written at most once in this time. */
const PROBE_INTERVAL_MS = 1000;
/** How long the disk may take. Longer than a slow one under load, shorter than load balancers wait. */
const PROBE_TIMEOUT_MS = 3000;

export class FolderWriteProbe implements WriteProbe {
  readonly #path: string;
  readonly #now: () => number;
  #latest: Promise<Writability> | undefined;
  #latestAt = 0;
  #isRunning = false;

  /** @param now the clock, in milliseconds */
  constructor(folder: string, now: () => number = Date.now) {
    this.#path = join(folder, 'write-probe');
    this.#now = now;
  }

  /**
   * Writes a small file and removes it. Returns the last result again if it is less than a second old, and `failed` if
   * the disk does not answer. Then no further probe starts: each would block another thread of Node's file system.
   */
  async read(): Promise<Writability> {
    const age = this.#now() - this.#latestAt;
    if (!this.#isRunning && (this.#latest === undefined || age < 0 || age >= PROBE_INTERVAL_MS)) {
      this.#latestAt = this.#now();
      this.#isRunning = true;
      this.#latest = this.#probe().finally(() => {
        this.#isRunning = false;
      });
    }
    return await withTimeout(this.#latest!);
  }

  async #probe(): Promise<Writability> {
    try {
      const file = await open(this.#path, 'w', 0o600);
      try {
        await file.write(Buffer.alloc(PROBE_BYTES));
        await file.datasync();
      } finally {
        await file.close();
      }
      return 'ok';
    } catch (error) {
      return isOutOfSpace(error) ? 'full' : 'failed';
    } finally {
      await rm(this.#path, { force: true }).catch(() => {});
    }
  }
}

/** Resolves with `failed` if the probe takes too long. */
async function withTimeout(probe: Promise<Writability>): Promise<Writability> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Writability>((resolve) => {
    timer = setTimeout(resolve, PROBE_TIMEOUT_MS, 'failed');
  });
  try {
    return await Promise.race([probe, late]);
  } finally {
    clearTimeout(timer);
  }
}
