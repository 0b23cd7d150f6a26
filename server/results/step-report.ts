/** The description of the pipeline in the record of its result (docs/spec/shapes.md, section 9.5). */
import { z } from 'zod';
import { described } from '../../base/described.ts';
import type { StepReport } from '../../engine/pipeline/record.ts';
import { STEP_OPS } from '../../engine/steps/registry.ts';
import type { SkipReason } from '../../engine/steps/step.ts';
import { count, positive } from '../http/record.ts';

const REASONS = ['condition', 'no_change', 'earlier_encoding_used'] as const satisfies readonly SkipReason[];

export const stepIndex = positive('From 1.', 1);
export const stepOp = z.enum(STEP_OPS).meta({ id: 'StepOp', examples: ['resize'] });
export const skipReason = described(
  z.enum(REASONS).nullable(),
  'Why it is skipped: its condition does not hold, it would change nothing, or an earlier encoding step was used.',
  null,
).meta({ id: 'SkipReason' });

export const stepReport = z
  .object({
    index: stepIndex,
    op: stepOp,
    status: z.enum(['applied', 'skipped']),
    reason: skipReason,
    width: positive('Of the image after the step, in pixels.', 1024),
    height: positive(undefined, 836),
    duration_ms: count(undefined, 12),
  })
  .meta({ id: 'StepReport' });

export const pipelineIdentity = z
  .object({
    name: described(z.string().nullable(), 'null for a pipeline that came with the request.', 'shop'),
    version: described(z.int().min(1).nullable(), 'Of a saved pipeline; null for all others.', 3),
  })
  .meta({ id: 'PipelineIdentity' });
export type PipelineIdentity = z.output<typeof pipelineIdentity>;

export function describeSteps(steps: readonly StepReport[]): z.output<typeof stepReport>[] {
  return steps.map(({ index, op, reason, width, height, durationMs }) => ({
    index,
    op,
    status: reason === null ? 'applied' : 'skipped',
    reason,
    width,
    height,
    duration_ms: Math.round(durationMs),
  }));
}

/** The value of X-IC-Steps: `applied/total`. */
export const countSteps = (steps: readonly StepReport[]): string =>
  `${steps.filter(({ reason }) => reason === null).length}/${steps.length}`;
