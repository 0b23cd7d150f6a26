/** What a step is: one object with its parameters, its properties and its execution. Main-thread safe. */

import type { z } from 'zod';
import type { described } from '../../base/described.ts';
import type { Box, Size } from '../../base/geometry.ts';
import type { DecodedImage } from '../../codecs/decoded-image.ts';
import type { OutputFormat } from '../../codecs/formats/registry.ts';
import type { Turn } from '../../codecs/jpeg/requantize.ts';
import type { Modules } from '../../codecs/modules.ts';
import type { OpenedImage, Source } from '../../codecs/source.ts';
import type { Image, VipsApi } from '../../codecs/vips.ts';
import type { ModelPurpose } from '../../models/catalogue.ts';
import type { WorkerContext } from '../context.ts';
import type * as parameters from '../operations/parameters.ts';
import type { ImageResult, Warning } from '../result.ts';
import type { SourceFile } from '../source-file.ts';

/** What drawing on one frame needs. */
export interface StepContext {
  vips: VipsApi;
  modules: Modules;
  /** Whether the result can have transparency; otherwise `background` is painted instead. */
  transparent: boolean;
  /** `#rrggbb` */
  background: string;
}

/** The building blocks of parameters. They are passed in, so that workers need not load zod (4 MB of heap in each). */
export type Declare = typeof parameters & { z: typeof z; described: typeof described };

type Shape = Readonly<Record<string, z.ZodType>>;

/** The values of declared parameters. */
export type ParamsOf<D extends (declare: Declare) => Shape> = z.output<z.ZodObject<ReturnType<D>>>;

/** The groups in which lists show the steps, in order. */
export const STEP_GROUPS = ['Size and shape', 'Look', 'With a model', 'Animation', 'File'] as const;

/** What lists show of a step. */
export interface StepLabel {
  name: string;
  /** What it does, in one sentence. */
  hint: string;
  group: (typeof STEP_GROUPS)[number];
  /** Its position in the group, from 1. */
  place: number;
}

export interface EffectContext {
  context: WorkerContext;
  source: Source;
  /** Maximum pixels of the source of an upscale. */
  maxPixels: number;
  /** Canvas of the last resize before, if its padding is a step of its own. */
  canvas: Size | undefined;
}

/** The effect of a step on the image size. */
export interface Effect {
  size: Size;
  /** Whether it changes anything, even if the size stays the same. */
  changes: boolean;
  /** The canvas to pad to, if the padding is a step of its own. */
  canvas?: Size;
}

export interface ApplyContext {
  context: WorkerContext;
  /** Planned size; the image may be smaller if its decoder has shrunk it. */
  before: Size;
  /** Planned size of the result. */
  after: Size;
  /** Decodes the logo that came with the request; undefined if none did. */
  logo: (() => Promise<Image>) | undefined;
}

export interface StepResult {
  image: DecodedImage;
  warnings: Warning[];
}

/** The parameters of a step with what only the pixels say. */
export interface Measured<P> {
  params: P;
  warnings: Warning[];
}

/** A property of a step: always the same, or following from its parameters. */
type Property<P> = boolean | ((params: P) => boolean);

/** What a step does to the coefficients of a JPEG: cuts to an area, then turns. */
export interface CoefficientChange {
  area?: Box | undefined;
  turn?: Turn;
}

/** The resolution that the result records. */
export interface Resolution {
  /** In dots per inch; undefined if the request gives none. */
  dpi: number | undefined;
  warnings: Warning[];
}

/** A vector source that is rendered at the size that a step asks for, instead of resampled. */
export interface Rendering<P> {
  /** The factor for the sides of the source, smaller or larger. */
  scale: number;
  /** The parameters with which the step does the rest. */
  params: P;
}

/** The frames that a step makes of a source, planned from its header. */
export interface FrameEdit {
  /** Whether all frames of the source are decoded, not only one. */
  animation: boolean;
  sequential: boolean;
  /** Number of frames of the result. */
  count: number;
  /** The size of the part of each frame that is used, and the size to which it is scaled. */
  cropped: Size;
  scaled: Size;
  /** Decodes the source and makes the frames in memory. @param isStill whether only the first is needed */
  make(tolerant: boolean, isStill: boolean): Promise<{ opened: OpenedImage; image: DecodedImage }>;
}

/** How a step writes the file itself, instead of as compress does. Main-thread safe. */
export interface OwnFile<P> {
  format(params: P): OutputFormat;
  /** Whether every pixel is kept. Default: no. */
  isLossless?(params: P): boolean;
  /** Whether transparency is always painted over. */
  isOpaque?: true;
  /** Bounds of the file size. */
  bytes?(params: P): { min: number | undefined; max: number | undefined };
  /** What it warns of that the size of the image before it says. */
  warnings?(params: P, before: Size): Warning[];
}

/** What a step writes its file from. */
export interface FileJob {
  context: WorkerContext;
  image: SourceFile;
  /** The unchanged source. */
  stored: Source;
  /** The page that the request names. */
  page: number | undefined;
  /** Accept a file that ends early. */
  tolerant: boolean;
  /** When the work began. */
  started: number;
  /** Planned size of the image before the step. */
  before: Size;
  /** The image before the step; undefined if no step has changed it, so that the step decodes it as it needs it. */
  edited: { image: DecodedImage; opened: OpenedImage; warnings: readonly Warning[]; decodedAt: number } | undefined;
}

export interface StepDefinition<P> {
  /**
   * Checks rules that the declarations of single parameters cannot express.
   * @throws Failure whose `param` is a parameter of the step
   */
  check?(params: P): void;
  /**
   * The parameters that make the step do something: a pipeline in which all of them have their default is refused.
   * Steps without it always do something.
   */
  needsOneOf?: readonly (keyof P & string)[];
  /**
   * Completes the parameters with what only the pixels before the step say. Until then its effect on the size is not
   * known: `effect` returns the largest size.
   * @param open returns the image before the step. If its rows can be read only once, each call decodes them again.
   */
  measure?(params: P, open: () => Promise<DecodedImage>, context: WorkerContext): Promise<Measured<P>>;
  /**
   * Computes the size after the step, without pixels.
   * @throws Failure `invalid_parameter` for an area outside the image, `image_too_large` for an image that the step does
   * not accept
   */
  effect(params: P, before: Size, context: EffectContext): Effect;
  /**
   * Changes the pixels. Steps without it change no pixels, or determine the frames or the encoding of the result.
   * @param image in memory if the step reads it more than once
   */
  apply?(image: DecodedImage, params: P, context: ApplyContext): DecodedImage | Promise<StepResult>;

  /** Whether it changes pixels of this image. Default: if it has `apply`. */
  changesPixels?(params: P, before: Size, after: Size): boolean;
  /** The same change on the coefficients of a JPEG, without decoding; undefined if it needs the pixels. */
  onCoefficients?(params: P, before: Size, after: Size): CoefficientChange | undefined;
  /**
   * The area of the image before that is still shown, before any turn, in its pixels. Undefined if that depends on the
   * pixels. Only for steps that keep the colours. Default: all of it.
   */
  shownArea?(params: P, before: Size, after: Size): Box | undefined;
  /** Whether it determines how the result is written. Then it has `encoding` or `file`. */
  isEncoding?: true;
  /** The parameters of compress that encode the result; others have their defaults. */
  encoding?(params: P): object;
  /** The parameters of compress that it sets for encoding steps that do not. */
  encodingDefaults?(params: P): object;
  /** Whether it gives the settings of several results. */
  encodesOutputs?: true;
  /** How it writes the file itself. An encoding step follows, or it is used without one. */
  file?: OwnFile<P>;
  /** Writes the file itself. @throws Failure of decoding and encoding */
  writeFile?(params: P, job: FileJob): Promise<ImageResult>;
  /** Plans the frames that it makes of the source. @throws Failure `image_too_large`, `invalid_parameter` */
  editFrames?(params: P, source: Source, context: WorkerContext): FrameEdit;
  /** Whether it must be the last step. */
  isLast?: true;
  /** Whether no other step may change pixels. */
  isOnlyPixelStep?: true;
  /** Whether it never changes pixels, so that its place among the other steps has no effect. */
  keepsPixels?: true;
  /** Whether it draws the image that came with the request. */
  drawsLogo?(params: P): boolean;
  /** The resolution that the result records; without `dpi`, that of an earlier step. */
  resolution?(params: P, before: Size, after: Size): Resolution;
  /** How a vector source is rendered for it. */
  renders?(params: P, before: Size): Rendering<P>;
  /** The models that it runs. Default: none. */
  models?(params: P): readonly ModelPurpose[];
  /**
   * Whether it keeps the colours: moves or resamples pixels, but paints none and changes none. All others get sRGB instead
   * of PQ, HLG, wide gamuts without a profile, and profiles of grey.
   */
  keepsColours?: Property<P>;
  /** Whether it takes a single image: of an animation, the first frame. Steps with a model do. */
  takesOneFrame?: true;
  /** Whether it needs 8-bit samples in sRGB or grey. Steps that take one frame do. */
  needsPlainSamples?: true;
  /** Whether it also accepts 16-bit samples, if it needs plain ones. */
  acceptsDepth?: true;
  /** Whether it reads the whole image before it changes any of it. Steps that need plain samples do. */
  readsTwice?: Property<P>;
  /** Whether it reads rows in the order in which a decoder delivers them. Default: unless it reads twice. */
  readsRowsInOrder?: Property<P>;
  /** Whether it has the same effect on a smaller version of the image. */
  isScaleIndependent?: Property<P>;
  /** The size that a decoder may return instead, if the step scales the image. */
  decodesSmaller?(params: P, before: Size): Size;
  /** Whether it swaps width and height. */
  swapsSides?(params: P): boolean;
  /** Whether a vector source can still be rendered at another size after it. Default: if it is independent of scale. */
  keepsVector?: Property<P>;
  /** Whether it may make parts of an opaque image transparent. */
  canAddTransparency?: Property<P>;
  /** Whether it draws over the image, not around it, so that its transparency stays the same. */
  keepsAlpha?: true;
  /** Whether the transparency of its result does not depend on that of the source. */
  replacesAlpha?: true;
  /** An image with the same transparency as its result, if that is known without running its model. */
  placeholder?(frame: Image, params: P, context: WorkerContext, after: Size): Image;
  /**
   * For the prediction of bytes: by how much it scales the number of pixels, and which share of them still shows the
   * source. Default: 1 for both.
   */
  visible?(params: P, before: Size, after: Size): { scale?: number; kept?: number };
}

/** A step that pipelines offer. */
export interface PipelineStep<S extends Shape> extends StepDefinition<z.output<z.ZodObject<S>>> {
  label: StepLabel;
  /** Declares the parameters. Each has a description and an example. */
  params(declare: Declare): S;
}

// The properties of a step are called only with its own parameters, which a list of several steps cannot express.
// biome-ignore lint/suspicious/noExplicitAny: see above
export type AnyStep = StepDefinition<any>;

/** Declares a step that pipelines offer. List it in registry.ts. */
export const defineStep = <S extends Shape>(step: PipelineStep<S>): PipelineStep<S> => step;

/** A step with its parameters. */
export interface BoundStep {
  definition: AnyStep;
  params: unknown;
}

export const bindStep = <P>(definition: StepDefinition<P>, params: P): BoundStep => ({ definition, params });

export type SkipReason = 'condition' | 'no_change' | 'earlier_encoding_used';

/** A step with the decision about it, made before any pixel is decoded. */
export interface SizedStep extends BoundStep {
  /** Why the step is skipped; null if it is done. */
  reason: SkipReason | null;
  /** Size of the image before and after the step. */
  before: Size;
  after: Size;
  /** Whether the sizes depend on pixels that were not measured. They are the largest ones that are possible. */
  isUnmeasured?: boolean;
}

export const isDone = ({ reason }: Pick<SizedStep, 'reason'>): boolean => reason === null;

/** Whether a step has measured the image, even if it then changes nothing. */
export const isMeasured = ({ definition, reason }: Pick<SizedStep, 'definition' | 'reason'>): boolean =>
  definition.measure !== undefined && reason !== 'condition';

export const editsFrames = (step: Pick<SizedStep, 'definition' | 'reason'>): boolean =>
  isDone(step) && step.definition.editFrames !== undefined;

/** Whether a step changes pixels of this image when it is done. */
export const changesPixels = ({ definition, params, before, after }: SizedStep): boolean =>
  definition.apply !== undefined && (definition.changesPixels?.(params, before, after) ?? true);

const holds = (property: Property<unknown> | undefined, params: unknown): boolean =>
  typeof property === 'function' ? property(params) : property === true;

export const modelsOf = ({ definition, params }: BoundStep): readonly ModelPurpose[] =>
  definition.models?.(params) ?? [];
export const takesOneFrame = (step: BoundStep): boolean =>
  step.definition.takesOneFrame === true || modelsOf(step).length > 0;
/** Steps without `apply` change no pixels. */
export const changesColours = ({ definition, params }: BoundStep): boolean =>
  definition.apply !== undefined && !holds(definition.keepsColours, params);
export const needsPlainSamples = (step: BoundStep): boolean =>
  step.definition.needsPlainSamples === true || takesOneFrame(step);

export const readsTwice = (step: BoundStep): boolean =>
  holds(step.definition.readsTwice, step.params) || needsPlainSamples(step);

export function readsRowsInOrder(step: BoundStep): boolean {
  const { readsRowsInOrder: own } = step.definition;
  return own === undefined ? !readsTwice(step) : holds(own, step.params);
}

export const isScaleIndependent = ({ definition, params }: BoundStep): boolean =>
  holds(definition.isScaleIndependent, params);

export function keepsVector(step: BoundStep): boolean {
  const { keepsVector: own } = step.definition;
  return own === undefined ? isScaleIndependent(step) : holds(own, step.params);
}

export const canAddTransparency = ({ definition, params }: BoundStep): boolean =>
  holds(definition.canAddTransparency, params);

export const isSameSize = (one: Size, other: Size): boolean => one.width === other.width && one.height === other.height;

export const sameSize = ({ width, height }: Size, changes: boolean): Effect => ({ size: { width, height }, changes });

export const unlessSame = ({ width, height }: Size, before: Size): Effect => ({
  size: { width, height },
  changes: !isSameSize({ width, height }, before),
});

export const areaOf = ({ width, height }: Size): number => width * height;

/**
 * New area gets the step's own colour; otherwise it stays transparent until the encoding flattens it, if the format has
 * no alpha.
 */
export const paint = ({ context }: ApplyContext, background?: string): StepContext => ({
  ...context,
  transparent: background === undefined,
  background: background ?? '',
});
