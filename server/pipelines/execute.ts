/**
 * Runs a pipeline on one image and reserves its credits, for POST /api/v1/pipeline and for jobs. It costs one request,
 * and one AI request in addition if a model has run (docs/spec/shapes.md, section 9.2, rules 5 to 7).
 */

import type { ErrorCode } from '../../base/failure.ts';
import type { RunOptions } from '../../engine/engine.ts';
import { mayRunModel, planRunsModel } from '../../engine/pipeline/model-steps.ts';
import type {
  PipelineInput as EngineInput,
  OutputsParams,
  OutputsResult,
  PipelineParams,
  PipelinePlanResult,
  PipelineResult,
  PlanSummary,
  Step,
  StepsReport,
} from '../../engine/pipeline/record.ts';
import type { SourceFile } from '../../engine/source-file.ts';
import type { Lane } from '../../engine/task.ts';
import { timedTask } from '../../engine/timed-task.ts';
import type { Key } from '../../storage/records/keys.ts';
import { type Cost, ONE_AI_REQUEST, ONE_REQUEST } from '../account/credits.ts';
import { requireScope } from '../account/keys.ts';
import type { Reservation } from '../account/ledger.ts';
import { ownerOf } from '../account/owner.ts';
import type { Caller } from '../http/context.ts';
import type { PipelineServices } from './services.ts';

/** Errors of finding and running a pipeline. */
export const RUN_ERRORS: readonly ErrorCode[] = [
  'conflicting_parameters',
  'preset_not_found',
  'upgrade_required',
  'scope_required',
  'unsupported_output',
  'no_subject',
  'model_unavailable',
];

/** Name of pipelines in the usage record, also of those in jobs. */
const OPERATION = 'pipeline';

export const REQUEST_WITH_MODEL: Cost = { ...ONE_REQUEST, ai: ONE_AI_REQUEST.ai };

const costOf = (model: boolean): Cost => (model ? REQUEST_WITH_MODEL : ONE_REQUEST);

/** Returns the cost of a plan for a key. Test keys pay nothing. */
export const costForKey = ({ mode }: Key, plan: Pick<PlanSummary, 'steps'>): Cost =>
  mode === 'test' ? { requests: 0, ai: 0 } : costOf(planRunsModel(plan));

/**
 * Checks what can be checked before there is an image.
 * @throws Failure 403 `scope_required` if a model would run with every image, or 429
 */
export async function admitPipeline(
  { ledger }: Pick<PipelineServices, 'ledger'>,
  caller: Caller,
  steps: readonly Step[],
): Promise<void> {
  const always = mayRunModel(steps) === 'always';
  if (always) requireScope(caller.key, 'ai');
  await ledger.check(caller, costOf(always));
}

export interface PipelineInput {
  caller: Caller;
  image: SourceFile;
  /** For watermark steps with `logo`. */
  watermark?: SourceFile | undefined;
  steps: readonly Step[];
  lane: Lane;
  signal?: AbortSignal;
  /** Called when the engine starts to count the bytes of the files. */
  onAdmitted?: () => void;
  /** Called with the time that the work waited for a worker, in milliseconds. */
  onStart?: (waitedMs: number) => void;
}

export interface PipelineRun<R = PipelineResult> {
  result: R;
  durationMs: number;
  /** The actual cost. */
  cost: Cost;
  /** The reserved credits. Charge them, which takes only the actual cost, or release them. */
  credit: Reservation;
}

type Services = Pick<PipelineServices, 'engine' | 'ledger' | 'plans'>;

/**
 * Runs a pipeline. A failed run is not charged.
 * @throws Failure 403 `scope_required` and 429, before any work unless a condition decides whether a model runs;
 *   failures of the steps, which name the step
 */
export const executePipeline = (services: Services, work: PipelineInput): Promise<PipelineRun> =>
  execute<PipelineParams, PipelineResult>(services, work, {
    params: {},
    plan: (input, options) => timedTask(services.engine, 'pipeline-plan', input, options),
    run: (input, options) => timedTask(services.engine, 'pipeline', input, options),
  });

/** Runs a pipeline with several results. It costs as much as one with a single result. @throws as `executePipeline` */
export const executeOutputs = (
  services: Services,
  work: PipelineInput,
  outputs: Omit<OutputsParams, keyof PipelineParams>,
): Promise<PipelineRun<OutputsResult>> =>
  execute<OutputsParams, OutputsResult>(services, work, {
    params: outputs,
    plan: (input, options) => timedTask(services.engine, 'pipeline-outputs-plan', input, options),
    run: (input, options) => timedTask(services.engine, 'pipeline-outputs', input, options),
  });

interface Tasks<P extends PipelineParams, R> {
  /** Parameters beside those of all pipelines. */
  params: Omit<P, keyof PipelineParams>;
  plan(
    input: EngineInput<P>,
    options: RunOptions,
  ): Promise<{ result: PipelinePlanResult<PlanSummary>; durationMs: number }>;
  run(input: EngineInput<P>, options: RunOptions): Promise<{ result: R; durationMs: number }>;
}

async function execute<P extends PipelineParams, R extends StepsReport>(
  { ledger, plans }: Services,
  work: PipelineInput,
  tasks: Tasks<P, R>,
): Promise<PipelineRun<R>> {
  const { caller, watermark, steps, onAdmitted, lane, signal, onStart } = work;
  const options = { lane, owner: ownerOf(caller), ...(signal && { signal }), ...(onStart && { onStart }) };
  let { image } = work;
  const bytesIn = image.data.byteLength + (watermark?.data.byteLength ?? 0);
  const params = { ...tasks.params, steps, maxPixels: plans.of(caller.account).upscale_pixels } as P;
  const models = mayRunModel(steps);
  let model = models === 'always';
  let planMs = 0;
  if (models === 'by_condition') {
    await ledger.check(caller, ONE_REQUEST);
    // The plan takes the file, and the run needs it too.
    const logo = watermark && { ...watermark, data: watermark.data.slice(0) };
    const planned = await tasks.plan({ image, params, ...(logo && { watermark: logo }) }, options);
    planMs = planned.durationMs;
    model = planRunsModel(planned.result.plan);
    image = { ...image, data: planned.result.data };
  }
  if (model) requireScope(caller.key, 'ai');
  const credit = await ledger.reserve(caller, OPERATION, costOf(model));
  try {
    const running = tasks.run({ image, params, mayRunModel: model, ...(watermark && { watermark }) }, options);
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
    // If the release fails too, report the first error.
    await credit.release(bytesIn).catch(() => {});
    throw error;
  }
}
