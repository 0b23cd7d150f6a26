/** All pages as Markdown: the guides, with parts generated from the declarations, and the reference. */
import { FIRST_PAGE, SECTIONS } from './contents.ts';
import { EXAMPLE_BASE_URL } from './examples.ts';
import { plain } from './markdown.ts';
import { readDoc } from './package-files.ts';
import { type PartSources, withParts } from './parts.ts';
import { referencePages } from './reference.ts';

interface PageSummary {
  title: string;
  /** The first sentence of the first paragraph. */
  summary: string;
}

export interface Page extends PageSummary {
  name: string;
  section: string;
  markdown: string;
}

/** Guides in `docs/` itself: reports of measurements, which describe their own methods. */
const MEASUREMENT_GUIDES: Readonly<Record<string, PageSummary>> = {
  formats: { title: 'Formats', summary: 'Every format that is read, compared with other decoders file by file.' },
  'high-dynamic-range': {
    title: 'High dynamic range',
    summary: 'How tone mapping and depth compare with those of other programs.',
  },
  mcp: { title: 'MCP', summary: 'The two servers for agents, and how to set them up.' },
  conversions: {
    title: 'Conversions',
    summary: 'What each conversion keeps, or the warning that says what it does not.',
  },
  package: { title: 'The package', summary: 'Size and times of an installation with each version of Node.' },
  models: { title: 'Models', summary: 'How well faces, subjects and text are found, and what upscaling gains.' },
};

export const pagePath = (name: string): string => `/docs/${name}`;

export interface GuideSources extends PartSources {
  /** Address of the service, without a trailing slash. */
  baseUrl: string;
}

export async function readPages(sources: GuideSources): Promise<Page[]> {
  const reference = new Map(referencePages(sources.openApi).map(({ name, markdown }) => [name, markdown]));
  const pages = SECTIONS.flatMap(({ title: section, pages, keepsAddresses }) =>
    pages.map(async (name) => {
      const written = reference.get(name) ?? (await withParts(`${await readDoc(guidePath(name))}`, sources));
      const markdown = keepsAddresses ? written : written.replaceAll(EXAMPLE_BASE_URL, sources.baseUrl);
      return { name, section, markdown, ...(MEASUREMENT_GUIDES[name] ?? readSummary(markdown)) };
    }),
  );
  return Promise.all(pages);
}

const guidePath = (name: string): string => (name in MEASUREMENT_GUIDES ? `${name}.md` : `guides/${name}.md`);

function readSummary(markdown: string): PageSummary {
  const [, title = '', rest = ''] = /^# (.+)\n+([\s\S]*)/.exec(markdown) ?? [];
  const paragraph = plain(rest.split(/\n\n/)[0]!.replaceAll('\n', ' '));
  return { title: plain(title), summary: /^.*?[.:](?=\s|$)/.exec(paragraph)?.[0].replace(/:$/, '.') ?? paragraph };
}

/** The page at `/docs`: an overview of all others. */
export function overviewOf(pages: readonly Page[]): Page {
  const sections = SECTIONS.map(({ title }) => {
    const own = pages.filter(({ section }) => section === title);
    return [
      `## ${title}`,
      ...own.map(({ name, title, summary }) => `- [${title}](${pagePath(name)}): ${summary}`),
    ].join('\n');
  });
  const summary = 'An image service for one box: send an image over HTTP, get a better one back.';
  const markdown = [
    '# Imagecrew documentation',
    `${summary} New here? [Get started](${pagePath(FIRST_PAGE)}).`,
    ...sections.map((text) => text.replace('\n', '\n\n')),
  ].join('\n\n');
  return { name: 'index', section: '', title: 'Documentation', summary, markdown };
}
