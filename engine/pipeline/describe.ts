/** A plan as a dry run tells it. */
import type { Size } from '../steps/step.ts';
import { runsModel } from './model-steps.ts';
import type { Course } from './plan.ts';
import type { PipelinePlan, PredictedBytes } from './record.ts';

export function describeCourse(course: Course): PipelinePlan {
  const { facts, stored, steps, output, resolution } = course;
  const { header } = stored;
  const result: Size = steps.at(-1)?.after ?? header;
  return {
    source: {
      format: facts.format,
      bytes: facts.bytes,
      width: header.width,
      height: header.height,
      frames: header.frames,
      hasAlpha: header.hasAlpha,
      hasGps: facts.hasGps,
    },
    steps: steps.map(({ index, step, reason, after }) => ({
      index,
      op: step.op,
      reason,
      ...after,
      params: step.params,
      model: runsModel(step),
    })),
    result: { format: output, width: result.width, height: result.height, predicted: predictedBytes(course) },
    warnings: resolution.warnings,
  };
}

/** Of a target that decides the size, and of a source that is kept; else the source's own size. */
function predictedBytes({ facts, params }: Course): PredictedBytes {
  const { target_bytes: target } = params;
  if (target !== undefined) return { bytes: target, min: 0, max: target, basis: 'target' };
  return { bytes: facts.bytes, min: 0, max: facts.bytes, basis: 'estimate' };
}
