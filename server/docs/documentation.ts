/** The documentation as it is served: every page as HTML and as Markdown, made when it is first asked for. */
import { setImmediate } from 'node:timers/promises';
import { BUILT_PATH, builtFiles } from '../console/built-files.ts';
import { StaticFile } from '../http/static-file.ts';
import { SECTIONS } from './contents.ts';
import { exampleFiles, type PictureSizes, readSizes } from './examples.ts';
import { type GuideSources, overviewOf, type Page, pagePath, readPages } from './guides.ts';
import { type Rendered, renderMarkdown } from './markdown.ts';
import { readDoc } from './package-files.ts';
import { pageHtml } from './page.ts';

const OVERVIEW = 'index';
const TYPES: Readonly<Record<string, string>> = {
  webp: 'image/webp',
  jpg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  svg: 'image/svg+xml',
};

/** What the filter of the contents looks through. */
interface Entry {
  title: string;
  page: string;
  url: string;
}

export class Documentation {
  readonly #pages: readonly Page[];
  readonly #sizes: PictureSizes;
  readonly #files = new Map<string, Promise<StaticFile | undefined>>();
  readonly #baseUrl: string;

  private constructor(pages: readonly Page[], sizes: PictureSizes, baseUrl: string) {
    this.#pages = [overviewOf(pages), ...pages];
    this.#sizes = sizes;
    this.#baseUrl = baseUrl;
  }

  static async read(sources: GuideSources): Promise<Documentation> {
    const [pages, sizes] = await Promise.all([readPages(sources), readSizes()]);
    return new Documentation(pages, sizes, sources.baseUrl);
  }

  get pages(): readonly Page[] {
    return this.#pages;
  }

  /** @param name of a page, with `.md` for its Markdown; `search.json` for what the filter needs */
  page(name = OVERVIEW): Promise<StaticFile | undefined> {
    return this.#once(`pages/${name}`, async () => {
      if (name === 'search.json') return textFile('application/json', JSON.stringify(await this.#entries()));
      const page = this.#pages.find((one) => one.name === name.replace(/[.]md$/, ''));
      if (!page) return undefined;
      if (name.endsWith('.md')) return textFile('text/markdown', page.markdown);
      return textFile('text/html', await this.#html(page));
    });
  }

  /** A picture or a source of an example. */
  file(name: string): Promise<StaticFile | undefined> {
    return this.#once(`files/${name}`, async () => {
      const path = (await exampleFiles()).get(name);
      const type = TYPES[name.split('.').at(-1)!];
      return path && type ? new StaticFile(type, await readDoc(path)) : undefined;
    });
  }

  /** https://llmstxt.org */
  llms(): Promise<StaticFile | undefined> {
    return this.#once('llms.txt', async () => {
      const sections = SECTIONS.map(({ title }) => {
        const own = this.#pages.filter(({ section }) => section === title);
        const lines = own.map(
          ({ name, title, summary }) => `- [${title}](${this.#baseUrl}${pagePath(name)}.md): ${summary}`,
        );
        return [`## ${title}`, '', ...lines].join('\n');
      });
      const [overview] = this.#pages;
      const more = `The interface as OpenAPI 3.1: ${this.#baseUrl}/openapi.json. Every request needs the header \`Authorization: Bearer\` with a key.`;
      return textFile('text/plain', `${['# Imagecrew', `> ${overview!.summary}`, more, ...sections].join('\n\n')}\n`);
    });
  }

  #once(name: string, make: () => Promise<StaticFile | undefined>): Promise<StaticFile | undefined> {
    const made = this.#files.get(name) ?? make();
    this.#files.set(name, made);
    // Names that strangers make up must not fill the memory.
    made.then(
      (file) => file ?? this.#files.delete(name),
      () => this.#files.delete(name),
    );
    return made;
  }

  #rendered({ markdown }: Page): Rendered {
    return renderMarkdown(markdown, {
      resolve: (href) => this.#resolve(href),
      sizeOf: (src) => this.#sizes[src.split('/').at(-1)!],
    });
  }

  #resolve(href: string): string | undefined {
    if (/^(?:https?:|#|\/)/.test(href)) return href;
    const [, name, fragment = ''] = /([\w-]+)[.]md(#.*)?$/.exec(href) ?? [];
    return this.#pages.some((page) => page.name === name) ? `${pagePath(name!)}${fragment}` : undefined;
  }

  async #entries(): Promise<Entry[]> {
    const entries: Entry[] = [];
    for (const page of this.#pages.filter(({ name }) => name !== OVERVIEW)) {
      // Rendering all pages at once would hold the event loop for 0.2 s.
      await setImmediate();
      const { headings, terms } = this.#rendered(page);
      const url = pagePath(page.name);
      for (const { text, id, depth } of headings)
        entries.push({ title: text, page: page.title, url: depth === 1 ? url : `${url}#${id}` });
      for (const { name, id } of terms) entries.push({ title: name, page: page.title, url: `${url}#${id}` });
    }
    return entries;
  }

  async #html(page: Page): Promise<string> {
    const index = this.#pages.indexOf(page);
    const { html, headings } = this.#rendered(page);
    return pageHtml({
      page,
      html,
      headings,
      pages: this.#pages,
      before: index > 1 ? this.#pages[index - 1] : undefined,
      after: this.#pages[index + 1],
      ...(await looks()),
    });
  }
}

/** What the pages load; nothing of it in a checkout that nobody has built yet. */
async function looks() {
  const built = await builtFiles();
  if (!built) return { icon: undefined, script: undefined, styles: [] };
  const icon = [...built.files.keys()].find((name) => /^icon.*[.]svg$/.test(name));
  return { icon: icon && `${BUILT_PATH}/${icon}`, ...built.entry('docs.ts') };
}

function textFile(type: string, text: string): StaticFile {
  return new StaticFile(`${type}; charset=utf-8`, Buffer.from(text));
}
