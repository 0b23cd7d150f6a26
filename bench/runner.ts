/** Runs the processes: a fresh one for each contender, workload and round, in an order that is reversed each round. */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Measurement, Order } from './contenders/contender.ts';
import { type ContenderInfo, fileOf, REFERENCE, reasonMissing } from './contenders/index.ts';
import { type Reply, runInFreshProcess } from './fresh-process.ts';
import { type Input, prepareInput, TMP } from './inputs.ts';
import { addRatios, type Figure, type Run, type Settings, sumUp } from './results.ts';
import { decodeFile, referenceOf, type Score, scoreOf } from './score.ts';
import type { Workload } from './workloads.ts';

const OUTPUTS = join(TMP, 'outputs');

/** A process that has not replied after this multiple of its measuring time is considered hung. */
const TIMEOUT_FACTOR = 20;
const MIN_TIMEOUT_MS = 180_000;

/** One process to run. */
export interface Step {
  workload: Workload;
  contender: ContenderInfo;
  round: number;
}

/**
 * Lists every possible pair of workload and contender, round after round. The contenders of one workload run one after
 * the other, so that the machine is in the same state for all; the order is reversed in the next round.
 */
export function planSteps(
  workloads: readonly Workload[],
  contenders: readonly ContenderInfo[],
  rounds: number,
): Step[] {
  return Array.from({ length: rounds }, (_, round) => {
    const order = round % 2 === 0 ? contenders : contenders.toReversed();
    return workloads.flatMap((workload) =>
      order
        .filter((contender) => reasonMissing(contender, workload) === undefined)
        .map((contender) => ({ workload, contender, round })),
    );
  }).flat();
}

export interface Outcome {
  inputs: Record<string, Omit<Input, 'path'>>;
  runs: Run[];
  figures: Figure[];
}

export async function runAll(
  workloads: readonly Workload[],
  contenders: readonly ContenderInfo[],
  settings: Settings,
  progress: (step: Step, done: number, all: number) => void,
): Promise<Outcome> {
  await mkdir(OUTPUTS, { recursive: true });
  const inputs: Record<string, Input> = {};
  for (const { input } of workloads) inputs[input] ??= await prepareInput(input);

  const steps = planSteps(workloads, contenders, settings.rounds);
  const runs: Run[] = [];
  for (const [index, step] of steps.entries()) {
    progress(step, index, steps.length);
    const { workload, contender, round } = step;
    const reply = await runProcess(contender, {
      workload: workload.name,
      input: inputs[workload.input]!.path,
      output: outputOf(workload, contender),
      ...settings,
    });
    runs.push({ workload: workload.name, contender: contender.name, round, outcome: reply });
  }
  const figures = await sumUpAll(workloads, contenders, runs, inputs);
  return {
    inputs: Object.fromEntries(Object.entries(inputs).map(([name, { bytes, sha256 }]) => [name, { bytes, sha256 }])),
    runs,
    figures,
  };
}

const outputOf = ({ name, format }: Workload, contender: ContenderInfo) =>
  join(OUTPUTS, `${name}.${contender.name}.${format}`);

export function runProcess(contender: ContenderInfo, order: Order): Promise<Reply<Measurement>> {
  return runInFreshProcess(fileOf(contender), order, {
    // sharp's native work uses this pool; its default of four threads would limit sharp on larger machines.
    env: { UV_THREADPOOL_SIZE: String(order.concurrency) },
    patienceMs: Math.max(MIN_TIMEOUT_MS, order.seconds * 1000 * TIMEOUT_FACTOR),
  });
}

async function sumUpAll(
  workloads: readonly Workload[],
  contenders: readonly ContenderInfo[],
  runs: readonly Run[],
  inputs: Record<string, Input>,
): Promise<Figure[]> {
  const figures = [];
  for (const workload of workloads) {
    const reference = await referenceOf(workload, await readFile(inputs[workload.input]!.path));
    for (const contender of contenders) {
      const head = { workload: workload.name, title: workload.title, contender: contender.name };
      const absent = reasonMissing(contender, workload);
      const outcomes = runs
        .filter((run) => run.workload === workload.name && run.contender === contender.name)
        .map((run) => run.outcome);
      const measurements = outcomes.flatMap((outcome) => ('value' in outcome ? outcome.value : []));
      const error = outcomes.flatMap((outcome) => ('error' in outcome ? outcome.error : []))[0];
      if (absent !== undefined || measurements.length === 0) {
        figures.push({ ...head, absent: absent ?? `failed: ${error}` });
        continue;
      }
      const score = await scoreFile(workload, reference, outputOf(workload, contender));
      figures.push({ ...head, values: sumUp(measurements, score)! });
    }
  }
  return addRatios(figures, REFERENCE);
}

async function scoreFile(
  workload: Workload,
  reference: Awaited<ReturnType<typeof referenceOf>>,
  path: string,
): Promise<Score | null> {
  try {
    return scoreOf(reference, await decodeFile(workload.format, await readFile(path), workload.animated));
  } catch (error) {
    console.error(`${path}: ${(error as Error).message}`);
    return null;
  }
}
