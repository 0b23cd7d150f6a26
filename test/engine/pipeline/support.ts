/** Runs pipelines on the real pool, and checks each run against its dry run. */
import assert from 'node:assert/strict';
import type { Engine } from '../../../engine/engine.ts';
import { checkLogo, checkPipeline } from '../../../engine/pipeline/check.ts';
import { condition } from '../../../engine/pipeline/conditions.ts';
import type { OutputNaming } from '../../../engine/pipeline/output-name.ts';
import type { Outputs } from '../../../engine/pipeline/outputs.ts';
import type {
  OutputsPlan,
  OutputsResult,
  PipelinePlan,
  PipelineResult,
  Step,
} from '../../../engine/pipeline/record.ts';
import { STEP_PARAMS, type StepOp } from '../../../engine/steps/registry.ts';
import { ownBuffer, testEngine } from '../../support/engine.ts';

/** A step as sent by a client. */
export interface RawStep {
  op: string;
  when?: object;
  params?: object;
}

/** Parses steps with the default parameters. */
export function stepsOf(raw: readonly RawStep[]): Step[] {
  return raw.map(({ op, when, params = {} }) => ({
    op,
    ...(when ? { when: condition.parse(when) } : {}),
    params: STEP_PARAMS[op as StepOp].parse(params),
  })) as Step[];
}

export interface RunOptions {
  engine?: Engine;
  logo?: Uint8Array;
  filename?: string;
  maxPixels?: number;
}

export async function plan(
  image: Uint8Array,
  raw: readonly RawStep[],
  { engine, logo, filename, maxPixels = 1_000_000 }: RunOptions = {},
): Promise<PipelinePlan> {
  const params = { steps: stepsOf(raw), maxPixels };
  const file = { data: ownBuffer(image), ...(filename === undefined ? {} : { filename }) };
  const result = await (engine ?? (await testEngine())).run('pipeline-plan', {
    image: file,
    ...(logo ? { watermark: { data: ownBuffer(logo) } } : {}),
    params,
  });
  assert.deepEqual(Buffer.from(result.data), Buffer.from(image), 'the source comes back');
  return result.plan;
}

export type PipelineRun = PipelineResult & { bytes: Buffer; plan: PipelinePlan };

/** Plans and runs a pipeline, and compares the two results. */
export async function pipeline(
  image: Uint8Array,
  raw: readonly RawStep[],
  options: RunOptions = {},
): Promise<PipelineRun> {
  const steps = stepsOf(raw);
  checkPipeline(steps);
  checkLogo(steps, options.logo !== undefined);
  const planned = await plan(image, raw, options);
  const { engine, logo, filename, maxPixels = 1_000_000 } = options;
  const result = await (engine ?? (await testEngine())).run('pipeline', {
    image: { data: ownBuffer(image), ...(filename === undefined ? {} : { filename }) },
    ...(logo ? { watermark: { data: ownBuffer(logo) } } : {}),
    params: { steps, maxPixels },
  });
  const comparable = ({ index, op, reason, width, height }: PipelinePlan['steps'][number]) =>
    ({ index, op, reason, width, height }) as const;
  assert.deepEqual(
    result.steps.map(({ durationMs, ...step }) => step),
    planned.steps.map(comparable),
  );
  const { format, width, height } = planned.result;
  assert.deepEqual([result.format, result.width, result.height], [format, width, height]);
  for (const warning of planned.warnings) assert.ok(result.warnings.includes(warning), warning);
  assert.equal(
    result.ranModel,
    planned.steps.some(({ model }) => model),
  );
  return { ...result, bytes: Buffer.from(result.data), plan: planned };
}

/** Returns the reason of each step. */
export const reasons = ({ steps }: { steps: readonly Pick<PipelineResult['steps'][number], 'reason'>[] }) =>
  steps.map(({ reason }) => reason);

export type OutputsRun = OutputsResult & { plan: OutputsPlan };

/** Plans and runs a pipeline with several results, and compares the two. */
export async function runOutputs(
  image: Uint8Array,
  raw: readonly RawStep[],
  outputs: Outputs,
  { isPacked = false, ...naming }: Partial<OutputNaming> & { isPacked?: boolean } = {},
): Promise<OutputsRun> {
  const steps = stepsOf(raw);
  checkPipeline(steps, outputs);
  const engine = await testEngine();
  const input = () => ({
    image: { data: ownBuffer(image) },
    params: {
      ...{ steps, maxPixels: 1_000_000, outputs, isPacked },
      naming: { pattern: null, sourceName: 'photo.png', index: 1, time: 0, ...naming },
    },
  });
  const { plan } = await engine.run('pipeline-outputs-plan', input());
  const result = await engine.run('pipeline-outputs', input());
  const sizes = (each: readonly { format: string; width: number | null; height: number | null }[]) =>
    each.map(({ format, width, height }) => [format, width, height]);
  assert.deepEqual(sizes(result.outputs), sizes(plan.outputs));
  assert.deepEqual(reasons(result), reasons(plan));
  for (const warning of plan.warnings) assert.ok(result.warnings.includes(warning), warning);
  return { ...result, plan };
}
