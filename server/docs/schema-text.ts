/** Describes JSON Schemas of the OpenAPI document in Markdown. */

import type { OpenApiPart } from '../http/openapi-document.ts';

export type Schema = OpenApiPart;

const SCHEMAS_PAGE = '/docs/reference-schemas';

/** The name of a referenced schema. */
export const schemaName = ({ $ref }: Schema): string | undefined => $ref?.split('/').at(-1);

const code = (value: unknown): string => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;

/** Describes a type, as in "integer from 1 to 100", "`jpeg`, `png`", "list of Job". */
export function typeText(schema: Schema): string {
  const name = schemaName(schema);
  if (name) return `[${name}](${SCHEMAS_PAGE}#${name.toLowerCase()})`;
  if (schema.const !== undefined) return code(schema.const);
  if (schema.enum) return schema.enum.map(code).join(', ');
  const alternatives: Schema[] | undefined = schema.anyOf ?? schema.oneOf;
  if (alternatives) return [...new Set(alternatives.map(typeText))].join(' or ');
  if (Array.isArray(schema.type)) return schema.type.map((type: string) => typeText({ ...schema, type })).join(' or ');
  switch (schema.type) {
    case 'integer':
    case 'number':
      return `${schema.type}${range(schema)}`;
    case 'array':
      return `list${schema.items ? ` of ${typeText(schema.items)}` : ''}`;
    case 'string':
      return textForm(schema);
    case 'object':
      return 'object';
    case undefined:
      return 'anything';
    default:
      return schema.type;
  }
}

function textForm({ 'x-form': form, format, maxLength, contentMediaType }: Schema): string {
  if (contentMediaType) return 'file';
  if (form) return form;
  if (format === 'date-time') return 'date and time';
  if (format === 'uri') return 'address';
  return maxLength === undefined ? 'text' : `text of at most ${maxLength} characters`;
}

function range({ minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER }: Schema): string {
  const isBelow = minimum > Number.MIN_SAFE_INTEGER;
  const isAbove = maximum < Number.MAX_SAFE_INTEGER;
  if (isBelow && isAbove) return ` from ${minimum.toLocaleString('en')} to ${maximum.toLocaleString('en')}`;
  if (isBelow && minimum !== 0) return ` of at least ${minimum.toLocaleString('en')}`;
  return isAbove ? ` of at most ${maximum.toLocaleString('en')}` : '';
}

/** Escapes a table cell: line breaks and bars are not allowed. */
export const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Defaults that are null or empty lists are not worth mentioning. */
const hasUsefulDefault = (value: unknown): boolean =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);

/** One row of a parameter table. */
export function parameterRow(name: string, schema: Schema, isRequired = false): string[] {
  const [example] = schema.examples ?? [];
  const facts = [
    schema.type === 'boolean' ? '`true`, `false`' : typeText(schema),
    ...(isRequired ? ['required'] : []),
    ...(hasUsefulDefault(schema.default) ? [`default ${code(schema.default)}`] : []),
  ];
  const isTelling = example !== undefined && !schema.enum && schema.type !== 'boolean' && schema.type !== 'object';
  const meaning = schema.description ?? '';
  return [code(name), facts.join('; '), isTelling ? `${meaning} Such as ${code(example)}.`.trim() : meaning];
}

export const PARAMETER_HEAD = ['Parameter', 'Values', 'Meaning'] as const;
export const FIELD_HEAD = ['Field', 'Values', 'Meaning'] as const;

/** The fields of an object as a table. A schema with variants gets one table for each variant. */
export function fieldsText(schema: Schema): string {
  if (schema.oneOf)
    return schema.oneOf
      .map((variant: Schema) => fieldsText(variant))
      .filter(Boolean)
      .join('\n\n');
  const { properties = {}, required = [], additionalProperties } = schema;
  const rows = Object.entries<Schema>(properties).flatMap(([name, field]) => fieldRows(name, field, required));
  if (rows.length > 0) return table(FIELD_HEAD, rows);
  return additionalProperties ? `An object whose values are each ${typeText(additionalProperties)}.` : '';
}

/** Fields of an unnamed inner object are listed beside it, as `outer.inner`. */
function fieldRows(name: string, field: Schema, required: readonly string[]): string[][] {
  const inner = field.type === 'object' && field.properties ? field : undefined;
  const items = field.type === 'array' && field.items?.type === 'object' ? field.items : undefined;
  const nested = inner ?? items;
  const own = parameterRow(name, field, false);
  if (!required.includes(name) && hasUsefulDefault(own[1])) own[1] = `${own[1]}; optional`;
  if (!nested?.properties) return [own];
  return [
    own,
    ...Object.entries<Schema>(nested.properties).flatMap(([key, value]) =>
      fieldRows(`${name}${items ? '[]' : ''}.${key}`, value, nested.required ?? []),
    ),
  ];
}
