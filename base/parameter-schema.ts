/** Describes in words what a parameter accepts. Derived from its declaration, so that each limit is stated once. */
import { z } from 'zod';

/** The part of JSON Schema that declarations of parameters use. */
export interface ParameterSchema {
  type: 'integer' | 'number' | 'boolean' | 'string' | 'array';
  /** null is accepted too. */
  nullable?: true;
  /** Schema of each item of an array. */
  items?: ParameterSchema;
  enum?: readonly string[];
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  description?: string;
  default?: unknown;
  examples?: readonly unknown[];
  /** What to do after certain values that are not accepted, by these values. */
  'x-hints'?: Readonly<Record<string, string>>;
  /** The accepted form in words, where the schema has only a pattern. */
  'x-form'?: string;
}

/** Returns the JSON Schema of each parameter of a declaration, by name. */
export function parameterSchemas(declaration: z.ZodObject): Map<string, ParameterSchema> {
  const { properties = {} } = z.toJSONSchema(declaration, { io: 'input' });
  return new Map(Object.entries(properties).map(([name, schema]) => [name, simplified(schema as WrittenSchema)]));
}

/** @param schema declares one parameter */
export const parameterSchema = (schema: z.ZodType): ParameterSchema =>
  simplified(z.toJSONSchema(schema, { io: 'input' }) as unknown as WrittenSchema);

/** JSON Schema writes "or null" as two alternatives. */
type WrittenSchema = ParameterSchema | { anyOf: readonly [ParameterSchema, { type: 'null' }] };

function simplified(schema: WrittenSchema): ParameterSchema {
  if (!('anyOf' in schema)) return schema;
  const { anyOf, ...outer } = schema;
  return { ...anyOf[0], ...outer, nullable: true };
}

/**
 * Returns text such as "an integer from 1 to 100", "one of
 * auto, jpeg" or "true or false", for "Expected … for quality".
 */
export function describeExpectation(schema: ParameterSchema): string {
  const what = describeValue(schema);
  return schema.nullable ? `${what} or null` : what;
}

function describeValue(schema: ParameterSchema): string {
  if (schema.enum) return `one of ${schema.enum.join(', ')}`;
  switch (schema.type) {
    case 'boolean':
      return 'true or false';
    case 'integer':
      return `an integer${range(schema)}`;
    case 'number':
      return `a number${range(schema)}`;
    case 'string':
      return describeText(schema);
    case 'array':
      return describeList(schema);
  }
}

function describeList({ items, maxItems }: ParameterSchema): string {
  const count = maxItems === undefined ? '' : ` of at most ${maxItems}`;
  return items ? `a list${count} whose items are each ${describeExpectation(items)}` : `a list${count}`;
}

function range({ minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER }: ParameterSchema): string {
  const bounded = { below: minimum > Number.MIN_SAFE_INTEGER, above: maximum < Number.MAX_SAFE_INTEGER };
  if (bounded.below && bounded.above) return ` from ${minimum} to ${maximum}`;
  if (bounded.below) return ` of at least ${minimum}`;
  return bounded.above ? ` of at most ${maximum}` : '';
}

function describeText({
  format,
  'x-form': form,
  pattern,
  minLength = 0,
  maxLength,
  examples,
}: ParameterSchema): string {
  if (form) return form;
  const what = format === 'uri' ? 'an http or https address' : 'text';
  // A regular expression helps nobody; the example in the declaration does.
  if (pattern && format !== 'uri') return `${what} like ${String(examples?.[0])}`;
  if (maxLength === undefined) return minLength > 0 ? `${what} of at least ${minLength} characters` : what;
  return minLength > 0
    ? `${what} of ${minLength} to ${maxLength} characters`
    : `${what} of at most ${maxLength} characters`;
}
