/**
 * Converts text to typed parameters; no other code does. It is strict, because a
 * parameter that is silently ignored or misread costs the client more than an error:
 * unknown, repeated, empty, hexadecimal, exponential and out-of-range values are invalid.
 */
import type { z } from 'zod';
import { expected, Failure, invalidParameter } from './failure.ts';
import { describeExpectation, type ParameterSchema, parameterSchemas } from './parameter-schema.ts';
import { hintForName } from './unknown-name.ts';

/** Values of the declared types. Defaults and required parameters may still be missing. */
export type PartialParams = ReadonlyMap<string, unknown>;

export interface Decoder<P> {
  /**
   * Decodes values written as text: a query or the text parts of a multipart body.
   * @throws Failure 400 `invalid_parameter` or `invalid_url`
   */
  fromText(entries: Iterable<readonly [string, string]>): PartialParams;
  /**
   * Decodes the values of a JSON object, which already have types.
   * @throws Failure as `fromText`
   */
  fromJson(values: Readonly<Record<string, unknown>>): PartialParams;
  /**
   * Returns all parameters with their defaults. If several sources set one, the last wins.
   * @throws Failure 400 for a missing required parameter
   */
  complete(...given: PartialParams[]): P;
}

interface Parameter {
  schema: z.ZodType;
  description: ParameterSchema;
}

const INTEGER = /^-?[0-9]{1,16}$/;
const DECIMAL = /^-?[0-9]{1,16}([.][0-9]{1,16})?$/;
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/**
 * Creates the decoder of a declaration. Its parameters must have types that {@link ParameterSchema} lists.
 * @param others names of the same request that other code reads; the hint after an unknown name lists them too
 */
export function createDecoder<T extends z.ZodObject>(
  declaration: T,
  others: readonly string[] = [],
): Decoder<z.output<T>> {
  const descriptions = parameterSchemas(declaration);
  const parameters = new Map<string, Parameter>(
    Object.entries(declaration.shape).map(([name, schema]) => [
      name,
      { schema: schema as z.ZodType, description: descriptions.get(name)! },
    ]),
  );

  function decode<R>(
    entries: Iterable<readonly [string, R]>,
    toTyped: (raw: R, type: ParameterSchema['type']) => unknown,
  ): PartialParams {
    const given = new Map<string, unknown>();
    for (const [name, raw] of entries) {
      const parameter = parameters.get(name);
      if (!parameter) throw unknownParameter(name, [...others, ...parameters.keys()]);
      if (given.has(name)) throw repeatedParameter(name);
      const typed = toTyped(raw, parameter.description.type);
      // Checked before the schema, for which undefined means that the parameter was omitted.
      if (typed === undefined || isTooLong(typed, parameter.description))
        throw createInvalidParameter(name, parameter.description, raw);
      const { success, data } = parameter.schema.safeParse(typed);
      if (!success) throw createInvalidParameter(name, parameter.description, raw);
      given.set(name, data);
    }
    return given;
  }

  return {
    fromText: (entries) => decode(entries, parseTypedText),
    fromJson: (values) => decode(Object.entries(values), (value) => value),
    complete: (...sources) => {
      const given = Object.fromEntries(sources.flatMap((source) => [...source]));
      const result = declaration.safeParse(given);
      if (result.success) return result.data;
      const name = String(result.error.issues[0]?.path[0]);
      throw createInvalidParameter(name, descriptions.get(name)!, given[name]);
    },
  };
}

/** Returns undefined for text that is not a value of the type. */
function parseTypedText(text: string, type: ParameterSchema['type']): unknown {
  switch (type) {
    case 'integer':
      return INTEGER.test(text) ? Number(text) : undefined;
    case 'number':
      return DECIMAL.test(text) ? Number(text) : undefined;
    case 'boolean':
      return BOOLEANS.get(text);
    case 'string':
      return text;
    // Lists are accepted only in JSON.
    case 'array':
      return undefined;
  }
}

/** Checks lengths first, because the schema reads every item of a list and every character of a text. */
function isTooLong(value: unknown, { maxLength = Infinity, maxItems = Infinity }: ParameterSchema): boolean {
  if (typeof value === 'string') return value.length > maxLength;
  return Array.isArray(value) && value.length > maxItems;
}

function createInvalidParameter(param: string, description: ParameterSchema, received: unknown): Failure {
  const what = describeExpectation(description);
  const hints = description['x-hints'] ?? {};
  const hint = typeof received === 'string' && Object.hasOwn(hints, received) ? hints[received] : undefined;
  if (hint !== undefined) return new Failure('invalid_parameter', expected(what, param, received), { param, hint });
  if (description.format !== 'uri') return invalidParameter(what, param, received);
  // The value is not repeated: a URL may hold credentials or a signature, and messages end up in logs.
  const shown = received === undefined ? 'nothing' : 'something else';
  return new Failure('invalid_url', `Expected ${what} for ${param} but received ${shown}.`, { param });
}

const repeatedParameter = (param: string): Failure =>
  new Failure('invalid_parameter', `Expected one value for ${param} but received several.`, { param });

function unknownParameter(param: string, known: Iterable<string>): Failure {
  const message = expected('the name of a parameter', 'the request', param);
  return new Failure('invalid_parameter', message, { param, hint: hintForName(param, known) });
}
