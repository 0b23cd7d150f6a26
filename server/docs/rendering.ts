/** Renders all generated files of the documentation: every page as HTML and as Markdown. */
import { BUILT_PATH, loadBuiltFiles } from '../console/built-files.ts';
import { SECTIONS } from './contents.ts';
import { type ImageSizes, readSizes } from './examples.ts';
import { type GuideSources, overviewOf, type Page, pagePath, readPages } from './guides.ts';
import { type Rendered, renderMarkdown } from './markdown.ts';
import { type PageFrame, pageHtml } from './page.ts';

const OVERVIEW = 'index';
/** Name of the file for language models, which is not a page (https://llmstxt.org). */
export const LLMS = 'llms.txt';

export interface RenderedFile {
  /** Name of a page, with `.md` for its Markdown; `search.json` for the search index; or {@link LLMS}. */
  name: string;
  type: string;
  text: string;
}

/** An entry of the search index. */
interface Entry {
  title: string;
  page: string;
  url: string;
}

/** Renders the documentation. @returns all files; the overview page is named `index` */
export async function renderDocumentation(sources: GuideSources): Promise<RenderedFile[]> {
  const [pages, sizes, loaded] = await Promise.all([readPages(sources), readSizes(), loadedFiles()]);
  return new Rendering([overviewOf(pages), ...pages], sizes, sources.baseUrl).files(loaded);
}

class Rendering {
  readonly #pages: readonly Page[];
  readonly #sizes: ImageSizes;
  readonly #baseUrl: string;

  constructor(pages: readonly Page[], sizes: ImageSizes, baseUrl: string) {
    this.#pages = pages;
    this.#sizes = sizes;
    this.#baseUrl = baseUrl;
  }

  files(loaded: LoadedFiles): RenderedFile[] {
    const entries: Entry[] = [];
    const pages = this.#pages.flatMap((page) => {
      const rendered = this.#rendered(page);
      if (page.name !== OVERVIEW) entries.push(...entriesOf(page, rendered));
      return [
        { name: page.name, type: 'text/html', text: this.#html(page, rendered, loaded) },
        { name: `${page.name}.md`, type: 'text/markdown', text: page.markdown },
      ];
    });
    return [
      ...pages,
      { name: 'search.json', type: 'application/json', text: JSON.stringify(entries) },
      { name: LLMS, type: 'text/plain', text: this.#llms() },
    ];
  }

  #llms(): string {
    const sections = SECTIONS.map(({ title }) => {
      const own = this.#pages.filter(({ section }) => section === title);
      const lines = own.map(
        ({ name, title, summary }) => `- [${title}](${this.#baseUrl}${pagePath(name)}.md): ${summary}`,
      );
      return [`## ${title}`, '', ...lines].join('\n');
    });
    const [overview] = this.#pages;
    const more = `The interface as OpenAPI 3.1: ${this.#baseUrl}/openapi.json. Every request needs the header \`Authorization: Bearer\` with a key.`;
    return `${['# Imagecrew', `> ${overview!.summary}`, more, ...sections].join('\n\n')}\n`;
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

  #html(page: Page, { html, headings }: Rendered, loaded: LoadedFiles): string {
    const index = this.#pages.indexOf(page);
    return pageHtml({
      page,
      html,
      headings,
      pages: this.#pages,
      before: index > 1 ? this.#pages[index - 1] : undefined,
      after: this.#pages[index + 1],
      ...loaded,
    });
  }
}

function entriesOf({ name, title }: Page, { headings, terms }: Rendered): Entry[] {
  const url = pagePath(name);
  return [
    ...headings.map(({ text, id, depth }) => ({ title: text, page: title, url: depth === 1 ? url : `${url}#${id}` })),
    ...terms.map((term) => ({ title: term.name, page: title, url: `${url}#${term.id}` })),
  ];
}

type LoadedFiles = Pick<PageFrame, 'icon' | 'script' | 'styles'>;

/** The files that pages load; empty in a checkout that has not been built. */
async function loadedFiles(): Promise<LoadedFiles> {
  const built = await loadBuiltFiles();
  if (!built) return { icon: undefined, script: undefined, styles: [] };
  const icon = [...built.files.keys()].find((name) => /^icon.*[.]svg$/.test(name));
  return { icon: icon && `${BUILT_PATH}/${icon}`, ...built.entry('docs.ts') };
}
