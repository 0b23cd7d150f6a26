/** The OpenAPI document, put together from what the endpoints declare. */
import { createDocument, type ZodOpenApiPathsObject } from 'zod-openapi';
import type { Endpoint } from '../http/endpoint.ts';
import { errorResponses, SECURITY_SCHEME } from './components.ts';

/** Version of the interface, not of this software. */
const INTERFACE_VERSION = '1.0.0';

export function createOpenApi(endpoints: readonly Endpoint[]): ReturnType<typeof createDocument> {
  const paths: ZodOpenApiPathsObject = {};
  for (const { method, path, operation, access, errors, documentation } of endpoints) {
    if (!documentation) continue;
    paths[path] = {
      ...paths[path],
      [method]: {
        operationId: operation,
        security: access === 'key' ? [{ [SECURITY_SCHEME]: [] }] : [],
        ...documentation,
        responses: { ...documentation.responses, ...errorResponses(errors, access) },
      },
    };
  }
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Imagecrew',
      version: INTERFACE_VERSION,
      description: 'An image processing service: an image in, a better image out.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: [
      { name: 'Images', description: 'One image in, one image out.' },
      { name: 'Files', description: 'Results that were requested as a link; they live one hour.' },
      { name: 'Service', description: 'What the service can do and how it is.' },
    ],
    components: {
      securitySchemes: {
        [SECURITY_SCHEME]: { type: 'http', scheme: 'bearer', description: 'An API key: ic_live_… or ic_test_…' },
      },
    },
    paths,
  });
}
