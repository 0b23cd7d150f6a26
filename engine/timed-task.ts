import type { Engine, RunOptions } from './engine.ts';
import type { TaskInput, TaskName, TaskResult } from './task.ts';

export interface TimedTask<N extends TaskName> {
  result: TaskResult<N>;
  /** Time since a worker started the task. */
  durationMs: number;
}

/** Runs a task and measures its time on a worker. When this returns, the engine owns the files. */
export async function timedTask<N extends TaskName>(
  engine: Engine,
  task: N,
  input: TaskInput<N>,
  { onStart, ...options }: RunOptions,
): Promise<TimedTask<N>> {
  let startedAt = performance.now();
  const result = await engine.run(task, input, {
    ...options,
    onStart: (waitedMs) => {
      startedAt = performance.now();
      onStart?.(waitedMs);
    },
  });
  return { result, durationMs: performance.now() - startedAt };
}
