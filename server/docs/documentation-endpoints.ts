/** `/docs`: the documentation as HTML for people and as Markdown for programs. */
import type { Context } from '../http/context.ts';
import type { Endpoint, OpenEndpoint } from '../http/endpoint.ts';
import { pathNotFound } from '../http/errors.ts';
import { setPageHeaders } from '../http/page-headers.ts';
import type { StaticFile } from '../http/static-file.ts';
import { Documentation } from './documentation.ts';
import type { DocumentationServices } from './services.ts';

/** Pages change only with a new version of the service. */
const CACHING = 'public, max-age=300';

export function documentationEndpoints(): Endpoint<DocumentationServices>[] {
  // A map, because several services may share a process, as in tests. Each has its own address and plans.
  const rendered = new WeakMap<DocumentationServices, Promise<Documentation>>();
  const documentation = (services: DocumentationServices): Promise<Documentation> => {
    const rendering = rendered.get(services) ?? Documentation.render(services);
    rendered.set(services, rendering);
    rendering.catch(() => rendered.delete(services));
    return rendering;
  };
  const endpoint = (
    path: string,
    operation: string,
    find: (documentation: Documentation, ctx: Context) => StaticFile | undefined | Promise<StaticFile | undefined>,
  ): OpenEndpoint<DocumentationServices> => ({
    ...{ method: 'get', access: 'open', path, operation },
    async handle(ctx, services) {
      const file = await find(await documentation(services), ctx);
      if (!file) throw pathNotFound();
      setPageHeaders(ctx);
      await file.send(ctx, CACHING);
    },
  });
  return [
    endpoint('/docs', 'docs', (documentation) => documentation.page()),
    endpoint('/docs/{page}', 'docs_page', (documentation, ctx) => documentation.page(ctx.params.page)),
    endpoint('/docs/files/{file}', 'docs_file', (documentation, ctx) => documentation.file(ctx.params.file!)),
    endpoint('/llms.txt', 'llms', (documentation) => documentation.llms()),
  ];
}
