/** Pipelines, their plans and what they have done, as they pass between the threads. Types only. */
import type { ImageResult, Warning } from '../result.ts';
import type { SourceFile } from '../source-file.ts';
import type { Size } from '../steps/step.ts';
import type { Condition } from './conditions.ts';
import type { StepOp, StepParams } from './ops.ts';

/** A step with all its parameters, checked, defaults filled in. */
export type Step = { [O in StepOp]: { op: O; when?: Condition; params: StepParams<O> } }[StepOp];

/** What the engine needs of a pipeline. */
export interface PipelineParams {
  steps: readonly Step[];
  /** Most that the source of an upscale may have (`upscale_pixels` of the plan). */
  maxPixels: number;
}

export type PipelineInput = {
  image: SourceFile;
  /** For watermark steps with `logo`. */
  watermark?: SourceFile;
  params: PipelineParams;
  /** A model step runs with this picture, as its plan says: of steps with conditions the pipeline alone does not tell. */
  mayRunModel?: boolean;
};

export type SkipReason = 'condition' | 'no_change' | 'earlier_encoding_used';

/** A step with what has been decided about it. */
export interface DecidedStep {
  /** From 1. */
  index: number;
  step: Step;
  /** Why it is not done; null when it is. */
  reason: SkipReason | null;
  /** Of the picture before and after it. */
  before: Size;
  after: Size;
}

/** A step as it would be done. */
export interface PlannedStep {
  /** From 1. */
  index: number;
  op: StepOp;
  /** Why it would not be done; null when it would. */
  reason: SkipReason | null;
  /** Of the picture after the step; null where it depends on what the picture shows. */
  width: number | null;
  height: number | null;
  params: object;
  /** Whether the step would run a model. */
  model: boolean;
}

export interface PredictedBytes {
  bytes: number;
  /** 80 % of the true sizes lie between these. */
  min: number;
  max: number;
  basis: 'exact' | 'target' | 'estimate';
}

export interface PipelinePlan {
  source: {
    format: ImageResult['source']['format'];
    bytes: number;
    /** As displayed. */
    width: number;
    height: number;
    frames: number;
    hasAlpha: boolean;
    hasGps: boolean;
  };
  steps: PlannedStep[];
  result: Pick<ImageResult, 'format' | 'extension'> & {
    width: number | null;
    height: number | null;
    predicted: PredictedBytes;
  };
  warnings: Warning[];
}

/** The answer to a plan: with the source, which was transferred, for whoever goes on to run it. */
export interface PipelinePlanResult {
  plan: PipelinePlan;
  data: ArrayBuffer;
}

/** A step as it was done. */
export interface StepReport {
  /** From 1. */
  index: number;
  op: StepOp;
  /** Why it was not done; null when it was. */
  reason: SkipReason | null;
  /** Of the picture after the step. */
  width: number;
  height: number;
  durationMs: number;
}

export interface PipelineResult extends ImageResult {
  steps: StepReport[];
  /** Whether a step has run a model. */
  ranModel: boolean;
}
