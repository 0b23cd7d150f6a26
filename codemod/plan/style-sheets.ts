/** Finds the style sheets of a project: files, including built ones, and `style` elements. */
import type { SheetSyntax } from '../../web-documents/structural-selectors.ts';
import type { ProjectRoot } from '../project/root.ts';
import { walkSkipped } from '../project/walk.ts';
import { isMarkupName } from '../readers/read.ts';
import type { Project } from '../references/project.ts';

const SHEETS: Readonly<Record<string, SheetSyntax>> = {
  css: 'css',
  pcss: 'css',
  postcss: 'css',
  scss: 'nested',
  less: 'nested',
  sass: 'indented',
  styl: 'indented',
  stylus: 'indented',
};
const MAX_SHEET_BYTES = 5_000_000;
/** Maximum number of built style sheets per folder. */
const MAX_BUILT_SHEETS = 200;

const STYLE = /<style\b([^>]*)>([\s\S]*?)(?:<\/style\s*>|$)/gi;
const LANGUAGE = /\blang\s*=\s*["']?([a-z]+)/i;
const LINK = /<link\b[^>]*>/gi;
const SHEET_LINK = /\brel\s*=\s*["']?[^"'>]*\bstylesheet\b/i;
const FOREIGN_HREF = /\bhref\s*=\s*["']?\s*((?:https?:)?\/\/[^\s"'>]+)/i;
const FOREIGN_IMPORT = /@import\s+(?:url\(\s*)?["']?\s*((?:https?:)?\/\/[^\s"')]+)/gi;
/** Hosts whose style sheets contain only font rules. */
const FONT_HOSTS: ReadonlySet<string> = new Set(['fonts.googleapis.com', 'fonts.bunny.net', 'use.typekit.net']);

/** The syntax of a style sheet, by its extension; undefined for other files. */
export function sheetSyntax(path: string): SheetSyntax | undefined {
  const ending = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(SHEETS, ending) ? SHEETS[ending] : undefined;
}

/** Files that are style sheets or may contain some. */
export async function styleSourcePaths(
  root: ProjectRoot,
  { sources, skipped }: Pick<Project, 'sources' | 'skipped'>,
  signal: AbortSignal,
): Promise<string[]> {
  const paths = sources.map(({ path }) => path).filter((path) => sheetSyntax(path) !== undefined || isMarkupName(path));
  for (const { path, skipped: why, folder } of skipped) {
    if (!folder && sheetSyntax(path) && why !== 'secret') paths.push(path);
    if (!folder || (why !== 'built' && why !== 'ignored')) continue;
    let built = 0;
    for await (const file of walkSkipped(root, path, signal)) {
      if (sheetSyntax(file.path) === undefined) continue;
      built += 1;
      if (built > MAX_BUILT_SHEETS) break;
      paths.push(file.path);
    }
  }
  return paths;
}

/** Undefined if the file cannot be read. */
export const readStyleSource = async (root: ProjectRoot, path: string): Promise<string | undefined> =>
  await root.read(path, MAX_SHEET_BYTES).then(
    (bytes) => bytes.toString('utf8'),
    () => undefined,
  );

/** The contents of the `style` elements of a text, with their offsets. */
export function* styleElements(text: string): Generator<{ css: string; start: number; syntax: SheetSyntax }> {
  for (const { 1: attributes, 2: css, 0: whole, index } of text.matchAll(STYLE)) {
    const language = LANGUAGE.exec(attributes!)?.[1]?.toLowerCase() ?? 'css';
    yield { css: css!, start: index + whole.indexOf(css!), syntax: SHEETS[language] ?? 'css' };
  }
}

/** A URL with a host, and the markup that contains it. */
export interface SheetAddress {
  written: string;
  address: string;
}

export function* linkedSheets(text: string): Generator<SheetAddress> {
  for (const [link] of text.matchAll(LINK)) {
    const [, address] = SHEET_LINK.test(link) ? (FOREIGN_HREF.exec(link) ?? []) : [];
    if (address !== undefined) yield { written: link, address };
  }
}

export function* importedSheets(text: string): Generator<SheetAddress> {
  for (const [written, address] of text.matchAll(FOREIGN_IMPORT)) yield { written, address: address! };
}

/** Whether a style sheet is on another host and may contain rules for images. @param domain domain of the site */
export function isForeignSheet(address: string, domain: string): boolean {
  const base = 'https://host.invalid';
  const host = URL.canParse(address, base) ? new URL(address, base).hostname : '';
  return !FONT_HOSTS.has(host) && host !== domain && host !== `www.${domain}`;
}
