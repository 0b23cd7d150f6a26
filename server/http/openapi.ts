/**
 * The OpenAPI document. `npm run generate` builds it from the declarations of the endpoints; the service reads the
 * generated file.
 */
import { readFile } from 'node:fs/promises';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import { packageFile } from '../../base/package-file.ts';
import type { EndpointDeclaration } from './endpoint.ts';
import { mapOperations, mapParts, type OpenApi, type OpenApiPart } from './openapi-document.ts';
import { errorResponses, SECURITY_SCHEMES } from './openapi-parts.ts';

/** Version of the API, not of this software. */
const INTERFACE_VERSION = '1.0.0';

export function createOpenApi(endpoints: readonly EndpointDeclaration[]): OpenApi {
  const paths: ZodOpenApiPathsObject = {};
  for (const endpoint of endpoints) {
    const { method, path, operation, access, errors = [], tags = [], responses } = endpoint;
    if (!responses) continue;
    const { summary, description, requestParams, requestBody } = endpoint;
    paths[path] = {
      ...paths[path],
      [method]: {
        operationId: operation,
        ...(access === 'key' ? {} : { security: access === 'open' ? [] : securityOf(access) }),
        ...({ summary, description, tags: [...tags], requestParams, requestBody } as ZodOpenApiOperationObject),
        responses: { ...responses, ...errorResponses(errors, access) },
      },
    };
  }
  const document = createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Imagecrew',
        version: INTERFACE_VERSION,
        description: 'An image processing service: an image in, a better image out.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/' }],
      security: securityOf('key'),
      tags: [
        { name: 'Images', description: 'One image in, one image out.' },
        { name: 'Pipelines', description: 'Several steps on one image, once or saved under a name.' },
        { name: 'Files', description: 'Results that were requested as a link; they live one hour.' },
        { name: 'Delivery', description: 'Images by address, for websites, and their cache.' },
        { name: 'Jobs', description: 'Many images in the background, and notice of their end.' },
        { name: 'Websites', description: 'All images of a website: found, judged, converted and packed.' },
        { name: 'Account', description: 'Usage, limits and keys of the own account.' },
        { name: 'Admin', description: 'All accounts, for the operator of the service.' },
        { name: 'Service', description: 'What the service can do and how it is.' },
      ],
      components: {
        securitySchemes: {
          [SECURITY_SCHEMES.key]: { type: 'http', scheme: 'bearer', description: 'An API key: ic_live_… or ic_test_…' },
          [SECURITY_SCHEMES.admin]: {
            type: 'http',
            scheme: 'bearer',
            description: "The operator's token, which the setting IC_ADMIN_TOKEN holds.",
          },
        },
      },
      paths,
    },
    { override: ({ jsonSchema }) => omitInternal(jsonSchema) },
  );
  return mapOperations(document, (operation) =>
    mapParts(operation, { parameters: omitRepeatedDescription, headers: omitRepeatedDescription }),
  );
}

/** The security of endpoints with this access; what does not say otherwise needs a key. */
const securityOf = (access: 'key' | 'admin') => [{ [SECURITY_SCHEMES[access]]: [] }];

/** Removes bounds that only state the range of JavaScript integers, and the hints of errors. */
function omitInternal(schema: OpenApiPart): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  delete schema['x-hints'];
}

/** Removes the description of a schema that repeats the one of its parameter or header. */
function omitRepeatedDescription({ schema, ...part }: OpenApiPart): OpenApiPart {
  const { description, ...rest } = schema;
  return { ...part, schema: description === part.description ? rest : schema };
}

/** The generated document as JSON. Building it would block the event loop for 0.25 s, and parsing it for 20 ms. */
export const readOpenApi = (): Promise<Buffer> => readFile(packageFile('openapi.json'));
