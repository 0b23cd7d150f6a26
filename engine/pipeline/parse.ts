/**
 * Parses unknown JSON as a pipeline (docs/spec/shapes.md, sections 9.1 to 9.3). As strict as the parameters of a request: a
 * value that is ignored or misread costs the client more than an error.
 */

import { z } from 'zod';
import { described } from '../../base/described.ts';
import { expected, Failure } from '../../base/failure.ts';
import { isObject } from '../../base/object.ts';
import { createDecoder, type Decoder } from '../../base/parameter-decoder.ts';
import { describeExpectation, type ParameterSchema, parameterSchemas } from '../../base/parameter-schema.ts';
import { STEP_PARAMS, type StepOp } from '../steps/registry.ts';
import { checkPipeline, MAX_STEPS, minSteps } from './check.ts';
import type { Condition } from './conditions.ts';
import { invalidPipeline, invalidValue, unknownField } from './errors.ts';
import { DEFAULT_OUTPUTS_PATTERN, DEFAULT_PATTERN, MAX_PATTERN_LENGTH } from './output-name.ts';
import type { Outputs } from './outputs.ts';
import { parseCondition } from './parse-condition.ts';
import { parseOutputs } from './parse-outputs.ts';
import type { Step } from './record.ts';

/** Maximum characters of a pipeline in JSON text. */
export const MAX_PIPELINE_LENGTH = 64 * 1024;

/** A step as sent: without defaults, with its parameters in the order of their declaration. */
export interface StoredStep {
  op: StepOp;
  when?: Condition;
  params: Readonly<Record<string, unknown>>;
}

export interface Pipeline {
  description: string | null;
  outputName: string | null;
  /** The steps as they are stored and shown. */
  sent: readonly StoredStep[];
  /** The steps as they are executed, with defaults. */
  steps: readonly Step[];
  /** For several results. */
  outputs: Outputs | null;
}

/** The fields of a pipeline in addition to its steps. */
export const pipelineHead = z.strictObject({
  name: described(
    z.string().max(60).nullable().optional(),
    'Name of a saved pipeline or template; of no effect in a request.',
    'web',
  ),
  description: described(z.string().max(300).nullable().optional(), 'What it is for.', 'Images of the shop'),
  output_name: described(
    z.string().min(1).max(MAX_PATTERN_LENGTH).nullable().optional(),
    `Pattern of the names of results. {name} is that of the source without extension; {ext}, {format}, {width}, {height}, {index} (of the image in a job, from 1) and {date} (YYYY-MM-DD) are those of the result. Any other character outside A-Z, a-z, 0-9, ".", "_", "-" and space becomes "-". Default: ${DEFAULT_PATTERN}; beside outputs ${DEFAULT_OUTPUTS_PATTERN}.`,
    '{name}-{width}.{ext}',
  ),
});

interface Declared<P> {
  decoder: Decoder<P>;
  descriptions: ReadonlyMap<string, ParameterSchema>;
}

const declared = <T extends z.ZodObject>(declaration: T): Declared<z.output<T>> => ({
  decoder: createDecoder(declaration),
  descriptions: parameterSchemas(declaration),
});

const HEAD = declared(pipelineHead);
const OPS = new Map(Object.entries(STEP_PARAMS).map(([op, declaration]) => [op, declared<z.ZodObject>(declaration)]));

const FIELDS = [...HEAD.descriptions.keys(), 'steps', 'outputs'];
const STEP_FIELDS = ['op', 'when', 'params'];

/**
 * @throws Failure `invalid_pipeline`, whose `param` is the path of the invalid value, such as `steps[0].params.width`
 */
export function parsePipeline(value: unknown): Pipeline {
  if (!isObject(value)) throw invalidValue('an object with steps', 'pipeline', value);
  const { steps: givenSteps, outputs: givenOutputs = null, ...head } = value;
  const { description = null, output_name: outputName = null } = decode(HEAD, head, '', FIELDS);
  const outputs = givenOutputs === null ? null : parseOutputs(givenOutputs);
  const parsed = parseSteps(givenSteps, minSteps(outputs));
  const steps = parsed.map(({ step }) => step);
  checkRules(steps, outputs);
  if (outputs && outputName !== null) checkPattern(outputName, outputs);
  return { description, outputName, sent: parsed.map(({ sent }) => sent), steps, outputs };
}

/** Like {@link parsePipeline}, for a JSON value or JSON text. */
export const parsePipelineOrText = (given: unknown): Pipeline =>
  typeof given === 'string' ? parsePipelineText(given) : parsePipeline(given);

/** Like {@link parsePipeline}, for JSON text. */
export function parsePipelineText(text: string): Pipeline {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidValue('valid JSON', 'pipeline', text);
  }
  return parsePipeline(value);
}

/**
 * Names that leave out what differs would be the same for several results. With its own extension a result never has the
 * name of the markup in a ZIP.
 */
function checkPattern(pattern: string, { widths }: Outputs): void {
  const needed = [...(widths.length > 1 ? ['{width}'] : []), '{ext}'];
  const isMissing = (placeholder: string) => !pattern.replaceAll('{format}', '{ext}').includes(placeholder);
  if (needed.some(isMissing))
    throw invalidValue(`a pattern with ${needed.join(' and ')} beside outputs`, 'output_name', pattern);
}

/** Checks rules across parameters: the order of the steps, and steps that exclude or need each other. */
function checkRules(steps: readonly Step[], outputs: Outputs | null): void {
  try {
    // Whether the image for a logo is sent is checked when the pipeline is run.
    checkPipeline(steps, outputs);
  } catch (error) {
    if (error instanceof Failure && error.code !== 'invalid_pipeline')
      throw invalidPipeline(error.message, error.param ?? 'steps');
    throw error;
  }
}

interface ParsedStep {
  sent: StoredStep;
  step: Step;
}

function parseSteps(value: unknown, least: number): ParsedStep[] {
  if (!Array.isArray(value) || value.length < least || value.length > MAX_STEPS)
    throw invalidValue(`a list of ${least} to ${MAX_STEPS} steps`, 'steps', value);
  return value.map((step, index) => parseStep(step, `steps[${index}]`));
}

function parseStep(value: unknown, at: string): ParsedStep {
  if (!isObject(value)) throw invalidValue('an object with op', at, value);
  const { op: given, when: condition, params: givenParams = {} } = value;
  for (const name of Object.keys(value)) if (!STEP_FIELDS.includes(name)) throw unknownField(STEP_FIELDS, at, name);
  const op = typeof given === 'string' ? given.replaceAll('-', '_') : undefined;
  const operation = op === undefined ? undefined : OPS.get(op);
  if (!operation) throw invalidValue(`one of ${[...OPS.keys()].join(', ')}`, `${at}.op`, given);
  const place = `${at}.params`;
  if (!isObject(givenParams)) throw invalidValue('an object of parameters', place, givenParams);

  const own = withEnumText(givenParams, operation.descriptions);
  const params = decode(operation, own, place, operation.descriptions.keys());
  const sentParams = Object.fromEntries(
    [...operation.descriptions.keys()].flatMap((name) => (Object.hasOwn(own, name) ? [[name, own[name]]] : [])),
  );
  const when = condition === undefined ? {} : { when: parseCondition(condition, `${at}.when`) };
  // Both belong to the same operation, which the types of the table cannot express.
  return { sent: { op: op as StepOp, ...when, params: sentParams }, step: { op, ...when, params } as Step };
}

/** Converts numbers to text where the declaration lists texts: {"scale": 2} is "2" in a query. */
function withEnumText(params: Record<string, unknown>, descriptions: Declared<unknown>['descriptions']) {
  const entries = Object.entries(params).map(([name, value]) => [
    name,
    typeof value === 'number' && descriptions.get(name)?.enum ? String(value) : value,
  ]);
  return Object.fromEntries(entries) as Record<string, unknown>;
}

/** Checks the values of an object and adds defaults. @param known names of all fields that it may have */
function decode<P>(
  { decoder, descriptions }: Declared<P>,
  values: Record<string, unknown>,
  at: string,
  known: Iterable<string>,
): P {
  try {
    return decoder.complete(decoder.fromJson(values));
  } catch (error) {
    if (!(error instanceof Failure) || error.param === undefined) throw error;
    const { param, hint } = error;
    const description = descriptions.get(param);
    if (!description) throw unknownField(known, at, param);
    const place = at ? `${at}.${param}` : param;
    throw invalidPipeline(expected(describeExpectation(description), place, values[param]), place, hint);
  }
}
