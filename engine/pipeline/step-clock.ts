/** What the runs of all pipelines share: the times of their steps, and their models. */
import type { WorkerContext } from '../context.ts';
import { isDone, modelsOf } from '../steps/step.ts';
import { inStep } from './errors.ts';
import type { DecidedStep, StepReport } from './record.ts';

/** Measures the duration of each step. */
export class StepClock {
  readonly started = performance.now();
  readonly #durations = new Map<number, number>();

  async time<R>(step: DecidedStep, work: () => R | Promise<R>): Promise<R> {
    const from = performance.now();
    const result = await inStep(step.step, step.index, work);
    this.#durations.set(step.index, performance.now() - from);
    return result;
  }

  reports(steps: readonly DecidedStep[]): StepReport[] {
    return steps.map(({ index, step, reason, after }) => ({
      index,
      op: step.op,
      reason,
      ...after,
      durationMs: this.#durations.get(index) ?? 0,
    }));
  }
}

export const modelSteps = (steps: readonly DecidedStep[]): DecidedStep[] =>
  steps.filter((decided) => isDone(decided) && modelsOf(decided).length > 0);

/** Opens the models of the steps. Before the source is decoded, because without a model the task fails. */
export async function openModels(
  { models }: Pick<WorkerContext, 'models'>,
  steps: readonly DecidedStep[],
): Promise<void> {
  for (const decided of modelSteps(steps))
    for (const purpose of modelsOf(decided)) await inStep(decided.step, decided.index, () => models.open(purpose));
}
