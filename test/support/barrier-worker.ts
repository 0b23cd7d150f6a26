/** A worker whose tasks wait at a barrier, so that tests of the pool decide what runs when. */
import { threadId } from 'node:worker_threads';
import type { LoadReport } from '../../models/runtime.ts';

/** This file, as the pool takes it. */
export const WORKER_FILE = new URL(import.meta.url);

export const ready = (): void => {};

interface Held {
  params: {
    gate: Int32Array;
    then: 'answer' | 'throw' | 'exit' | 'poison' | 'grow';
    /** What it reports of its models. */
    models?: LoadReport;
  };
}

/** What every task reports that it took. */
export const RUN_MS = 1;

/** Gate values. */
export const WAITING = 0;
export const RUNNING = 1;
export const OPEN = 2;

export default function run({ input }: { input: Held }) {
  const { gate, then, models = {} } = input.params;
  // A gate that was opened beforehand stays open.
  Atomics.compareExchange(gate, 0, WAITING, RUNNING);
  Atomics.notify(gate, 0);
  // Holds until the test opens the gate or ends the thread.
  Atomics.wait(gate, 0, RUNNING);
  if (then === 'exit') process.exit(7);
  if (then === 'throw') throw new Error('a bug in the worker');
  const report = {
    wasmBytes: then === 'grow' ? 2 ** 31 : 1,
    liveHandles: 0,
    threadId,
    poisoned: then === 'poison',
    runMs: RUN_MS,
    models,
  };
  return { ok: true, report, result: { data: new ArrayBuffer(4), threadId } };
}
