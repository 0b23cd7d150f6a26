/** Steps of pipelines and their definitions. Main-thread safe. */
import { STEPS } from '../steps/registry.ts';
import type { BoundStep } from '../steps/step.ts';
import type { Step } from './record.ts';

/** A step with its definition, without the parts that only workers load. */
export const bind = ({ op, params }: Step): BoundStep => ({ definition: STEPS[op], params });

/** Whether a step determines how the result is written. */
export const isEncoding = ({ op }: Step): boolean => STEPS[op].isEncoding === true;
