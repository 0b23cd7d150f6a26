import type { Endpoint } from '../http/endpoint.ts';
import { refuseQuery } from '../http/no-query.ts';
import { createOpenApi } from './openapi.ts';

/**
 * The endpoints that answer with the OpenAPI document.
 * @param documented what it describes
 */
export function openApiEndpoints(documented: readonly Endpoint[]): Endpoint[] {
  let document: object | undefined;
  return ['/openapi.json', '/api/v1/openapi.json'].map((path) => ({
    method: 'get',
    path,
    operation: 'openapi',
    access: 'open',
    errors: [],
    documentation: undefined,
    handle: (ctx) => {
      refuseQuery(ctx);
      document ??= createOpenApi(documented);
      ctx.set('Cache-Control', 'public, max-age=300');
      ctx.body = document;
    },
  }));
}
