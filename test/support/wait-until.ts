import { setTimeout } from 'node:timers/promises';

/**
 * Waits for a condition that workers or other processes fulfil, if nothing announces it. It is checked every 20 ms: a
 * loop without pauses would take a core from those that it waits for.
 */
export async function waitUntil(isFulfilled: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isFulfilled())) await setTimeout(20);
}
