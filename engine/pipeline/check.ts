/** Checks rules of a pipeline that declarations of single parameters cannot express. Main-thread safe. */
import { expected, Failure, invalidParameter } from '../../base/failure.ts';
import { OUTPUTS } from '../../codecs/formats/registry.ts';
import { encodingParamsOf } from '../steps/encoding.ts';
import { STEP_OPS, STEP_PARAMS, STEPS, type StepOp } from '../steps/registry.ts';
import type { AnyStep } from '../steps/step.ts';
import { type Condition, MAX_CONDITION_DEPTH } from './conditions.ts';
import { failureInStep, invalidPipeline } from './errors.ts';
import { countOutputs, MAX_OUTPUTS, type Outputs } from './outputs.ts';
import type { Step } from './record.ts';
import { bind, isEncoding } from './step.ts';

export const MAX_STEPS = 20;

const ALTERNATIVES = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** Several results may be all that a pipeline makes. */
export const minSteps = (outputs: Outputs | null): number => (outputs ? 0 : 1);

/**
 * @throws Failure `invalid_pipeline`, or for the parameters of one step `invalid_parameter`, `conflicting_parameters`
 * and `preset_not_found`; `param` gives the position, as in `steps[2].params.width`
 */
export function checkPipeline(steps: readonly Step[], outputs: Outputs | null = null): void {
  const least = minSteps(outputs);
  if (steps.length < least || steps.length > MAX_STEPS)
    throw invalidPipeline(expected(`${least} to ${MAX_STEPS} steps`, 'steps', steps.length), 'steps');
  checkOrder(steps);
  if (outputs) checkOutputs(steps, outputs);
  for (const [at, step] of steps.entries()) {
    if (step.when) checkDepth(step.when, at);
    checkDoesSomething(step, at);
    try {
      STEPS[step.op].check?.(step.params);
    } catch (error) {
      throw error instanceof Failure ? failureInStep(step, at + 1, error) : error;
    }
  }
}

/** The mode of the step that encodes every image. */
function modeOf(steps: readonly Step[]): string | undefined {
  const step = steps.find(({ op, when }) => STEPS[op].encodesOutputs && when === undefined);
  return step && encodingParamsOf(bind(step), []).mode;
}

/** The formats and widths of several results are theirs alone. */
function checkOutputs(steps: readonly Step[], outputs: Outputs): void {
  const { formats, mode = modeOf(steps) } = outputs;
  if (countOutputs(outputs) > MAX_OUTPUTS) {
    throw invalidPipeline(
      expected(`at most ${MAX_OUTPUTS} results, widths times formats,`, 'outputs', countOutputs(outputs)),
      'outputs',
    );
  }
  const lossy = mode === 'lossless' ? formats.find((format) => !OUTPUTS[format].lossless) : undefined;
  if (lossy)
    throw invalidPipeline(
      expected('formats that can be lossless with mode lossless', 'outputs.formats', lossy),
      'outputs.formats',
    );
  const encoders = opsWith(({ encodesOutputs }) => encodesOutputs);
  const hint = `outputs says which formats are written; ${encoders} gives their other settings.`;
  for (const [at, step] of steps.entries()) {
    const { encodesOutputs, isEncoding, file } = STEPS[step.op];
    if (!encodesOutputs && (isEncoding || file))
      throw conflict(at, 'op', `${encoders} as the only encoding step beside outputs`, step.op, hint);
    const format = encodesOutputs && encodingParamsOf(bind(step), []).format;
    if (format && format !== 'auto') throw conflict(at, 'params.format', 'no format beside outputs', format, hint);
  }
}

function conflict(at: number, field: string, what: string, received: string, hint: string): Failure {
  const param = fieldPath(at, field);
  return invalidPipeline(expected(what, param, received), param, hint);
}

/** Refuses a step that would change nothing of any image: a typing error, or a parameter that was forgotten. */
function checkDoesSomething({ op, params }: Step, at: number): void {
  const { needsOneOf } = STEPS[op];
  if (!needsOneOf) return;
  const values: Readonly<Record<string, unknown>> = params;
  const defaults: Readonly<Record<string, unknown>> = STEP_PARAMS[op].parse({});
  if (needsOneOf.some((name) => values[name] !== defaults[name])) return;
  const param = fieldPath(at, 'params');
  const names = needsOneOf.length === 1 ? needsOneOf[0] : `at least one of ${needsOneOf.join(', ')}`;
  throw invalidPipeline(
    `Expected parameters with which ${op} changes the image for ${param} but received none.`,
    param,
    `Set ${names}, or remove the step.`,
  );
}

const LOGO_PART = 'watermark_image';

/** Further images that a pipeline accepts, with their descriptions. */
export const PIPELINE_IMAGES = { watermark_image: 'A logo for watermark steps with `logo`.' };

/**
 * @param sent whether there is a form part `watermark_image`
 * @throws Failure `invalid_pipeline` if a step draws a logo that was not sent, `invalid_parameter` if no step draws the
 * one sent
 */
export function checkLogo(steps: readonly Step[], sent: boolean): void {
  const at = steps.findIndex(({ op, params }) => STEPS[op].drawsLogo?.(params));
  if (at !== -1 && !sent) {
    const param = fieldPath(at, 'params.logo');
    throw invalidPipeline(`Expected the image ${LOGO_PART} for ${param} but received nothing.`, param);
  }
  if (at === -1 && sent)
    throw invalidParameter(`a ${opsWith(({ drawsLogo }) => drawsLogo)} step with logo`, LOGO_PART, 'none');
}

/** Names the steps that have a property, those that must be last at the end. */
function opsWith(property: (step: AnyStep) => unknown): string {
  const ops = STEP_OPS.filter((op) => property(STEPS[op]));
  const isLast = (op: StepOp) => Number(STEPS[op].isLast ?? false);
  return ALTERNATIVES.format(ops.sort((one, other) => isLast(one) - isLast(other)));
}

const fieldPath = (at: number, field: string) => `steps[${at}].${field}`;

function wrongOrder(step: Step, at: number, what: string): Failure {
  const param = fieldPath(at, 'op');
  return invalidPipeline(expected(what, param, step.op), param);
}

function checkOrder(steps: readonly Step[]): void {
  const worksOnPixels = ({ op }: Step) => !STEPS[op].isEncoding && !STEPS[op].keepsPixels;
  const firstEncoding = steps.findIndex(isEncoding);
  for (const [at, step] of steps.entries()) {
    if (worksOnPixels(step) && firstEncoding !== -1 && at > firstEncoding)
      throw wrongOrder(step, at, `no step that changes pixels after ${opsWith(({ isEncoding }) => isEncoding)}`);
    const { isLast, isOnlyPixelStep } = STEPS[step.op];
    if (isLast && at !== steps.length - 1) throw wrongOrder(step, at, `${step.op} as the last step only`);
    if (isOnlyPixelStep && steps.some((other) => other !== step && worksOnPixels(other)))
      throw wrongOrder(step, at, `${step.op} as the only step that changes pixels`);
  }
}

/** JSON Schema cannot limit the depth of a recursive schema. */
function checkDepth(condition: Condition, at: number): void {
  const depth = depthOf(condition);
  if (depth <= MAX_CONDITION_DEPTH) return;
  const param = fieldPath(at, 'when');
  throw invalidPipeline(expected(`at most ${MAX_CONDITION_DEPTH} conditions inside each other`, param, depth), param);
}

function depthOf({ any = [], not }: Condition): number {
  const inner = [...any, ...(not ? [not] : [])].map(depthOf);
  return 1 + Math.max(0, ...inner);
}
