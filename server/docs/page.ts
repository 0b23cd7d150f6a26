/** The HTML page around a documentation text. It works without scripts. */
import { SECTIONS } from './contents.ts';
import { type Page, pagePath } from './guides.ts';
import { escapeHtml, type Heading } from './markdown.ts';
import { LICENCES_PATH } from './routes.ts';

export interface PageFrame {
  page: Page;
  html: string;
  headings: readonly Heading[];
  /** All pages, the overview first. */
  pages: readonly Page[];
  before: Page | undefined;
  after: Page | undefined;
  icon: string | undefined;
  script: string | undefined;
  styles: readonly string[];
}

export function pageHtml(frame: PageFrame): string {
  const { page, html, headings, pages, icon, script, styles } = frame;
  const contents = contentsHtml(page, pages);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escapeHtml(page.summary)}">
<title>${escapeHtml(page.title)} · Imagecrew</title>
<link rel="alternate" type="text/markdown" href="${pagePath(page.name)}.md">
${icon ? `<link rel="icon" href="${icon}" type="image/svg+xml">` : ''}
${styles.map((href) => `<link rel="stylesheet" href="${href}">`).join('\n')}
${script ? `<script type="module" src="${script}"></script>` : ''}
</head>
<body class="docs">
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<a class="brand" href="/docs">${icon ? `<img src="${icon}" alt="" width="24" height="24">` : ''}Imagecrew</a>
<nav aria-label="Service"><a href="/">Console</a><a href="/docs" aria-current="true">Docs</a></nav>
</header>
<div class="docs-frame">
<details class="contents contents-small"><summary>Contents</summary><nav aria-label="Contents">${contents}</nav></details>
<nav class="contents contents-wide" aria-label="Contents">${contents}</nav>
<main id="content" tabindex="-1">
<article>
${html}</article>
${previousNextHtml(frame)}
</main>
${onThisPageHtml(headings)}
</div>
<footer class="bottom"><a href="${LICENCES_PATH}">Licences</a></footer>
</body>
</html>
`;
}

function linkTo({ name, title }: Page, current?: Page): string {
  const isHere = current?.name === name ? ' aria-current="page"' : '';
  return `<a href="${pagePath(name)}"${isHere}>${escapeHtml(title)}</a>`;
}

const contentsHtml = (current: Page, pages: readonly Page[]): string =>
  SECTIONS.map(({ title }) => {
    const own = pages.filter(({ section }) => section === title);
    return `<p>${title}</p><ul>${own.map((page) => `<li>${linkTo(page, current)}</li>`).join('')}</ul>`;
  }).join('');

function previousNextHtml({ before, after }: PageFrame): string {
  const link = (page: Page | undefined, word: string) =>
    page ? `<span class="${word.toLowerCase()}"><small>${word}</small>${linkTo(page)}</span>` : '<span></span>';
  return `<nav class="turn" aria-label="Pages before and after">${link(before, 'Previous')}${link(after, 'Next')}</nav>`;
}

const MIN_LISTED_HEADINGS = 3;

function onThisPageHtml(headings: readonly Heading[]): string {
  const own = headings.filter(({ depth }) => depth === 2 || depth === 3);
  const shown = own.length > 40 ? own.filter(({ depth }) => depth === 2) : own;
  if (shown.length < MIN_LISTED_HEADINGS) return '';
  const links = shown.map(
    ({ id, text, depth }) => `<li class="depth-${depth}"><a href="#${id}">${escapeHtml(text)}</a></li>`,
  );
  return `<nav class="on-this-page" aria-label="On this page"><p>On this page</p><ul>${links.join('')}</ul></nav>`;
}
