/** Serves the documentation. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { StaticFile } from '../http/static-file.ts';
import { exampleFiles } from './examples.ts';
import { readDoc } from './package-files.ts';
import { LLMS } from './rendering.ts';
import type { RenderedBytes, RenderingRequest } from './rendering-thread.ts';
import type { DocumentationServices } from './services.ts';

const OVERVIEW = 'index';

/** Compiled in production, TypeScript in development. */
const RENDERING_THREAD = new URL(
  import.meta.url.endsWith('.ts') ? './rendering-development.mjs' : './rendering-thread.js',
  import.meta.url,
);

const TYPES: Readonly<Record<string, string>> = {
  webp: 'image/webp',
  jpg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  svg: 'image/svg+xml',
};

export class Documentation {
  readonly #rendered: ReadonlyMap<string, StaticFile>;
  readonly #exampleFiles = new Map<string, Promise<StaticFile | undefined>>();

  private constructor(rendered: readonly RenderedBytes[]) {
    this.#rendered = new Map(
      rendered.map(({ name, type, bytes }) => [
        name,
        new StaticFile(`${type}; charset=utf-8`, Buffer.from(bytes.buffer, 0, bytes.length)),
      ]),
    );
  }

  /** Renders all pages in a short-lived thread: rendering would block the event loop for 0.3 s. */
  static async render({ baseUrl, plans }: Pick<DocumentationServices, 'baseUrl' | 'plans'>): Promise<Documentation> {
    const request: RenderingRequest = {
      baseUrl,
      plans: Object.fromEntries(plans.names.map((name) => [name, plans.of({ plan: name })])),
    };
    const thread = new Worker(RENDERING_THREAD, { workerData: request });
    const [rendered] = (await once(thread, 'message')) as [RenderedBytes[]];
    return new Documentation(rendered);
  }

  /** @param name name of a page, with `.md` for its Markdown; `search.json` for the search index */
  page(name = OVERVIEW): StaticFile | undefined {
    return name === LLMS ? undefined : this.#rendered.get(name);
  }

  /** The file llms.txt (https://llmstxt.org). */
  llms(): StaticFile | undefined {
    return this.#rendered.get(LLMS);
  }

  /** An image or a source file of an example. */
  file(name: string): Promise<StaticFile | undefined> {
    const made = this.#exampleFiles.get(name) ?? readExampleFile(name);
    this.#exampleFiles.set(name, made);
    // Unknown names are not cached: requests for made-up names would fill the memory.
    made.then(
      (file) => file ?? this.#exampleFiles.delete(name),
      () => this.#exampleFiles.delete(name),
    );
    return made;
  }
}

async function readExampleFile(name: string): Promise<StaticFile | undefined> {
  const path = (await exampleFiles()).get(name);
  const type = TYPES[name.split('.').at(-1)!];
  return path && type ? new StaticFile(type, await readDoc(path)) : undefined;
}
