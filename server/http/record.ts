/** Fields that records of the API have in common, and records made from what the database has. */
import { z } from 'zod';

/** A date and time in a record, in UTC. */
export const dateTime = () => z.string().meta({ format: 'date-time' });

export const count = (description?: string, example?: number) => wholeNumber(0, description, example);

/** A whole number from 1. */
export const positive = (description?: string, example?: number) => wholeNumber(1, description, example);

const wholeNumber = (min: number, description: string | undefined, example: number | undefined) =>
  z
    .int()
    .min(min)
    .meta({ ...(description !== undefined && { description }), ...(example !== undefined && { examples: [example] }) });

type CamelCase<Name extends string> = Name extends `${infer Word}_${infer Rest}`
  ? `${Word}${Capitalize<CamelCase<Rest>>}`
  : Name;

type InCamelCase<Fields> = { readonly [Name in keyof Fields & string as CamelCase<Name>]: Fields[Name] };

/** The names of the fields of a schema, each with its name in camelCase. */
const fieldNames = new WeakMap<z.ZodObject, [name: string, inCamelCase: string][]>();

function namesOf(schema: z.ZodObject): [string, string][] {
  let names = fieldNames.get(schema);
  if (!names) {
    names = Object.keys(schema.shape).map((name) => [
      name,
      name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
    ]);
    fieldNames.set(schema, names);
  }
  return names;
}

/**
 * Makes a record. Its fields have the order of the schema.
 * @param source has the fields in camelCase
 * @param own fields that the source does not have, or has in another form
 */
export function recordFrom<S extends z.ZodObject, Own extends keyof z.output<S> = never>(
  schema: S,
  source: InCamelCase<Omit<z.output<S>, Own>>,
  own: Pick<z.output<S>, Own>,
): z.output<S> {
  const record: Record<string, unknown> = {};
  const others: Readonly<Record<string, unknown>> = source;
  for (const [name, inCamelCase] of namesOf(schema))
    record[name] = name in own ? own[name as Own] : others[inCamelCase];
  return record as z.output<S>;
}
