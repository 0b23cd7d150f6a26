/** The parameters of an operation as options of its command, made from their declaration. */
import { type Command, Option } from 'commander';
import type { z } from 'zod';
import { describeExpectation, type ParameterSchema, parameterSchemas } from '../../http/expectation.ts';
import { createDecoder } from '../../http/query.ts';

const GROUP = 'Parameters:';

/** As it is typed: words are separated by dashes. */
export const flagOf = (name: string): string => `--${name.replaceAll('_', '-')}`;

class ParameterOption extends Option {
  readonly parameter: string;

  constructor(parameter: string, schema: ParameterSchema) {
    super(`${flagOf(parameter)} ${placeholderOf(schema)}`, describe(schema));
    this.parameter = parameter;
    // For the completion of shells: the decoder is what checks.
    if (schema.enum) this.choices(schema.enum);
    // Repeated values stay apart, so that the decoder sees and refuses them.
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

/** Options of a command that has them all, and how their values are read. */
export interface Parameters<P> {
  options: readonly Option[];
  /** What each takes, by its name. */
  schemas: ReadonlyMap<string, ParameterSchema>;
  /** Names of the options that take true or false, or nothing, which is true. */
  switches: ReadonlySet<string>;
  /**
   * What was typed, with the defaults.
   * @param assumed values as text of what was not typed
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

const TRUTH = new Set(['true', 'false', '1', '0']);

/**
 * The arguments with `--switch` as `--switch=true` and `--switch false` as `--switch=false`, because what follows a switch
 * may be a file.
 */
export function joinSwitches(args: readonly string[], switches: ReadonlySet<string>): string[] {
  const end = args.indexOf('--');
  const joined: string[] = [];
  for (const [index, arg] of args.entries()) {
    const before = args[index - 1] ?? '';
    const isOption = end === -1 || index < end;
    if (isOption && TRUTH.has(arg) && switches.has(before)) continue;
    const value = TRUTH.has(args[index + 1] ?? '') ? args[index + 1] : 'true';
    joined.push(isOption && switches.has(arg) ? `${arg}=${value}` : arg);
  }
  return joined;
}
