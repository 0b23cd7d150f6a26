/** Renders our Markdown as HTML. Raw HTML in it is shown as text. */
import { Marked, type MarkedToken, type Token, type Tokens } from 'marked';

export interface Heading {
  depth: number;
  text: string;
  id: string;
}

export interface Rendered {
  html: string;
  headings: Heading[];
  /** Names of parameters, fields and codes that have a table row of their own, with the row's id. */
  terms: { name: string; id: string }[];
}

export interface RenderContext {
  /** The address that a link leads to; undefined when its target does not exist. */
  resolve(href: string): string | undefined;
  /** Width and height of an image. */
  sizeOf(src: string): readonly [number, number] | undefined;
}

/** Languages whose consecutive code blocks show the same thing, so that they become tabs. */
const TAB_LANGUAGES: Readonly<Record<string, string>> = {
  sh: 'curl',
  js: 'JavaScript',
  ts: 'TypeScript',
  python: 'Python',
};

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!);

/** The id of a heading, as used in its address. */
export const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replaceAll(/\s+/g, '-');

/** The language of a code block is the first word after its fence. Further words are for tests. */
const languageOf = (token: Token | undefined): string =>
  token?.type === 'code' ? (token.lang ?? '').split(' ')[0] : '';

export const renderMarkdown = (markdown: string, surroundings: RenderContext): Rendered =>
  new Rendering(surroundings).render(markdown);

class Rendering {
  readonly #marked = new Marked();
  readonly #ids = new Map<string, number>();
  readonly #labels = new Map<string, number>();
  readonly #headings: Heading[] = [];
  readonly #terms: Rendered['terms'] = [];
  readonly #surroundings: RenderContext;
  #groups = 0;

  constructor(surroundings: RenderContext) {
    this.#surroundings = surroundings;
    const rendering = this;
    this.#marked.use({
      renderer: {
        html: ({ text }) => escapeHtml(text),
        heading({ tokens, depth, text }) {
          return rendering.#heading(depth, this.parser.parseInline(tokens), plain(text));
        },
        link({ href, tokens }) {
          const content = this.parser.parseInline(tokens);
          const address = rendering.#surroundings.resolve(href);
          return address === undefined ? content : `<a href="${escapeHtml(address)}">${content}</a>`;
        },
        image: ({ href, text, title }) => rendering.#image(href, text, title ?? undefined),
        code: ({ text, lang }) => codeBlock(text, (lang ?? '').split(' ')[0]!),
        table({ header, rows }) {
          const inline = (tokens: Token[]) => this.parser.parseInline(tokens);
          return rendering.#table(header, rows, inline);
        },
        paragraph({ tokens }) {
          const isGallery = tokens.every(({ type, raw }) => type === 'image' || raw.trim() === '');
          const content = this.parser.parseInline(tokens);
          return isGallery ? `<div class="images">${content}</div>\n` : `<p>${content}</p>\n`;
        },
      },
    });
  }

  render(markdown: string): Rendered {
    const tokens = this.#marked.lexer(markdown);
    const parts: string[] = [];
    for (let index = 0; index < tokens.length; ) {
      const variants = tabsAt(tokens, index);
      if (variants.codes.length > 1) {
        parts.push(this.#tabs(variants.codes));
        index = variants.end;
      } else {
        parts.push(this.#marked.parser([tokens[index] as MarkedToken]));
        index += 1;
      }
    }
    return { html: parts.join(''), headings: this.#headings, terms: this.#terms };
  }

  #id(wanted: string): string {
    const count = this.#ids.get(wanted) ?? 0;
    this.#ids.set(wanted, count + 1);
    return count === 0 ? wanted : `${wanted}-${count + 1}`;
  }

  #heading(depth: number, content: string, text: string): string {
    const id = this.#id(slugOf(text));
    this.#headings.push({ depth, text, id });
    const link = depth === 1 ? '' : ` <a class="anchor" href="#${id}" aria-label="Link to ${escapeHtml(text)}">#</a>`;
    return `<h${depth} id="${id}">${content}${link}</h${depth}>\n`;
  }

  #image(href: string, text: string, title: string | undefined): string {
    const src = this.#surroundings.resolve(href);
    if (src === undefined) return escapeHtml(text);
    const [width, height] = this.#surroundings.sizeOf(href) ?? [];
    const size = width === undefined ? '' : ` width="${width}" height="${height}"`;
    const image = `<img src="${escapeHtml(src)}" alt="${escapeHtml(text)}"${size} loading="lazy">`;
    return `<figure class="image">${image}${title ? `<figcaption>${escapeHtml(title)}</figcaption>` : ''}</figure>`;
  }

  #table(header: Tokens.TableCell[], rows: Tokens.TableCell[][], inline: (tokens: Token[]) => string): string {
    const under = this.#headings.at(-1) ?? { text: 'Table', id: 'table' };
    const head = header.map(({ tokens }) => `<th scope="col">${inline(tokens)}</th>`).join('');
    // In a narrow window the cells of a row are stacked. They are labelled with their column heads unless they explain
    // themselves.
    const explains = header.some(({ text }) => text === 'Meaning');
    const body = rows.map((cells) => {
      const labelled = (column: number) =>
        column > 0 && !explains ? ` data-label="${escapeHtml(header[column]!.text.replaceAll('`', ''))}"` : '';
      const cellsHtml = cells.map(({ tokens }, column) => `<td${labelled(column)}>${inline(tokens)}</td>`).join('');
      const [first] = cells;
      const name = first && /^`([\w.[\]-]+)`$/.exec(first.text)?.[1];
      if (!name) return `<tr>${cellsHtml}</tr>`;
      const id = this.#id(`${under.id}-${slugOf(name)}`);
      this.#terms.push({ name, id });
      return `<tr id="${id}">${cellsHtml}</tr>`;
    });
    // Regions of one page need different labels (WAI-ARIA landmarks).
    const count = (this.#labels.get(under.text) ?? 0) + 1;
    this.#labels.set(under.text, count);
    const label = escapeHtml(count === 1 ? under.text : `${under.text}, ${count}`);
    return `<div class="scrolls" tabindex="0" role="region" aria-label="${label}"><table class="columns-${header.length}"><thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table></div>\n`;
  }

  /** Code blocks as tabs. Radio buttons choose one, which needs no script. */
  #tabs(codes: Tokens.Code[]): string {
    this.#groups += 1;
    const name = `variant-${this.#groups}`;
    const choices = codes.map((code, index) => {
      const language = languageOf(code);
      const id = `${name}-${language}`;
      return `<input type="radio" name="${name}" id="${id}" value="${language}"${index === 0 ? ' checked' : ''}><label for="${id}">${TAB_LANGUAGES[language]}</label>`;
    });
    const blocks = codes.map((code) => codeBlock(code.text, languageOf(code)));
    return `<fieldset class="variants"><legend class="hidden">Language</legend>${choices.join('')}${blocks.join('')}</fieldset>\n`;
  }
}

function codeBlock(text: string, language: string): string {
  // Scrollable content must be reachable by keyboard.
  return `<div class="code"><pre tabindex="0"><code class="language-${escapeHtml(language) || 'text'}">${escapeHtml(text)}</code></pre></div>\n`;
}

function tabsAt(tokens: readonly Token[], start: number): { codes: Tokens.Code[]; end: number } {
  const codes: Tokens.Code[] = [];
  let end = start;
  for (let index = start; index < tokens.length; index += 1) {
    const token = tokens[index]!;
    if (token.type === 'space') continue;
    const language = languageOf(token);
    if (!(language in TAB_LANGUAGES) || codes.some((code) => languageOf(code) === language)) break;
    codes.push(token as Tokens.Code);
    end = index + 1;
  }
  return { codes, end };
}

/** The text of a heading, without markup. */
export const plain = (markdown: string): string =>
  markdown
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .replaceAll('\\', '');
