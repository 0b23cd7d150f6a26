/**
 * Generates the types of the client from the OpenAPI document: parameters, bodies and records, with their names and
 * descriptions. We use our own generator because openapi-typescript makes 5,800 lines (216 kB) of the same reduced
 * document, this one 2,500 (90 kB), and its parameters have no names of their own
 * (`operations['compress']['parameters']['query']`).
 */
import { HTTP_STATUS_BY_CODE } from '../base/failure.ts';
import type { OpenApi, OpenApiPart } from '../server/http/openapi-document.ts';

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  description?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  format?: string;
  'x-form'?: string;
}

/**
 * Operations for which the client has no method: the operator's endpoints, the alias of `create_job`, and the program
 * that npx fetches.
 */
export const isOmitted = (operationId: string): boolean =>
  /^admin_|^(?:metrics|create_batch|download_local_server|deliver_image)$/.test(operationId);

const HEAD = `// What the interface takes and answers. Written by \`npm run generate\` from openapi.json; do not edit.
// biome-ignore-all format: generated
// biome-ignore-all lint: generated
`;

export function clientTypesOf(document: OpenApi): string {
  const components = document.components!.schemas as Record<string, Schema>;
  const named = new Map<string, Schema>();
  const add = (name: string, schema: Schema) => {
    if (named.has(name)) return;
    named.set(name, schema);
    for (const ref of refsIn(schema)) add(ref, components[ref]!);
  };
  for (const operation of operationsOf(document)) {
    const name = pascal(operation.operationId);
    const params = queryOf(operation);
    if (params) add(`${name}Params`, params);
    for (const [suffix, schema] of jsonOf(operation))
      if (schema.properties) add(name + suffix, schema);
      else for (const ref of refsIn(schema)) add(ref, components[ref]!);
  }
  const codes = Object.keys(HTTP_STATUS_BY_CODE).map((code) => `\n  | '${code}'`);
  const types = [...named].sort(([one], [other]) => (one < other ? -1 : 1));
  return [
    HEAD,
    `/** \`error.code\` of refused requests. Codes may be added. */\nexport type ErrorCode =${codes.join('')};\n`,
    ...types.map(([name, schema]) => declaration(name, schema, named)),
  ].join('\n');
}

function operationsOf({ paths }: OpenApi): OpenApiPart[] {
  const all = Object.values(paths as Record<string, object>).flatMap((path) => Object.values(path));
  return all.filter(({ operationId }) => !isOmitted(operationId));
}

function queryOf({ parameters = [] }: OpenApiPart): Schema | undefined {
  const query = parameters.filter((parameter: OpenApiPart) => parameter.in === 'query');
  if (query.length === 0) return undefined;
  return {
    type: 'object',
    properties: Object.fromEntries(
      query.map(({ name, schema, description }: OpenApiPart) => [name, { description, ...schema }]),
    ),
  };
}

/**
 * The JSON body and response of an operation. The body of an image operation repeats the parameters, so it gets no
 * type.
 */
function jsonOf({ requestBody, responses }: OpenApiPart): [suffix: string, Schema][] {
  const body = requestBody?.content['image/*'] ? undefined : requestBody?.content['application/json']?.schema;
  const status = Object.keys(responses).find((status) => status.startsWith('2'));
  const answer = responses[status!].content?.['application/json']?.schema;
  return [
    ...(body ? [['Body', body] as [string, Schema]] : []),
    ...(answer ? [['Answer', answer] as [string, Schema]] : []),
  ];
}

const pascal = (id: string): string => id.replaceAll(/(?:^|[_-])([a-z])/g, (_, letter: string) => letter.toUpperCase());

const nameOf = (ref: string): string => ref.split('/').at(-1)!;

function refsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (key === '$ref' ? [nameOf(inner)] : refsIn(inner)));
}

function declaration(name: string, schema: Schema, named: ReadonlyMap<string, Schema>): string {
  const doc = comment(schema.description, '');
  if (!schema.properties) return `${doc}export type ${name} = ${typeOf(schema, '')};\n`;
  const base = [...named].find(([other, part]) => other !== name && isSubsetOf(part, schema));
  const own = base ? omitInherited(schema, base[1]) : schema;
  return `${doc}export interface ${name} ${base ? `extends ${base[0]} ` : ''}${fieldsOf(own, '')}\n`;
}

/** Whether a record has all the fields of another one that has at least 5 fields. */
function isSubsetOf(
  { properties: fields = {}, required: needed = [] }: Schema,
  { properties, required = [] }: Schema,
): boolean {
  const names = Object.keys(fields);
  if (names.length < 5 || names.length >= Object.keys(properties!).length) return false;
  return names.every(
    (name) =>
      JSON.stringify(properties![name]) === JSON.stringify(fields[name]) &&
      required.includes(name) === needed.includes(name),
  );
}

function omitInherited({ properties, ...schema }: Schema, { properties: inherited }: Schema): Schema {
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(properties!).filter(([name]) => !(name in inherited!))),
  };
}

function fieldsOf({ properties = {}, required = [], additionalProperties }: Schema, indent: string): string {
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(([name, schema]) => {
    const key = /^\w+$/.test(name) ? name : `'${name}'`;
    const type = typeOf(schema, inner);
    const text = required.includes(name) ? `${key}: ${type};` : `${key}?: ${type} | undefined;`;
    return `${comment(textOf(schema), inner)}${inner}${text}\n`;
  });
  if (typeof additionalProperties === 'object')
    fields.push(`${inner}[name: string]: ${typeOf(additionalProperties, inner)};\n`);
  return fields.length === 0 ? '{}' : `{\n${fields.join('')}${indent}}`;
}

function typeOf(schema: Schema, indent: string): string {
  const { $ref, type, anyOf, oneOf, items } = schema;
  if ($ref) return nameOf($ref);
  if ('const' in schema) return literal(schema.const);
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  const choices = anyOf ?? oneOf;
  if (choices) return choices.map((choice) => typeOf(choice, indent)).join(' | ');
  if (Array.isArray(type)) return type.map((one) => typeOf({ ...schema, type: one }, indent)).join(' | ');
  switch (type) {
    case 'integer':
    case 'number':
      return 'number';
    case 'array': {
      const item = typeOf(items ?? {}, indent);
      return item.includes(' | ') ? `(${item})[]` : `${item}[]`;
    }
    case 'object':
      return fieldsOf(schema, indent);
    default:
      return type ?? 'unknown';
  }
}

const literal = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : String(value));

/** The description with default and bounds, which the types cannot express. */
function textOf({ description = '', default: preset, 'x-form': form, ...schema }: Schema): string {
  const facts = [
    description,
    rangeOf(schema),
    form ? `Form: ${form}.` : '',
    preset === undefined ? '' : `Default: ${JSON.stringify(preset)}.`,
  ];
  return facts.filter(Boolean).join(' ');
}

function rangeOf({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: Schema): string {
  if (maximum !== Number.MAX_SAFE_INTEGER) return `${minimum} to ${maximum}.`;
  // Counts are never negative, so a minimum of 0 is omitted.
  return minimum > 0 ? `At least ${minimum}.` : '';
}

const WIDTH = 116;

function comment(text: string | undefined, indent: string): string {
  if (!text) return '';
  const one = `${indent}/** ${text} */`;
  if (one.length <= WIDTH + 4) return `${one}\n`;
  const lines: string[] = [''];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1)!;
    if (line && indent.length + 3 + line.length + 1 + word.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = line ? `${line} ${word}` : word;
  }
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`;
}
