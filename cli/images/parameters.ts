/** Turns the declared parameters of an operation into command-line options. */
import { type Command, Option } from 'commander';
import type { z } from 'zod';
import { createDecoder } from '../../base/parameter-decoder.ts';
import { describeExpectation, type ParameterSchema, parameterSchemas } from '../../base/parameter-schema.ts';

const GROUP = 'Parameters:';

/** The flag of a parameter, with dashes between words. */
export const flagOf = (name: string): string => `--${name.replaceAll('_', '-')}`;

class ParameterOption extends Option {
  readonly parameter: string;

  constructor(parameter: string, schema: ParameterSchema) {
    super(`${flagOf(parameter)} ${placeholderOf(schema)}`, describe(schema));
    this.parameter = parameter;
    // Choices are only for shell completion: the decoder validates the value.
    if (schema.enum) this.choices(schema.enum);
    // Keep repeated values apart, so that the decoder can refuse them.
    this.argParser((value: string, earlier: unknown) => [...(Array.isArray(earlier) ? earlier : []), value]);
    this.helpGroup(GROUP);
  }
}

function placeholderOf({ type, enum: values }: ParameterSchema): string {
  if (type === 'boolean') return '[true|false]';
  if (values) return '<choice>';
  return type === 'string' ? '<text>' : `<${type}>`;
}

function describe(schema: ParameterSchema): string {
  const { description = '', default: standard, examples: [example] = [] } = schema;
  const facts = [
    describeExpectation(schema),
    ...(example === undefined || schema.enum || schema.type === 'boolean' ? [] : [`such as ${String(example)}`]),
    ...(standard === undefined ? [] : [`default ${String(standard)}`]),
  ];
  return `${description} (${facts.join('; ')})`;
}

/** The options of a command and how their values are read. */
export interface Parameters<P> {
  options: readonly Option[];
  /** Schema of each parameter by name. */
  schemas: ReadonlyMap<string, ParameterSchema>;
  /** Flags of the boolean options. Their value may be left out, which means true. */
  switches: ReadonlySet<string>;
  /**
   * Returns the typed values, with defaults.
   * @param assumed text values for parameters that were not typed
   * @throws Failure `invalid_parameter`
   */
  read(command: Command, assumed?: Readonly<Record<string, string>>): P;
}

export function parametersOf<T extends z.ZodObject>(declaration: T): Parameters<z.output<T>> {
  const decoder = createDecoder(declaration);
  const schemas = parameterSchemas(declaration);
  const options = [...schemas].map(([name, schema]) => new ParameterOption(name, schema));
  const switches = [...schemas].filter(([, { type }]) => type === 'boolean').map(([name]) => flagOf(name));
  const negations = switches.map((flag) => new Option(flag.replace('--', '--no-')).hideHelp());
  return {
    options: [...options, ...negations],
    schemas,
    switches: new Set(switches),
    read(command, assumed = {}) {
      const typed = options.flatMap((option) =>
        valuesOf(command.getOptionValue(option.attributeName())).map((value): [string, string] => [
          option.parameter,
          value,
        ]),
      );
      const given = new Set(typed.map(([name]) => name));
      const rest = Object.entries(assumed).filter(([name]) => !given.has(name));
      return decoder.complete(decoder.fromText([...typed, ...rest]));
    },
  };
}

function valuesOf(value: unknown): string[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value.map(String) : [String(value)];
}

const BOOLEAN_WORDS = new Set(['true', 'false', '1', '0']);

/**
 * Rewrites `--switch` to `--switch=true` and `--switch false` to `--switch=false`, because the argument after a switch
 * may be a file.
 */
export function joinSwitches(args: readonly string[], switches: ReadonlySet<string>): string[] {
  const end = args.indexOf('--');
  const joined: string[] = [];
  for (const [index, arg] of args.entries()) {
    const before = args[index - 1] ?? '';
    const isOption = end === -1 || index < end;
    if (isOption && BOOLEAN_WORDS.has(arg) && switches.has(before)) continue;
    const value = BOOLEAN_WORDS.has(args[index + 1] ?? '') ? args[index + 1] : 'true';
    joined.push(isOption && switches.has(arg) ? `${arg}=${value}` : arg);
  }
  return joined;
}
