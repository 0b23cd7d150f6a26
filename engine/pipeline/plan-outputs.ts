/** Plans a pipeline with several results: the steps as for one result, then every width in every format. */
import type { WorkerContext } from '../context.ts';
import { keepsAnimation } from '../operations/frame-use.ts';
import type { SourceFile } from '../source-file.ts';
import { isDone, isSameSize, type Size } from '../steps/step.ts';
import { workerDefinition } from '../steps/worker/registry.ts';
import { planOutputEncodings } from './encoding.ts';
import type { ImageEncoding } from './make-image.ts';
import { outputSizes, resizeTo } from './outputs.ts';
import { type DecidedSource, decideSource, decodingFor, type ExecutionPlan } from './plan.ts';
import type { DecidedStep, OutputsParams } from './record.ts';
import { isEncoding } from './step.ts';

export interface OutputsExecutionPlan extends DecidedSource, Pick<ExecutionPlan, 'decoding'> {
  /** The resizes to the widths, narrow ones first; each of the result of the steps. */
  resizes: DecidedStep[];
  /** One for each format. */
  encodings: ImageEncoding[];
}

/** @throws Failure as for `planPipeline` */
export async function planOutputs(
  context: WorkerContext,
  image: SourceFile,
  pipeline: OutputsParams,
): Promise<OutputsExecutionPlan> {
  const { outputs } = pipeline;
  const decided = await decideSource(context, image, { ...pipeline, finalWidth: Math.max(...outputs.widths) });
  const { source, steps } = decided;
  const result = steps.at(-1)?.after ?? source.header;
  const sizes = outputSizes(result, outputs);
  const resizes = sizes.map((size) => resizeStep(steps.length + 1, result, size));
  const encodings = planOutputEncodings(steps, outputs, sizes);
  // The encoding comes after the resize.
  const done = [...steps.filter(({ step }) => !isEncoding(step)), resizes.at(-1)!].filter(isDone);
  const decoding = await decodingFor(context, source, done, encodings, { isReadAgain: true });
  // A decoder that resizes would return the widest result, of which the others would then be made.
  return { ...decided, resizes, encodings, decoding: resizes.length > 1 ? { ...decoding, size: undefined } : decoding };
}

function resizeStep(index: number, before: Size, after: Size): DecidedStep {
  const params = resizeTo(after.width);
  return {
    ...{ index, step: { op: 'resize', params }, definition: workerDefinition('resize'), params, before, after },
    reason: isSameSize(before, after) ? 'no_change' : null,
  };
}

/** The plan of one result. */
export const planOf = (plan: OutputsExecutionPlan, resize: DecidedStep, encoding: ImageEncoding): ExecutionPlan => ({
  ...plan,
  steps: [...plan.steps, resize],
  encoding: { ...encoding, kind: 'image', staysUnrasterised: false },
  // One of the other formats may keep the frames.
  decoding: {
    ...plan.decoding,
    animation: plan.decoding.animation && keepsAnimation(encoding.output, plan.source.header.format),
  },
  edit: undefined,
});
