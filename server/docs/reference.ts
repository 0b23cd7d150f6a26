/** Renders the OpenAPI document as pages: one for each tag, and one for all schemas. */

import type { OpenApi } from '../http/openapi-document.ts';
import { endpointsOf, referenceText, schemaText } from './endpoint-text.ts';
import { type Schema, table } from './schema-text.ts';

export interface ReferencePage {
  name: string;
  markdown: string;
}

const pageOf = (tag: string): string => `reference-${tag.toLowerCase()}`;

const slugOfEndpoint = (method: string, path: string): string =>
  `${method} ${path}`
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-');

export function referencePages(openApi: OpenApi): ReferencePage[] {
  const endpoints = endpointsOf(openApi);
  const tags = (openApi.tags ?? []).map(({ name, description = '' }) => ({
    name,
    description,
    own: endpoints.filter(({ operation }) => operation.tags.includes(name)),
  }));
  const overview = tags.map(({ name, description, own }) =>
    [
      `## ${name}`,
      description,
      table(
        ['Endpoint', 'Purpose'],
        own.map(({ method, path, operation }) => [
          `[${method} ${path}](/docs/${pageOf(name)}#${slugOfEndpoint(method, path)})`,
          operation.summary,
        ]),
      ),
    ].join('\n\n'),
  );
  const schemas = Object.entries((openApi.components?.schemas ?? {}) as Record<string, Schema>);
  return [
    {
      name: 'reference',
      markdown: [
        '# All endpoints',
        `Every endpoint of the interface, version ${openApi.info.version}. [openapi.json](/openapi.json) has the same as OpenAPI 3.1, for programs. Within a version fields, values and codes may be added; nothing is removed or renamed.`,
        ...overview,
        '## Schemas',
        `The [schemas](/docs/reference-schemas) are the objects that requests and answers are made of.`,
      ].join('\n\n'),
    },
    ...tags.map(({ name, description, own }) => ({
      name: pageOf(name),
      markdown: [`# Reference: ${name}`, description, ...own.map(referenceText)].join('\n\n'),
    })),
    {
      name: 'reference-schemas',
      markdown: [
        '# Reference: schemas',
        'The objects that requests and answers are made of. Every field is there unless it is optional; it is null where nothing is known.',
        ...schemas.map(([name, schema]) => schemaText(name, schema)),
      ].join('\n\n'),
    },
  ];
}
