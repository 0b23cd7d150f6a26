/** Entry point of a worker thread. Sets the thread's priority before it loads anything. */
import { workerData } from 'node:worker_threads';
import { LONG_NICENESS, lowerPriority } from './priority.ts';
import type { WorkerSettings } from './settings.ts';

const { niceness, startsForLong } = workerData as WorkerSettings;
lowerPriority(Atomics.load(startsForLong, 0) > 0 ? Math.max(niceness, LONG_NICENESS) : niceness);

const worker = await import('./worker.ts');
export default worker.default;
export const ready = worker.ready;
