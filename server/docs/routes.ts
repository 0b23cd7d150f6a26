import type { Endpoint } from '../http/endpoint.ts';
import { readOpenApi } from '../http/openapi.ts';
import { StaticFile } from '../http/static-file.ts';
import type { DocumentationServices } from './services.ts';

/** The document changes only with the version of the service. */
const CACHING = 'public, max-age=300';

let file: Promise<StaticFile> | undefined;

const readFile = async (): Promise<StaticFile> =>
  new StaticFile('application/json; charset=utf-8', await readOpenApi());

/** The endpoints that return the OpenAPI document. */
export const openApiEndpoints: readonly Endpoint<DocumentationServices>[] = [
  '/openapi.json',
  '/api/v1/openapi.json',
].map((path) => ({
  method: 'get',
  path,
  operation: 'openapi',
  access: 'open',
  async handle(ctx) {
    file ??= readFile();
    await (await file).send(ctx, CACHING);
  },
}));
