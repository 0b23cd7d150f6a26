import type { Engine, RunOptions } from '../../engine/engine.ts';
import type { TaskInput, TaskName, TaskResult } from '../../engine/task.ts';

export interface TimedTask<N extends TaskName> {
  result: TaskResult<N>;
  /** From when a worker took it up. */
  durationMs: number;
}

/** Runs a task, whose files belong to the engine when this returns. */
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
