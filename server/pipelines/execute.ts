/**
 * A pipeline on one image, with its credits: what POST /api/v1/pipeline and jobs share. One request, and one AI request in
 * addition when a model has run (spec/shapes.md, section 9.2, rules 5 to 7).
 */
import { mayRunModel } from '../../engine/pipeline/model-steps.ts';
import type { PipelinePlan, PipelineResult, Step } from '../../engine/pipeline/record.ts';
import type { SourceFile } from '../../engine/source-file.ts';
import type { Lane } from '../../engine/task.ts';
import type { Key } from '../../storage/repositories/keys.ts';
import type { Caller } from '../account/authenticate.ts';
import { type Cost, ONE_AI_REQUEST, ONE_REQUEST } from '../account/credits.ts';
import { requireScope } from '../account/keys.ts';
import type { Reservation } from '../account/ledger.ts';
import { ownerOf } from '../account/owner.ts';
import type { Services } from '../http/endpoint.ts';
import { timedTask } from '../images/timed-task.ts';

/** What the usage record shows pipelines under, those of jobs too. */
const OPERATION = 'pipeline';

export const REQUEST_WITH_MODEL: Cost = { ...ONE_REQUEST, ai: ONE_AI_REQUEST.ai };

const costOf = (model: boolean): Cost => (model ? REQUEST_WITH_MODEL : ONE_REQUEST);

/** Whether any step would run a model. */
export function planRunsModel({ steps }: PipelinePlan): boolean {
  return steps.some(({ model, reason }) => model && reason === null);
}

/** What a key pays for a plan: nothing, where it is a test key. */
export function quotaOf({ mode }: Key, plan: PipelinePlan): Cost {
  return mode === 'test' ? { requests: 0, ai: 0 } : costOf(planRunsModel(plan));
}

/**
 * Refuses what can be refused before there is a picture.
 * @throws Failure 403 `scope_required`, where a model would run with every picture, or 429
 */
export async function admitPipeline(
  { ledger }: Pick<Services, 'ledger'>,
  caller: Caller,
  steps: readonly Step[],
): Promise<void> {
  const always = mayRunModel(steps) === 'always';
  if (always) requireScope(caller.key, 'ai');
  await ledger.check(caller, costOf(always));
}

export interface PipelineWork {
  caller: Caller;
  image: SourceFile;
  /** For watermark steps with `logo`. */
  watermark?: SourceFile | undefined;
  steps: readonly Step[];
  lane: Lane;
  signal?: AbortSignal;
  /** Told when the engine accounts for the bytes of the files. */
  onAdmitted?: () => void;
  /** Told the time that the work waited for a worker, in milliseconds. */
  onStart?: (waitedMs: number) => void;
}

export interface PipelineDone {
  result: PipelineResult;
  durationMs: number;
  /** What it costs. */
  cost: Cost;
  /** Its credits; to be charged, which takes no more than the cost, or released. */
  credit: Reservation;
}

/**
 * Runs a pipeline. Where it fails nothing is charged.
 * @throws Failure 403 `scope_required` and 429 before any work, where only then a model would run; those of the steps,
 * which name the step
 */
export async function executePipeline(
  services: Pick<Services, 'engine' | 'ledger' | 'plans'>,
  work: PipelineWork,
): Promise<PipelineDone> {
  const { engine, ledger, plans } = services;
  const { caller, watermark, steps, onAdmitted, lane, signal, onStart } = work;
  const options = { lane, owner: ownerOf(caller), ...(signal && { signal }), ...(onStart && { onStart }) };
  let { image } = work;
  const bytesIn = image.data.byteLength + (watermark?.data.byteLength ?? 0);
  const params = { steps, maxPixels: plans.of(caller.account).upscale_pixels };
  const models = mayRunModel(steps);
  let model = models === 'always';
  let planMs = 0;
  if (models === 'by_condition') {
    await ledger.check(caller, ONE_REQUEST);
    const planned = await timedTask(engine, 'pipeline-plan', { image, params }, options);
    planMs = planned.durationMs;
    model = planRunsModel(planned.result.plan);
    image = { ...image, data: planned.result.data };
  }
  if (model) requireScope(caller.key, 'ai');
  const credit = await ledger.reserve(caller, OPERATION, costOf(model));
  try {
    const input = { image, params, mayRunModel: model, ...(watermark && { watermark }) };
    const running = timedTask(engine, 'pipeline', input, options);
    onAdmitted?.();
    const { result, durationMs } = await running;
    const cost = costOf(model && result.ranModel);
    return {
      result,
      durationMs: planMs + durationMs,
      cost,
      credit: { ...credit, charge: (traffic, inTransaction) => credit.charge(traffic, inTransaction, cost) },
    };
  } catch (error) {
    // Whatever keeps it from being noted, the first failure is the one to tell.
    await credit.release(bytesIn).catch(() => {});
    throw error;
  }
}
