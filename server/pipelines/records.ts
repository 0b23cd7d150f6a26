/** Pipelines and their plans as the API returns them (docs/spec/shapes.md, sections 9.1, 9.4 and 9.6). */
import { z } from 'zod';
import { described } from '../../base/described.ts';
import { MAX_STEPS } from '../../engine/pipeline/check.ts';
import { condition } from '../../engine/pipeline/conditions.ts';
import { outputsSchema } from '../../engine/pipeline/outputs.ts';
import { type Pipeline, pipelineHead } from '../../engine/pipeline/parse.ts';
import type { OutputsPlan, PipelinePlan, PlannedResult, PlanSummary } from '../../engine/pipeline/record.ts';
import { STEP_PARAMS, type StepOp } from '../../engine/steps/registry.ts';
import type { SavedPipeline } from '../../storage/records/pipelines.ts';
import type { Cost } from '../account/credits.ts';
import { count, dateTime, positive, recordFrom } from '../http/record.ts';
import { type PipelineIdentity, pipelineIdentity, skipReason, stepIndex, stepOp } from '../results/step-report.ts';
import { ZIP_FORMAT } from '../results/zip.ts';
import { contentOf } from './stored-content.ts';

/** Declares parameters as they are sent: one with a default may be missing, also where a pipeline is shown. */
function sentParams(declaration: z.ZodObject): z.ZodObject {
  const shape = Object.entries(declaration.shape as Record<string, z.ZodType>).map(([name, schema]) => [
    name,
    schema instanceof z.ZodDefault
      ? (schema.unwrap() as z.ZodType).optional().meta({ ...schema.meta(), default: schema.def.defaultValue })
      : schema,
  ]);
  return z.strictObject(Object.fromEntries(shape));
}

const stepOf = (op: StepOp) =>
  z.strictObject({
    op: z.literal(op),
    when: condition.optional(),
    params: sentParams(STEP_PARAMS[op]).optional(),
  });

const [firstOp, ...otherOps] = stepOp.options;
const step = z.discriminatedUnion('op', [stepOf(firstOp!), ...otherOps.map(stepOf)]).meta({
  id: 'Step',
  description:
    "One operation with its parameters, done when its condition holds. Hyphens in op are taken for underscores. Parameters have the names, bounds and defaults of the operation's own endpoint.",
});
const steps = z.array(step).max(MAX_STEPS).meta({ description: 'At least one, unless there are outputs.' });
const outputs = described(
  outputsSchema.nullable(),
  'Makes several results: every width in every format, as one ZIP or, with output=json, as stored results.',
);

export const pipelineSchema = pipelineHead.extend({ steps, outputs: outputs.optional() }).meta({
  id: 'Pipeline',
  description:
    'Pixel steps run in the order written; the image is decoded once and encoded once. Encoding steps (convert, compress, id_photo) come after them, and the first whose condition holds is used; with none the format is kept, at quality 75. Beside outputs, compress says everything but the format.',
});
export type PipelineRecord = z.output<typeof pipelineSchema>;

export const pipelineRecord = ({
  name,
  description,
  sent,
  outputName,
  outputs,
}: Pipeline & { name: string }): PipelineRecord => ({
  name,
  description,
  steps: sent as PipelineRecord['steps'],
  output_name: outputName,
  outputs,
});

const { description, output_name } = pipelineHead.shape;

export const savedPipelineSchema = z
  .strictObject({
    name: z.string().meta({ examples: ['shop'] }),
    version: positive('This version.', 3),
    versions: positive('Versions that are kept.', 3),
    description: description.unwrap(),
    steps,
    output_name: output_name.unwrap(),
    outputs,
    created_at: dateTime().meta({ description: 'Of the first version.' }),
    updated_at: dateTime().meta({ description: 'Of this version.' }),
  })
  .meta({ id: 'SavedPipeline' });
export type SavedPipelineRecord = z.output<typeof savedPipelineSchema>;

export function savedPipelineRecord(saved: SavedPipeline): SavedPipelineRecord {
  // Both were checked before they were saved.
  const { steps, outputs } = contentOf(saved);
  return recordFrom(savedPipelineSchema, saved, { steps: steps as SavedPipelineRecord['steps'], outputs });
}

const zeroOrOne = z.int().min(0).max(1);

const plannedResult = z
  .object({
    format: z.string().meta({ examples: ['webp'] }),
    width: positive()
      .nullable()
      .meta({ examples: [1024] }),
    height: positive()
      .nullable()
      .meta({ examples: [836] }),
    filename: z
      .string()
      .nullable()
      .meta({ description: 'null where output_name names a size that is not known.', examples: ['photo.webp'] }),
    predicted_bytes: count(undefined, 98_000),
    predicted_min_bytes: count().meta({
      description: 'In 8 of 10 cases the size is between this and predicted_max_bytes.',
      examples: [61_000],
    }),
    predicted_max_bytes: count(undefined, 150_000),
    basis: z.enum(['exact', 'target', 'estimate']).meta({
      description: 'exact: the source is kept. target: a target size decides. estimate: what such images come to.',
      examples: ['estimate'],
    }),
  })
  .meta({ id: 'PlannedResult' });

export const planSchema = z
  .object({
    dry_run: z.literal(true),
    pipeline: pipelineIdentity,
    source: z.object({
      format: z.string().meta({ examples: ['jpeg'] }),
      bytes: count(undefined, 812_345),
      width: positive('As displayed.', 2725),
      height: positive(undefined, 2225),
      frames: positive(undefined, 1),
      has_alpha: z.boolean(),
      has_gps: z.boolean().meta({ description: 'The metadata hold a position.' }),
    }),
    steps: z.array(
      z.object({
        index: stepIndex,
        op: stepOp,
        status: z.enum(['would_run', 'would_skip']),
        reason: skipReason,
        width: positive()
          .nullable()
          .meta({ description: 'After the step; null where it depends on what the image shows.', examples: [1024] }),
        height: positive()
          .nullable()
          .meta({ examples: [836] }),
        params: z.looseObject({}).meta({ description: 'As they would be used, with the defaults.' }),
        model: z.boolean().meta({ description: 'Whether it would run a model.' }),
      }),
    ),
    result: plannedResult,
    outputs: z
      .array(plannedResult)
      .optional()
      .meta({ description: 'With outputs: each of them; result is the ZIP, with the sums of their bytes.' }),
    quota: z
      .object({ requests: zeroOrOne, ai: zeroOrOne })
      .meta({ description: 'What the run would be counted as; a test key uses none.' }),
    warnings: z.array(z.string()).meta({ description: 'Those that can be known beforehand.', examples: [[]] }),
  })
  .meta({ id: 'PipelinePlan' });
export type PlanRecord = z.output<typeof planSchema>;

/** What a dry run says, in addition to what depends on the number of results. */
interface PlanFacts {
  pipeline: PipelineIdentity;
  quota: Cost;
}

/** @param filename file name of the result, if it is known */
export const planRecord = (plan: PipelinePlan, filename: string | null, facts: PlanFacts): PlanRecord =>
  describePlan(plan, { result: describeResult(plan.result, filename) }, facts);

/**
 * @param filename of the ZIP
 * @param filenames of the results, if they are known
 */
export function outputsPlanRecord(
  plan: OutputsPlan,
  filename: string,
  filenames: readonly (string | null)[],
  facts: PlanFacts,
): PlanRecord {
  const outputs = plan.outputs.map((result, at) => describeResult(result, filenames[at]!));
  const sum = (field: 'predicted_bytes' | 'predicted_min_bytes' | 'predicted_max_bytes') =>
    outputs.reduce((total, output) => total + output[field], 0);
  const result = {
    ...{ format: ZIP_FORMAT, width: null, height: null, filename },
    predicted_bytes: sum('predicted_bytes'),
    predicted_min_bytes: sum('predicted_min_bytes'),
    predicted_max_bytes: sum('predicted_max_bytes'),
    basis: 'estimate' as const,
  };
  return describePlan(plan, { result, outputs }, facts);
}

const describeResult = ({ format, width, height, predicted }: PlannedResult, filename: string | null) => ({
  ...{ format, width, height, filename },
  predicted_bytes: predicted.bytes,
  predicted_min_bytes: predicted.min,
  predicted_max_bytes: predicted.max,
  basis: predicted.basis,
});

function describePlan(
  { source, steps: planned, warnings }: PlanSummary,
  results: Pick<PlanRecord, 'result' | 'outputs'>,
  { pipeline: { name, version }, quota }: PlanFacts,
): PlanRecord {
  return {
    dry_run: true,
    pipeline: { name, version },
    source: recordFrom(planSchema.shape.source, source, {}),
    steps: planned.map(({ index, op, reason, width, height, params, model }) => ({
      index,
      op,
      status: reason === null ? 'would_run' : 'would_skip',
      reason,
      width,
      height,
      params: { ...params },
      model: model && reason === null,
    })),
    ...results,
    quota: { ...quota },
    warnings: [...warnings],
  };
}
