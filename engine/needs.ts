/** What a task needs, as far as its name and its parameters tell: a model, time, and room for pictures. Main-thread safe. */
import { mayRunModel } from './pipeline/model-steps.ts';
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

/** Time that a task may take, as a multiple of the ordinary limit (spec/shapes.md, section 8). */
const MODEL_TIME_FACTOR = 2;
const TIME_FACTORS: Partial<Record<TaskName, number>> = {
  gif: 4,
  pipeline: 4,
  'remove-background': MODEL_TIME_FACTOR,
};

export function timeFactor<N extends TaskName>(name: N, input: TaskInput<N>): number {
  return TIME_FACTORS[name] ?? (needsModel(name, input) ? MODEL_TIME_FACTOR : 1);
}

const TEXT_TASKS: ReadonlySet<TaskName> = new Set(['match-paths', 'minify-svg', 'read-document', 'read-sitemap']);

/** Whether its files are decoded to pixels; the others hold text, which takes room by its bytes alone. */
export function decodesPictures(name: TaskName): boolean {
  return !TEXT_TASKS.has(name);
}

/** Bytes that the answer is padded to at least: they are held until the client has taken it. */
export function paddedBytes(input: TaskInput<TaskName>): number {
  if (!('params' in input)) return 0;
  const { params } = input;
  const padded = 'steps' in params ? params.steps.map((step) => step.params) : [params];
  return Math.max(0, ...padded.map((one) => ('min_bytes' in one ? one.min_bytes : undefined) ?? 0));
}
