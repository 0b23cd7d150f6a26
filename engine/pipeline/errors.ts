import { expected, Failure, failureAt } from '../../base/failure.ts';
import { hintForName } from '../../base/unknown-name.ts';
import { STEP_PARAMS } from '../steps/registry.ts';
import type { Step } from './record.ts';

/** 400: not a pipeline, or steps in an invalid order. `param` gives the position, as in `steps[2].params.width`. */
export const invalidPipeline = (message: string, param: string, hint?: string): Failure =>
  new Failure('invalid_pipeline', message, { param, ...(hint === undefined ? {} : { hint }) });

/** 400: a value of a pipeline is invalid. @param at path of the value, such as `steps[0].params.width` */
export const invalidValue = (what: string, at: string, received: unknown): Failure =>
  invalidPipeline(expected(what, at, received), at);

/** 400: an object of a pipeline has an unknown field. @param at path of the object; empty for the pipeline itself */
export function unknownField(known: Iterable<string>, at: string, name: string): Failure {
  const names = [...known];
  const message = expected(`one of ${names.join(', ')}`, `the name of a field of ${at || 'pipeline'}`, name);
  return invalidPipeline(message, at ? `${at}.${name}` : name, hintForName(name, names));
}

/** The same failure with a message that names the step. @param index from 1 */
export function failureInStep({ op }: Step, index: number, failure: Failure): Failure {
  const { param } = failure;
  const isOfStep = param !== undefined && Object.hasOwn(STEP_PARAMS[op].shape, param);
  return failureAt(`in step ${index} (${op})`, failure, isOfStep ? `steps[${index - 1}].params.${param}` : param);
}

/** Runs the work of a step. @throws Failure that names the step */
export async function inStep<R>(step: Step, index: number, work: () => R | Promise<R>): Promise<R> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof Failure ? failureInStep(step, index, error) : error;
  }
}
