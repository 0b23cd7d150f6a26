/** A worker whose tasks wait at a barrier, so that tests of the pool decide what runs when. */
import { threadId, workerData } from 'node:worker_threads';
import type { WorkerSettings } from '../../engine/settings.ts';
import type { TaskMessage, WorkerReport } from '../../engine/task.ts';
import { Replacement } from '../../engine/worker-recycling.ts';
import type { LoadReport } from '../../models/runtime.ts';

/** This file, as the pool expects it. */
export const WORKER_FILE = new URL(import.meta.url);

// Because of the top-level await, Piscina imports this file, as it does the real worker. Otherwise Piscina would load
// it with `require`, and Node 20 aborts the process if a test ends the thread meanwhile (an assertion in
// CreateRequiredModuleFacade of module_wrap.cc).
await Promise.resolve();

export const ready = (): void => {};

interface BarrierTask {
  params: {
    gate: Int32Array;
    then: 'answer' | 'throw' | 'exit' | 'poison' | 'grow' | 'grow and exit' | 'need';
    /** What the task reports about its models. */
    models?: LoadReport;
  };
}

/** Memory of a worker after a task that has grown it. */
export const GROWN_BYTES = 714 * 2 ** 20;
/** Bytes that a task needs if it needs more than it was counted with. */
export const NEEDED_BYTES = 2 ** 29;

/** The run time that every task reports. */
export const RUN_MS = 1;

/** Values of the gate. */
export const WAITING = 0;
export const RUNNING = 1;
export const OPEN = 2;

let workedMs = 0;

/** Ends the worker when the gate is closed again after the response. */
async function exitWhenClosed(gate: Int32Array): Promise<void> {
  const wait = Atomics.waitAsync(gate, 0, OPEN);
  if (wait.async) await wait.value;
  process.exit(0);
}

export default function run({ input, heldBytes }: Pick<TaskMessage, 'heldBytes'> & { input: BarrierTask }) {
  const { gate, then, models = {} } = input.params;
  // A gate that was opened beforehand stays open.
  Atomics.compareExchange(gate, 0, WAITING, RUNNING);
  Atomics.notify(gate, 0);
  // Waits until the test opens the gate or ends the thread.
  Atomics.wait(gate, 0, RUNNING);
  if (then === 'exit') process.exit(7);
  if (then === 'throw') throw new Error('a bug in the worker');
  workedMs += RUN_MS;
  const wasmBytes = then.startsWith('grow') ? GROWN_BYTES : 1;
  if (then === 'grow and exit') void exitWhenClosed(gate);
  const state = { wasmBytes, runMs: RUN_MS, workedMs, liveHandles: 0, poisoned: then === 'poison' };
  const { replaceAfter, replacement } = workerData as WorkerSettings;
  const replace = new Replacement(replacement).decide(threadId, state, replaceAfter);
  const report: WorkerReport = { wasmBytes, threadId, runMs: RUN_MS, replace, models };
  if (then === 'need' && heldBytes < NEEDED_BYTES) return { ok: false, report, neededBytes: NEEDED_BYTES, input };
  return { ok: true, report, result: { data: new ArrayBuffer(4), threadId } };
}
