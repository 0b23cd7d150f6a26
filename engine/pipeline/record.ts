/** Pipelines, their plans and their results, as exchanged between threads. Types only. */
import type { ImageResult, Warning } from '../result.ts';
import type { SourceFile } from '../source-file.ts';
import type { StepOp, StepParams } from '../steps/registry.ts';
import type { SizedStep, SkipReason } from '../steps/step.ts';
import type { Condition } from './conditions.ts';
import type { OutputNaming } from './output-name.ts';
import type { Outputs } from './outputs.ts';

/** A checked step with all its parameters, defaults filled in. */
export type Step = { [O in StepOp]: { op: O; when?: Condition; params: StepParams<O> } }[StepOp];

/** The part of a pipeline that the engine needs. */
export interface PipelineParams {
  steps: readonly Step[];
  /** Maximum pixels of the source of an upscale (`upscale_pixels` of the plan). */
  maxPixels: number;
}

export interface OutputsParams extends PipelineParams {
  outputs: Outputs;
  naming: OutputNaming;
  /** Whether the files are packed into one ZIP. */
  isPacked: boolean;
}

export type PipelineInput<P extends PipelineParams = PipelineParams> = {
  image: SourceFile;
  /** For watermark steps with `logo`. */
  watermark?: SourceFile;
  params: P;
  /**
   * Set if the plan says that a model step runs on this image: for steps with conditions, the pipeline alone does not
   * say.
   */
  mayRunModel?: boolean;
};

/** A step with the decision about it. */
export interface DecidedStep extends SizedStep {
  /** From 1. */
  index: number;
  step: Step;
}

/** A step in a dry run. */
export interface PlannedStep {
  /** From 1. */
  index: number;
  op: StepOp;
  /** Why the step would be skipped; null if it would be done. */
  reason: SkipReason | null;
  /** Size of the image after the step; null if it depends on the content of the image. */
  width: number | null;
  height: number | null;
  params: object;
  /** Whether the step would run a model. */
  model: boolean;
}

export interface PredictedBytes {
  bytes: number;
  /** 80% of the true sizes are between these. */
  min: number;
  max: number;
  basis: 'exact' | 'target' | 'estimate';
}

/** A result in a dry run. */
export interface PlannedResult extends Pick<ImageResult, 'format' | 'extension'> {
  width: number | null;
  height: number | null;
  predicted: PredictedBytes;
}

/** What a dry run says of all pipelines. */
export interface PlanSummary {
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
  warnings: Warning[];
}

export interface PipelinePlan extends PlanSummary {
  result: PlannedResult;
}

/** The plan of a pipeline with several results. */
export interface OutputsPlan extends PlanSummary {
  outputs: PlannedResult[];
}

/**
 * The result of planning. Contains the source, which was transferred, so that the caller can run the pipeline on it.
 */
export interface PipelinePlanResult<P = PipelinePlan> {
  plan: P;
  data: ArrayBuffer;
}

/** A step after a run. */
export interface StepReport {
  /** From 1. */
  index: number;
  op: StepOp;
  /** Why the step was skipped; null if it was done. */
  reason: SkipReason | null;
  /** Size of the image after the step. */
  width: number;
  height: number;
  durationMs: number;
}

/** What a run says of its steps. */
export interface StepsReport {
  steps: StepReport[];
  /** Whether a step has run a model. */
  ranModel: boolean;
}

export interface PipelineResult extends ImageResult, StepsReport {}

/** One of several results, with its file unless that is packed. */
export interface OutputFile extends Omit<ImageResult, 'data' | 'source' | 'phases' | 'fingerprint'> {
  filename: string;
  bytes: number;
  data?: ArrayBuffer;
}

export interface OutputsResult extends StepsReport, Pick<ImageResult, 'source' | 'phases' | 'fingerprint'> {
  outputs: OutputFile[];
  /** The element that shows them on a page. */
  markup: string;
  /** All warnings of the results. */
  warnings: Warning[];
  /** The ZIP of all files and the markup. */
  data?: ArrayBuffer;
}
