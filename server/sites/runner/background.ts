import { setTimeout } from 'node:timers/promises';
import { Failure } from '../../../base/failure.ts';
import type { TaskInput, TaskName, TaskResult } from '../../../engine/task.ts';
import { ownerOf } from '../../account/owner.ts';
import type { ScanContext } from './context.ts';

/** Wait before the next attempt when the workers are overloaded. */
const OVERLOADED_WAIT_MS = 1000;

/** Runs a task in the background. Waits while the workers are overloaded: a refused task keeps its input buffers. */
export async function runInBackground<N extends TaskName>(
  { services, caller }: Pick<ScanContext, 'services' | 'caller'>,
  name: N,
  input: TaskInput<N>,
  signal: AbortSignal,
): Promise<TaskResult<N>> {
  const options = { lane: 'background', owner: ownerOf(caller), signal } as const;
  return await whenNotOverloaded(() => services.engine.run(name, input, options), signal);
}

/** Repeats `work` after a pause as long as the service is overloaded. */
export async function whenNotOverloaded<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Failure) || error.code !== 'overloaded') throw error;
      await setTimeout(error.retryAfter === undefined ? OVERLOADED_WAIT_MS : error.retryAfter * 1000, undefined, {
        signal,
      });
    }
  }
}
