/** The requirements of a task, from its name and parameters: a model, time, and memory for images. Main-thread safe. */
import type { InputFormat, OutputFormat } from '../codecs/formats/registry.ts';
import { meterOf, type OperationInput } from './operations/definition.ts';
import { type FrameUse, isAnimatedOutput } from './operations/frame-use.ts';
import { keepsPages } from './operations/kept-pages.ts';
import { type OperationName, operationNamed } from './operations/registry.ts';
import { mayRunModel } from './pipeline/model-steps.ts';
import { countOutputs } from './pipeline/outputs.ts';
import type { Step } from './pipeline/record.ts';
import { bind, isEncoding } from './pipeline/step.ts';
import { takesOneFrame } from './steps/step.ts';
import type { TaskInput, TaskName } from './task.ts';

/** Whether a task runs a pipeline. */
const isPipeline = (name: TaskName): boolean => name === 'pipeline' || name === 'pipeline-outputs';

export function needsModel<N extends TaskName>(name: N, input: TaskInput<N>): boolean {
  if (isPipeline(name)) {
    const { mayRunModel: isAllowed, params } = input as TaskInput<'pipeline'>;
    return isAllowed === true || mayRunModel(params.steps) === 'always';
  }
  const operation = operationNamed(name);
  if (!operation) return false;
  const given = input as OperationInput;
  return operation.runsModel?.(given as TaskInput<OperationName>) ?? meterOf(operation, given.params) === 'ai';
}

/** Time limit of a task, as a multiple of the ordinary limit (docs/spec/shapes.md, section 8). */
const MODEL_TIME_FACTOR = 2;
const PIPELINE_TIME_FACTOR = 4;

export function timeFactor<N extends TaskName>(name: N, input: TaskInput<N>): number {
  if (isPipeline(name)) return PIPELINE_TIME_FACTOR;
  return operationNamed(name)?.timeFactor ?? (needsModel(name, input) ? MODEL_TIME_FACTOR : 1);
}

const TEXT_TASKS: ReadonlySet<TaskName> = new Set([
  'match-paths',
  'minify-svg',
  'read-document',
  'read-sitemap',
  'judge-sizes',
]);

/** Whether the task's files are decoded to pixels. Other tasks read text, whose memory depends only on its bytes. */
export const decodesImages = (name: TaskName): boolean => !TEXT_TASKS.has(name);

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
  if (isPipeline(name)) {
    const { params } = input as TaskInput<'pipeline' | 'pipeline-outputs'>;
    return frameUseOf(params.steps, format, 'outputs' in params ? params.outputs.formats : undefined);
  }
  return operationNamed(name)?.frameUse?.((input as OperationInput).params, format) ?? 'one';
}

/** @param formats of several results */
function frameUseOf(
  steps: readonly Step[],
  format: InputFormat | undefined,
  formats: readonly OutputFormat[] | undefined,
): FrameUse {
  const certain = steps.filter(({ when }) => when === undefined);
  if (certain.some((step) => takesOneFrame(bind(step)))) return 'one';
  if (certain.some(({ op }) => op === 'gif')) return 'one after the other';
  const encoding = steps.find(isEncoding);
  const isCertain = encoding !== undefined && encoding.when === undefined;
  const written = formats ?? (isCertain ? [formatOf(encoding)] : undefined);
  return written && !written.some((output) => isAnimatedOutput(output, format)) ? 'one' : 'all';
}

/** The format that an encoding step or the parameters of an operation ask for. */
const formatOf = ({ params }: { params: object }): OutputFormat | 'auto' =>
  ('format' in params && (params.format as OutputFormat)) || 'auto';

/** The page that a request names. */
export const requestedPage = (input: TaskInput<TaskName>): number | undefined =>
  'params' in input && 'page' in input.params ? input.params.page : undefined;

/** Whether a task decodes every page of a document. */
export function decodesAllPages(
  name: TaskName,
  input: TaskInput<TaskName>,
  { format, pages }: { format: InputFormat | undefined; pages: number },
): boolean {
  if (!format || !('params' in input)) return false;
  const { params } = input;
  const isImage = name === 'pipeline' || operationNamed(name)?.output.kind === 'image';
  const encoding = 'steps' in params ? (params.steps.find(isEncoding) ?? { params: {} }) : { params };
  return isImage && keepsPages({ format, pages, animated: false }, requestedPage(input), formatOf(encoding));
}

/** Minimum size to which the results are padded, in bytes. They are held in memory until the client has received them. */
export function paddedBytes(input: TaskInput<TaskName>): number {
  if (!('params' in input)) return 0;
  const { params } = input;
  const padded = 'steps' in params ? params.steps.map((step) => step.params) : [params];
  const results = 'outputs' in params ? countOutputs(params.outputs) : 1;
  return results * Math.max(0, ...padded.map((one) => ('min_bytes' in one ? one.min_bytes : undefined) ?? 0));
}
