/** Turns the declared scan settings into command-line options. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { describeExpectation, type ParameterSchema, parameterSchemas } from '../../base/parameter-schema.ts';
import { scanSettingsSchema } from '../../server/sites/settings.ts';

/** Ignoring robots.txt requires proof of ownership, which belongs to an account. The command line has no account. */
const FIELDS = Object.entries(scanSettingsSchema.shape).filter(([name]) => name !== 'respect_robots');
const SCHEMAS = parameterSchemas(z.strictObject(scanSettingsSchema.shape));

const SETTINGS_GROUP = 'Settings of the scan:';

export type SettingsInput = Record<string, unknown>;

export function addSettingsOptions(command: Command): void {
  for (const [name, field] of FIELDS) command.addOption(optionOf(name, field));
}

/** The settings set by options, by their API names. */
export function settingsOf(options: Readonly<Record<string, unknown>>): SettingsInput {
  const given = FIELDS.map(([name, field]) => [name, options[optionOf(name, field).attributeName()]] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

function optionOf(name: string, field: z.ZodType): Option {
  const schema = SCHEMAS.get(name)!;
  const flag = name.replaceAll('_', '-');
  const { description = '', default: standard } = schema;
  if (schema.type === 'boolean') {
    // For a --no- option, commander sets the default true.
    const option =
      standard === true ? new Option(`--no-${flag}`, `not: ${description}`) : new Option(`--${flag}`, description);
    return option.helpGroup(SETTINGS_GROUP);
  }
  const facts = [
    describeExpectation(schema.type === 'array' ? schema.items! : schema),
    ...repetitionText(schema),
    ...shownDefault(standard),
  ];
  const placeholder = schema.enum
    ? 'choice'
    : isOfNumbers(schema)
      ? 'list'
      : schema.type === 'array'
        ? 'text'
        : schema.type;
  const option = new Option(`--${flag} <${placeholder}>`, `${description} (${facts.join('; ')})`).helpGroup(
    SETTINGS_GROUP,
  );
  // For shell completion.
  if (schema.enum) option.choices(schema.enum);
  return option.argParser((typed, before) => parsed(typed, before, field, schema));
}

/** Describes the expected value. Null is left out: it means that the option is not given. */
const expectationOf = ({ nullable: _, ...schema }: ParameterSchema): string =>
  describeExpectation(schema.items ?? schema);

const shownDefault = (value: unknown): string[] =>
  value === null || (Array.isArray(value) && value.length === 0) ? [] : [`default ${String(value)}`];

const isOfNumbers = ({ items }: ParameterSchema) => items?.type === 'integer';

/** Describes how to give several values. Only numbers are separated by commas: a pattern may contain a comma. */
function repetitionText(schema: ParameterSchema): string[] {
  if (schema.type !== 'array') return [];
  return isOfNumbers(schema) ? ['separated by commas'] : ['may be given several times'];
}

function parsed(text: string, before: unknown, field: z.ZodType, schema: ParameterSchema): unknown {
  const typed = typedValue(text, before, schema);
  // Reject undefined here: the schema would replace it by the default.
  const { success, data } = typed === undefined ? { success: false } : field.safeParse(typed);
  if (!success) throw new InvalidArgumentError(`Expected ${expectationOf(schema)}.`);
  return data;
}

function typedValue(text: string, before: unknown, schema: ParameterSchema): unknown {
  if (schema.type === 'integer') return numberOf(text);
  if (schema.type !== 'array') return text;
  return isOfNumbers(schema) ? text.split(',').map(numberOf) : [...((before as string[] | undefined) ?? []), text];
}

const numberOf = (text: string): number | undefined => (/^[0-9]{1,15}$/.test(text) ? Number(text) : undefined);
