/** Whether the data folder can be written. Free disk space is not enough: quotas and container limits count too. */

import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LimitedProbe } from '../limited-probe.ts';
import type { Writability, WriteProbe } from '../ports/write-probe.ts';
import { isOutOfSpace } from './out-of-space.ts';

/** One block of common file systems. */
const PROBE_BYTES = 4096;

const PROBE_INTERVAL_MS = 1000;
const PROBE_TIMEOUT_MS = 3000;

/**
 * Writes a small file and removes it. `failed` also if the disk does not answer: each further probe would block another
 * thread of Node's file system.
 * @param now the clock, in milliseconds
 */
export function folderWriteProbe(folder: string, now?: () => number): WriteProbe {
  const path = join(folder, 'write-probe');
  const limits = { intervalMs: PROBE_INTERVAL_MS, timeoutMs: PROBE_TIMEOUT_MS, late: 'failed' } as const;
  return new LimitedProbe(() => probe(path), { ...limits, ...(now && { now }) });
}

async function probe(path: string): Promise<Writability> {
  try {
    const file = await open(path, 'w', 0o600);
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
    await rm(path, { force: true }).catch(() => {});
  }
}
