/** Files that the package ships and the service shows as they are: the OpenAPI document and the licences. */
import { readFile } from 'node:fs/promises';
import { packageFile } from '../../base/package-file.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { readOpenApi } from '../http/openapi.ts';
import { StaticFile } from '../http/static-file.ts';
import type { DocumentationServices } from './services.ts';

/** The files change only with the version of the service. */
const CACHING = 'public, max-age=300';

/** @param read called by the first request */
function fileEndpoints(
  paths: readonly string[],
  operation: string,
  type: string,
  read: () => Promise<Buffer>,
): Endpoint<DocumentationServices>[] {
  let file: Promise<StaticFile> | undefined;
  return paths.map((path) => ({
    method: 'get',
    path,
    operation,
    access: 'open',
    async handle(ctx) {
      file ??= read().then((bytes) => new StaticFile(`${type}; charset=utf-8`, bytes));
      try {
        await (await file).send(ctx, CACHING);
      } catch (error) {
        // The next request reads again: there may have been too many open files.
        file = undefined;
        throw error;
      }
    },
  }));
}

export const LICENCES_PATH = '/licences';

export const packageFileEndpoints: readonly Endpoint<DocumentationServices>[] = [
  ...fileEndpoints(['/openapi.json', '/api/v1/openapi.json'], 'openapi', 'application/json', readOpenApi),
  ...fileEndpoints([LICENCES_PATH], 'licences', 'text/plain', () => readFile(packageFile('THIRD-PARTY-NOTICES'))),
];
