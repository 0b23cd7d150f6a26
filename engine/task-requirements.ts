/** The requirements of a task, from its name and parameters: a model, time, and memory for images. Main-thread safe. */
import { type InputFormat, OUTPUTS, type OutputFormat } from '../codecs/formats/registry.ts';
import { mayRunModel } from './pipeline/model-steps.ts';
import type { Step } from './pipeline/record.ts';
import { isEncoding, takesOneFrame } from './pipeline/step-traits.ts';
import type { TaskInput, TaskName } from './task.ts';

type NeedsModel = { [N in TaskName]?: (input: TaskInput<N>) => boolean };

/** The tasks that may run a model, and when they do. */
const NEEDS_MODEL: NeedsModel = {
  'id-photo': ({ params }) => params.remove_background,
  'remove-background': ({ mask }) => mask === undefined,
  upscale: () => true,
  faces: () => true,
  'blur-faces': ({ params }) => params.boxes === undefined,
  ocr: () => true,
  pipeline: (input) => input.mayRunModel === true || mayRunModel(input.params.steps) === 'always',
};

export function needsModel<N extends TaskName>(name: N, input: TaskInput<N>): boolean {
  return NEEDS_MODEL[name]?.(input) ?? false;
}

/** Time limit of a task, as a multiple of the ordinary limit (docs/spec/shapes.md, section 8). */
const MODEL_TIME_FACTOR = 2;
const TIME_FACTORS: Partial<Record<TaskName, number>> = {
  gif: 4,
  pipeline: 4,
  'remove-background': MODEL_TIME_FACTOR,
};

export function timeFactor<N extends TaskName>(name: N, input: TaskInput<N>): number {
  return TIME_FACTORS[name] ?? (needsModel(name, input) ? MODEL_TIME_FACTOR : 1);
}

const TEXT_TASKS: ReadonlySet<TaskName> = new Set([
  'match-paths',
  'minify-svg',
  'read-document',
  'read-sitemap',
  'judge-sizes',
]);

/** Whether the task's files are decoded to pixels. Other tasks read text, whose memory depends only on its bytes. */
export function decodesImages(name: TaskName): boolean {
  return !TEXT_TASKS.has(name);
}

/** How an animation is decoded: only one frame, all frames in one image, or all frames but only one at a time. */
export type FrameUse = 'one' | 'all' | 'one after the other';

/**
 * How a task decodes an animation. For steps with conditions, the case that needs more memory is assumed.
 * @param format of the animation
 */
export function frameUse(
  name: TaskName,
  input: TaskInput<TaskName>,
  page: number,
  format: InputFormat | undefined,
): FrameUse {
  if (page !== 1) return 'one';
  if (name === 'gif') return 'one after the other';
  if (name === 'compress') return isAnimated((input as TaskInput<'compress'>).params.format, format) ? 'all' : 'one';
  return name === 'pipeline' ? frameUseOf((input as TaskInput<'pipeline'>).params.steps, format) : 'one';
}

function frameUseOf(steps: readonly Step[], format: InputFormat | undefined): FrameUse {
  const certain = steps.filter(({ when }) => when === undefined);
  if (certain.some(takesOneFrame)) return 'one';
  if (certain.some(({ op }) => op === 'gif')) return 'one after the other';
  const encoding = steps.find(isEncoding);
  const isCertain = encoding !== undefined && encoding.when === undefined;
  return isCertain && !isAnimated(encoding.params.format ?? 'auto', format) ? 'one' : 'all';
}

function isAnimated(output: OutputFormat | 'auto', format: InputFormat | undefined): boolean {
  const written = output === 'auto' ? format : output;
  return written !== undefined && written in OUTPUTS && OUTPUTS[written as OutputFormat].animation;
}

/** Minimum size to which the response is padded, in bytes. It is held in memory until the client has received it. */
export function paddedBytes(input: TaskInput<TaskName>): number {
  if (!('params' in input)) return 0;
  const { params } = input;
  const padded = 'steps' in params ? params.steps.map((step) => step.params) : [params];
  return Math.max(0, ...padded.map((one) => ('min_bytes' in one ? one.min_bytes : undefined) ?? 0));
}
