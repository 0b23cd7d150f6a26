/** Plans a pipeline with several results: the steps as for one result, then every width in every format. */
import type { Size } from '../../base/geometry.ts';
import type { WorkerContext } from '../context.ts';
import { keepsAnimation } from '../operations/frame-use.ts';
import type { SourceFile } from '../source-file.ts';
import { isDone, isMeasured, isSameSize } from '../steps/step.ts';
import { workerDefinition } from '../steps/worker/registry.ts';
import type { MeasureStep } from './decide.ts';
import { planOutputEncodings } from './encoding.ts';
import type { ImageEncoding } from './make-image.ts';
import { Measurement, type MeasurementOptions } from './measurement.ts';
import { outputSizes, resizeTo } from './outputs.ts';
import { checkedDecoding, type DecidedSource, decideSource, decodingFor, type ExecutionPlan } from './plan.ts';
import type { DecidedStep, OutputsParams } from './record.ts';
import { isEncoding } from './step.ts';

export interface OutputsExecutionPlan extends DecidedSource, Pick<ExecutionPlan, 'decoding' | 'begun' | 'warnings'> {
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
  options: MeasurementOptions,
): Promise<OutputsExecutionPlan> {
  const { outputs } = pipeline;
  const measurement = new Measurement(context, options);
  const measure: MeasureStep = async (step, source, expected, before) => {
    const encodings = planOutputEncodings(expected, outputs, []);
    const done = expected.filter((each) => isDone(each) && !isEncoding(each.step));
    const decoding = await decodingFor(context, source, done, encodings, { isReadAgain: true, isMeasured: true });
    return await measurement.complete(step, source, expected.slice(0, before), decoding);
  };
  const finalWidth = Math.max(...outputs.widths);
  const decided = await decideSource(context, image, { ...pipeline, measure, finalWidth });
  const { source, steps } = decided;
  const result = steps.at(-1)?.after ?? source.header;
  const sizes = outputSizes(result, outputs);
  const resizes = sizes.map((size) => resizeStep(steps, result, size));
  const encodings = planOutputEncodings(steps, outputs, sizes);
  // The encoding comes after the resize.
  const done = [...steps.filter(({ step }) => !isEncoding(step)), resizes.at(-1)!].filter(isDone);
  const planned = await checkedDecoding(context, source, done, encodings, {
    isReadAgain: true,
    isMeasured: steps.some(isMeasured),
  });
  // A decoder that resizes would return the widest result, of which the others would then be made.
  const decoding = resizes.length > 1 ? { ...planned, size: undefined } : planned;
  const begun = measurement.begunFor(source, decoding);
  return { ...decided, resizes, encodings, decoding, begun, warnings: measurement.warnings };
}

function resizeStep(steps: readonly DecidedStep[], before: Size, after: Size): DecidedStep {
  const params = resizeTo(after.width);
  return {
    ...{ index: steps.length + 1, isUnmeasured: steps.at(-1)?.isUnmeasured === true },
    ...{ step: { op: 'resize', params }, definition: workerDefinition('resize'), params, before, after },
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
