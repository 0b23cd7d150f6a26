import { z } from 'zod';
import { isObject } from '../../base/object.ts';
import { describeExpectation, type ParameterSchema } from '../../base/parameter-schema.ts';
import { type Condition, condition, MAX_CONDITION_DEPTH, MAX_FORMATS } from './conditions.ts';
import { invalidValue, unknownField } from './errors.ts';

interface ConditionSchema extends ParameterSchema {
  minItems?: number;
  maxItems?: number;
}

/** Nested in an object, so that JSON Schema makes the recursive condition a definition. */
const { $defs } = z.toJSONSchema(z.object({ when: condition }), { io: 'input' });
/** The schema of each condition by name. */
const SCHEMAS = new Map(Object.entries($defs!.Condition!.properties as Record<string, ConditionSchema>));
const FIELDS = (condition as unknown as z.ZodObject<Record<string, z.ZodType>>).shape;

/**
 * Checks the condition of a step.
 * @param at path of the condition, such as `steps[0].when`
 * @param depth 1 for a condition that is not inside another
 * @throws Failure `invalid_pipeline`
 */
export function parseCondition(value: unknown, at: string, depth = 1): Condition {
  // Checked first: a client can nest conditions deeper than the stack allows.
  if (depth > MAX_CONDITION_DEPTH)
    throw invalidValue(`at most ${MAX_CONDITION_DEPTH} conditions inside each other`, at, value);
  if (!isObject(value)) throw invalidValue('an object of conditions', at, value);
  for (const [name, given] of Object.entries(value)) {
    const place = `${at}.${name}`;
    if (name === 'not') parseCondition(given, place, depth + 1);
    else if (name === 'any') parseAlternatives(given, place, depth + 1);
    else checkOne(name, given, at);
  }
  return value;
}

function parseAlternatives(value: unknown, at: string, depth: number): void {
  const { minItems = 0, maxItems = Infinity } = SCHEMAS.get('any')!;
  if (!Array.isArray(value) || value.length < minItems || value.length > maxItems)
    throw invalidValue(`a list of ${minItems} to ${maxItems} conditions`, at, value);
  for (const [index, each] of value.entries()) parseCondition(each, `${at}[${index}]`, depth);
}

function checkOne(name: string, value: unknown, at: string): void {
  const schema = SCHEMAS.get(name);
  if (!schema) throw unknownField(SCHEMAS.keys(), at, name);
  // Otherwise a list of thousands of invalid items would create thousands of messages.
  const isTooLong = Array.isArray(value) && value.length > MAX_FORMATS;
  // Uses the schema of this condition: a pipeline may have 4,000 of them, and the schema of all takes 20 times as long.
  if (!isTooLong && FIELDS[name]!.safeParse(value).success) return;
  throw invalidValue(
    schema.type === undefined ? 'a format as jpeg or a list of formats' : describeExpectation(schema),
    `${at}.${name}`,
    value,
  );
}
