/** Writes an endpoint of the OpenAPI document as Markdown. */

import type { OpenApi } from '../http/openapi-document.ts';
import { ERROR_TEXTS, type HttpErrorCode } from './error-texts.ts';
import {
  FIELD_HEAD,
  fieldsText,
  PARAMETER_HEAD,
  parameterRow,
  type Schema,
  schemaName,
  table,
  typeText,
} from './schema-text.ts';

export interface Endpoint {
  method: string;
  path: string;
  /** The operation object of the OpenAPI document. */
  operation: Schema;
}

export const endpointsOf = (openApi: OpenApi): Endpoint[] =>
  Object.entries((openApi.paths ?? {}) as Record<string, Schema>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );

export const parametersText = ({ operation: { parameters = [] } }: Endpoint): string => {
  const rows = parameters.map(({ name, schema, description, required }: Schema) =>
    parameterRow(name, { description, ...schema }, required === true),
  );
  return rows.length > 0 ? table(PARAMETER_HEAD, rows) : '';
};

/** The parts of a form other than `image`. */
export function partsText({ operation }: Endpoint): string {
  const { image: _, ...parts } = operation.requestBody?.content['multipart/form-data']?.schema.properties ?? {};
  const rows = Object.entries<Schema>(parts).map(([name, part]) => parameterRow(name, part));
  return rows.length === 0 ? '' : table(['Part', 'Values', 'Meaning'], rows);
}

/** The JSON body. For image operations only the content types: their fields are the parameters. */
export function bodyText({ operation: { requestBody } }: Endpoint): string {
  if (!requestBody) return '';
  const { content, description } = requestBody;
  const types = Object.keys(content).map((type) => `\`${type}\``);
  const said = [`Body: ${types.join(', ')}.`, ...(description ? [description] : [])].join(' ');
  const schema = content['application/json']?.schema;
  const isImage = content['image/*'] !== undefined;
  return [
    said,
    ...(schema && !isImage ? [schemaName(schema) ? `An object ${typeText(schema)}.` : fieldsText(schema)] : []),
  ]
    .filter(Boolean)
    .join('\n\n');
}

export function responsesText({ operation: { responses } }: Endpoint): string {
  const good = Object.entries<Schema>(responses).filter(([status]) => Number(status) < 400);
  const rows = good.map(([status, { description, content = {} }]) => [
    `\`${status}\``,
    Object.entries<Schema>(content)
      .map(([type, { schema = {} }]) => (type === 'application/json' ? `JSON: ${typeText(schema)}` : `\`${type}\``))
      .join(', ') || 'no body',
    description,
  ]);
  return table(['Status', 'Body', 'Meaning'], rows);
}

export function headersText({ operation: { responses } }: Endpoint): string {
  const headers = responses['200']?.headers ?? {};
  const rows = Object.entries<Schema>(headers).map(([name, { schema, description }]) =>
    parameterRow(name, { description, ...schema }),
  );
  return rows.length === 0 ? '' : table(['Header', 'Values', 'Meaning'], rows);
}

/** The error codes of an endpoint, with their status. */
export function errorsOf({ operation: { responses } }: Endpoint): { status: string; code: HttpErrorCode }[] {
  return Object.entries<Schema>(responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, { description }]) =>
      [...description.matchAll(/`(\w+)`/g)].map(([, code]) => ({ status, code: code as HttpErrorCode })),
    );
}

export function errorsText(endpoint: Endpoint): string {
  const rows = errorsOf(endpoint).map(({ status, code }) => [`\`${code}\``, status, ERROR_TEXTS[code]]);
  return table(['Code', 'Status', 'Meaning'], rows);
}

const ACCESS = { apiKey: 'a key', adminToken: "the operator's token (`IC_ADMIN_TOKEN`)" } as const;

export function accessText({ operation: { security = [] } }: Endpoint): string {
  const [scheme] = security.flatMap((one: object) => Object.keys(one)) as (keyof typeof ACCESS)[];
  return scheme ? `Needs ${ACCESS[scheme]}.` : 'Needs no key.';
}

/** The complete endpoint, as a section of the reference. */
export function referenceText(endpoint: Endpoint): string {
  const { method, path, operation } = endpoint;
  const section = (title: string, text: string) => (text ? [`### ${title}: ${method} ${path}`, text] : []);
  return [
    `## ${method} ${path}`,
    `${operation.summary}. ${accessText(endpoint)}`,
    ...(operation.description ? [operation.description] : []),
    ...section('Parameters', parametersText(endpoint)),
    ...section('Body', [bodyText(endpoint), partsText(endpoint)].filter(Boolean).join('\n\n')),
    ...section('Answers', responsesText(endpoint)),
    `Errors: ${errorsOf(endpoint)
      .map(({ status, code }) => `${status} [${code}](/docs/errors#codes-${code})`)
      .join(', ')}.`,
  ].join('\n\n');
}

export function schemaText(name: string, schema: Schema): string {
  return [
    `## ${name}`,
    ...(schema.description ? [schema.description] : []),
    fieldsText(schema) || table(FIELD_HEAD, []),
  ].join('\n\n');
}
