/**
 * Decides for which images a `picture` could change the look of a page. Its style attribute takes it out of the layout,
 * but structural selectors still match it, and a content security policy may forbid style attributes. If in doubt, no
 * `picture` is used.
 */
import { nameNumber, namesOf } from '../../web-documents/names.ts';
import { LineIndex } from '../../web-documents/source-text.ts';
import {
  type SheetSyntax,
  type StructuralSelector,
  structuralSelectors,
} from '../../web-documents/structural-selectors.ts';
import { eachInOrder } from '../in-parallel.ts';
import type { ProjectRoot } from '../project/root.ts';
import type { ImageTag } from '../readers/candidate.ts';
import { UNKNOWN } from '../readers/embedded-source.ts';
import type { Project } from '../references/project.ts';
import { PageParents } from './image-parents.ts';
import {
  importedSheets,
  isForeignSheet,
  linkedSheets,
  readStyleSource,
  sheetSyntax,
  styleElements,
  styleSourcePaths,
} from './style-sheets.ts';

export const FALLBACK_REASONS = [
  'stylesheet',
  'foreign_stylesheet',
  'content_security_policy',
  'markdown_paragraph',
] as const;

/**
 * `stylesheet`: a selector of the project may match differently. `foreign_stylesheet`: a style sheet on another host
 * cannot be read. `content_security_policy`: a policy forbids style attributes. `markdown_paragraph`: an `img` alone on
 * its line is a block of its own, but a `picture` would become part of a paragraph.
 */
export type FallbackReason = (typeof FALLBACK_REASONS)[number];

export interface Fallback {
  reason: FallbackReason;
  /** What conflicts with the `picture`, and where. */
  because: string;
}

const META = /<meta\b[^>]*>/gi;
const POLICY = /http-equiv\s*=\s*["']?\s*content-security-policy\b(?!-report)/i;
const CONTENT = /\bcontent\s*=\s*(?:"([^"]*)"|'([^']*)')/i;
/** Parent classes from which a framework builds selectors for its children: `space-x-4`, `*:p-2`, `[&>img]:w-8`. */
const UTILITY_CLASS = /(?:^|[\s:])(?:-?(?:space|divide)-[xy]-|\*{1,2}:|\[&)/;
const MARKDOWN = /\.(?:md|markdown)$/i;

/** Everything in a project that conflicts with a `picture` around an image. */
export class PictureFallbacks {
  readonly #domain: string;
  readonly #selectors: { selector: StructuralSelector; place: string }[] = [];
  readonly #known = new Set<string>();
  /** A reason that applies to all images. */
  #generalReason: Fallback | undefined;
  readonly #parents = new PageParents();

  private constructor(domain: string) {
    this.#domain = domain;
  }

  /**
   * Reads the style sheets of a project, including built ones.
   * @param domain domain of the site
   */
  static async read(
    root: ProjectRoot,
    { sources, skipped }: Project,
    domain: string,
    signal: AbortSignal,
  ): Promise<PictureFallbacks> {
    const fallbacks = new PictureFallbacks(domain);
    const paths = await styleSourcePaths(root, { sources, skipped }, signal);
    const read = (path: string) => readStyleSource(root, path);
    const keep = async (path: string, text: string | undefined) => {
      if (text === undefined) fallbacks.#addGeneralReason(path, 'a style sheet that cannot be read');
      else fallbacks.#read(path, text);
    };
    await eachInOrder(paths, read, keep, signal);
    return fallbacks;
  }

  /** Why an image must not get a `picture`; undefined if nothing conflicts. */
  of(path: string, text: string, image: ImageTag): Fallback | undefined {
    if (this.#generalReason) return this.#generalReason;
    if (MARKDOWN.test(path) && isAloneOnLine(text, image))
      return { reason: 'markdown_paragraph', because: 'alone on its line' };
    const own = ownNames(image);
    const parents = this.#parents.of(path, text).get(image.start);
    const found = this.#selectors.find(
      ({ selector }) =>
        (own === undefined || selector.own.every((name) => own.has(name))) &&
        (!parents ||
          selector.parent === null ||
          parents.some((names) => selector.parent!.every((name) => names.includes(name)))),
    );
    if (found) return { reason: 'stylesheet', because: `${found.place} ${found.selector.text}` };
    return undefined;
  }

  #read(path: string, text: string): void {
    const syntax = sheetSyntax(path);
    if (syntax) this.#sheet(path, text, 0, text, syntax);
    else this.#markup(path, text);
    for (const { written, address } of importedSheets(text)) this.#checkForeignSheet(path, text, written, address);
  }

  #markup(path: string, text: string): void {
    for (const { css, start, syntax } of styleElements(text)) this.#sheet(path, text, start, css, syntax);
    for (const { written, address } of linkedSheets(text)) this.#checkForeignSheet(path, text, written, address);
    for (const [meta] of text.matchAll(META)) {
      const [, double, single] = POLICY.test(meta) ? (CONTENT.exec(meta) ?? []) : [];
      const policy = double ?? single;
      if (policy !== undefined && !allowsStyleAttributes(policy))
        this.#generalReason ??= { reason: 'content_security_policy', because: placeOf(path, text, text.indexOf(meta)) };
    }
    const utility = /\bclass(?:Name)?\s*=\s*["']([^"']*)["']/g;
    for (const { 1: classes, index } of text.matchAll(utility)) {
      if (!UTILITY_CLASS.test(classes!)) continue;
      const parent = [...namesOf('', null, classes!.trim())].slice(1);
      this.#add({ text: `class="${classes}"`, at: index, own: [], parent }, placeOf(path, text, index));
    }
  }

  #sheet(path: string, text: string, start: number, css: string, syntax: SheetSyntax): void {
    const found = structuralSelectors(css, syntax);
    if (!found) {
      this.#addGeneralReason(path, 'too many selectors');
      return;
    }
    const places = new LineIndex(text);
    for (const selector of found) this.#add(selector, `${path}:${places.at(start + selector.at).line}`);
  }

  #add(selector: StructuralSelector, place: string): void {
    const key = `${selector.own.join()};${selector.parent?.join()}`;
    if (this.#known.has(key)) return;
    this.#known.add(key);
    this.#selectors.push({ selector, place });
  }

  #addGeneralReason(path: string, why: string): void {
    this.#generalReason ??= { reason: 'stylesheet', because: `${path}: ${why}` };
  }

  #checkForeignSheet(path: string, text: string, written: string, address: string): void {
    if (!isForeignSheet(address, this.#domain)) return;
    const place = placeOf(path, text, text.indexOf(written));
    this.#generalReason ??= { reason: 'foreign_stylesheet', because: `${place} ${address}` };
  }
}

const placeOf = (path: string, text: string, at: number): string => `${path}:${new LineIndex(text).at(at).line}`;

/** Names of an image; undefined if an expression determines them. */
function ownNames({ attributes }: ImageTag): ReadonlySet<number> | undefined {
  let classes: string | null = null;
  let id: string | null = null;
  for (const [name, { value }] of attributes) {
    if (name === 'class' || name === 'classname') classes = value;
    else if (name === 'id') id = value;
    // Expressions such as `:class`, `class:active`, `v-bind`, `{...props}`.
    else if (/class|bind|\bid$|^[{:.@]*$|^\{|\.\.\./.test(name)) return undefined;
  }
  if (classes?.includes(UNKNOWN) || id?.includes(UNKNOWN) || classes?.startsWith('{')) return undefined;
  return new Set([...namesOf('img', id, classes), nameNumber('img')]);
}

/** Whether a policy allows style attributes (CSP 3, 6.7.3). Hashes and nonces disable `unsafe-inline`. */
function allowsStyleAttributes(policy: string): boolean {
  const directives = new Map<string, string[]>();
  for (const directive of policy.split(';')) {
    const [name = '', ...values] = directive.trim().toLowerCase().split(/\s+/);
    if (!directives.has(name)) directives.set(name, values);
  }
  const values = directives.get('style-src-attr') ?? directives.get('style-src') ?? directives.get('default-src');
  if (!values) return true;
  return values.includes("'unsafe-inline'") && !values.some((value) => /^'(?:nonce|sha\d+)-/.test(value));
}

/** Whether an `img` is the only content of its line: CommonMark treats such a tag as an HTML block. */
function isAloneOnLine(text: string, { start, end }: ImageTag): boolean {
  const before = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  const after = /^[^\n]*/.exec(text.slice(end, end + 1000))![0];
  return /^[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)?$/.test(before) && after.trim() === '';
}
