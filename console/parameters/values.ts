/** Reads, checks and writes the values of an operation's parameters. */
import type { Parameter } from '../../server/console/declaration-types.ts';

/**
 * Values set by the user. Values equal to the default are omitted, except for the parameters in ALWAYS_SENT. A text
 * that cannot be read as the parameter's type stays text, so that it is neither lost nor sent as another value.
 */
export type Values = Readonly<Record<string, unknown>>;

const INTEGER = /^-?[0-9]{1,16}$/;
const DECIMAL = /^-?[0-9]{1,16}([.][0-9]{1,16})?$/;
const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, 1: true, false: false, 0: false };

/**
 * Parameters that are sent even if they equal the declared default. That default only holds for the simplest case: an
 * ID photo preset has its own values, and a given resolution is recorded in the file.
 */
const ALWAYS_SENT: ReadonlySet<string> = new Set(['dpi', 'background']);

/** @param value undefined removes the value, as does the default unless the parameter is in ALWAYS_SENT */
export function withValue(values: Values, { name, default: usual }: Parameter, value: unknown): Values {
  const { [name]: _, ...rest } = values;
  return value === undefined || (isSame(value, usual) && !ALWAYS_SENT.has(name)) ? rest : { ...rest, [name]: value };
}

const isSame = (value: unknown, other: unknown): boolean =>
  value === other || JSON.stringify(value) === JSON.stringify(other);

/** Reads a value from typed text, or from an address. */
export function readValue(parameter: Parameter, text: string): unknown {
  switch (parameter.type) {
    case 'integer':
      return INTEGER.test(text) ? Number(text) : text;
    case 'number':
      return DECIMAL.test(text) ? Number(text) : text;
    case 'boolean':
      return BOOLEANS[text] ?? text;
    case 'array':
      return text
        .split(/[\n,]/)
        .map((item) => item.trim())
        .filter(Boolean)
        .map((item) => (hasNumberItems(parameter) && DECIMAL.test(item) ? Number(item) : item));
    default:
      return text;
  }
}

/** The declarations omit the type of items, so the example is used to detect numbers. */
const hasNumberItems = ({ example }: Parameter): boolean =>
  Array.isArray(example) && example.every((item) => typeof item === 'number');

/** Converts values to a query for the API or for a console address. */
export function toQuery(values: Values): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value)]),
  );
}

/** Reads values from a query. Unknown names are ignored. */
export function fromQuery(parameters: readonly Parameter[], query: URLSearchParams): Values {
  let values: Values = {};
  for (const parameter of parameters) {
    const text = query.get(parameter.name);
    if (text !== null) values = withValue(values, parameter, readValue(parameter, text));
  }
  return values;
}

/** Returns the service's error message for a value that it would refuse. */
export function validationError(parameter: Parameter, value: unknown): string | undefined {
  if (value === undefined || isAccepted(parameter, value)) return undefined;
  const received = typeof value === 'string' ? `"${value}"` : JSON.stringify(value);
  return `Expected ${expectation(parameter)} for ${parameter.name} but received ${received}.`;
}

export function validationErrors(parameters: readonly Parameter[], values: Values): Record<string, string> {
  const found = parameters.map(
    (parameter) => [parameter.name, validationError(parameter, values[parameter.name])] as const,
  );
  return Object.fromEntries(found.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function isAccepted(parameter: Parameter, value: unknown): boolean {
  const { minimum = -Infinity, maximum = Infinity, minLength = 0, maxLength = Infinity, pattern } = parameter;
  if (parameter.enum) return parameter.enum.includes(value as string);
  switch (parameter.type) {
    case 'integer':
    case 'number':
      return typeof value === 'number' && value >= minimum && value <= maximum;
    case 'boolean':
      return typeof value === 'boolean';
    case 'string':
      return (
        typeof value === 'string' &&
        value.length >= minLength &&
        value.length <= maxLength &&
        (pattern === undefined || new RegExp(pattern, 'u').test(value))
      );
    default:
      return true;
  }
}

/** Returns a text such as "an integer from 1 to 100" or "one of auto, jpeg". */
function expectation({ type, enum: choices, form, pattern, example, ...bounds }: Parameter): string {
  if (choices) return `one of ${choices.join(', ')}`;
  const { minimum, maximum, minLength = 0, maxLength } = bounds;
  switch (type) {
    case 'boolean':
      return 'true or false';
    case 'integer':
      return `an integer${range(minimum, maximum)}`;
    case 'number':
      return `a number${range(minimum, maximum)}`;
    default:
      if (form) return form;
      if (pattern) return `text like ${String(example)}`;
      if (maxLength === undefined) return minLength > 0 ? `text of at least ${minLength} characters` : 'text';
      return `text of ${minLength > 0 ? `${minLength} to` : 'at most'} ${maxLength} characters`;
  }
}

function range(minimum?: number, maximum?: number): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` of at least ${minimum}`;
  return maximum === undefined ? '' : ` of at most ${maximum}`;
}
