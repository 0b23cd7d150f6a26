/**
 * Whether style sheets of a project may give an `img` another shape or size once it has attributes for both sides, or show it
 * wider than its attribute says. A browser
 * takes the attributes for rules of the lowest rank, so what gives one side alone distorts the image unless the other side is
 * `auto`, and what stretches an image without a size no longer does. In doubt there is a reason.
 */
import { posix } from 'node:path';
import { type NameList, namesOf } from '../../../../engine/documents/names.ts';
import type { ElementSelector } from '../../../../engine/documents/sizing/selectors.ts';
import { readSideRules, type SideEffect, type SideRule } from '../../../../engine/documents/sizing/side-rules.ts';
import { eachInOrder } from '../in-parallel.ts';
import { parentsOfImages } from '../plan/image-parents.ts';
import {
  importedSheets,
  isForeignSheet,
  linkedSheets,
  readStyled,
  sheetSyntax,
  styledPaths,
  styleElements,
} from '../plan/style-sheets.ts';
import { hasTemplateTags, isPlainPage } from '../project/plain-page.ts';
import type { ProjectRoot } from '../project/root.ts';
import type { ImageElement } from '../readers/image-element.ts';
import type { Project } from '../references/project.ts';

const SCRIPT = /\.(?:[cm]?[jt]sx?|vue|svelte|astro|mdx)$/i;
/** Rules that a build makes of something else. */
const GENERATED_RULES =
  /@(?:tailwind|apply|include|extend|use|forward|plugin|config|mixin)\b|@import\s+["']tailwindcss/;
const LOCAL_IMPORT = /@import\s+(?:url\(\s*)?["']?([^"')\s;]+)/gi;
/** Style sheets in programs, and those of packages. */
const STYLES_IN_SCRIPT =
  /\bstyled[.(`]|\bcss`|\bcreateGlobalStyle\b|\bmakeStyles\b|\binsertRule\(|(?:import|require)\s*\(?\s*["'](?![./~$]|@\/)[^"'\n]+\.(?:css|s[ac]ss|less)["']/;
const UTILITY_PACKAGE = /"(?:tailwindcss|@tailwindcss\/[\w-]+|unocss|@unocss\/[\w-]+|windicss)"\s*:/;
const UTILITY_CONFIG = /(?:^|\/)(?:tailwind|uno|windi)\.config\.[cm]?[jt]s$/;
const LINK = /<link\b[^>]*\bstylesheet\b[^>]*>/gi;
const INLINE_CONTAINER = /\bstyle\s*=[^>]{0,500}(?:flex|grid)/i;

interface Sheet {
  path: string;
  rules: readonly SideRule[];
}

/** What a style sheet does to one image. */
interface MatchingSheet {
  path: string;
  /** It may. */
  has(effect: SideEffect): boolean;
  /** It does, in every window. */
  isCertain(effect: SideEffect): boolean;
}

export class SizeDoubts {
  readonly #domain: string;
  readonly #sheets: Sheet[] = [];
  readonly #sheetNames: ReadonlySet<string>;
  readonly #paths: ReadonlySet<string>;
  readonly #parents = new Map<string, ReadonlyMap<number, readonly NameList[]>>();
  /** For all images. */
  #always: string | undefined;

  private constructor(domain: string, paths: readonly string[]) {
    this.#domain = domain;
    this.#paths = new Set(paths);
    this.#sheetNames = new Set(paths.filter((path) => sheetSyntax(path)).map((path) => posix.basename(path)));
  }

  /** @param domain of the site */
  static async read(root: ProjectRoot, project: Project, domain: string, signal: AbortSignal): Promise<SizeDoubts> {
    const styled = await styledPaths(root, project, signal);
    const sources = project.sources.map(({ path }) => path);
    const scripts = sources.filter((path) => SCRIPT.test(path) || posix.basename(path) === 'package.json');
    const doubts = new SizeDoubts(domain, styled);
    const keep = async (path: string, text: string | undefined) => {
      if (text === undefined) doubts.#unless(`${path} cannot be read`);
      else doubts.#read(path, text);
    };
    await eachInOrder([...new Set([...styled, ...scripts])], (path) => readStyled(root, path), keep, signal);
    return doubts;
  }

  /** What stands against both sides of an `img`; undefined where nothing does. */
  of(path: string, text: string, element: ImageElement): string | undefined {
    return (
      this.#doubtOf(element, ({ path: sheet, has, isCertain }) => {
        if (has('down')) return `${sheet} may give or limit the height`;
        if (has('other')) return `${sheet} may give another size or ratio`;
        if ((has('across') || has('narrower')) && !isCertain('auto-height'))
          return `${sheet} may give or limit the width without height: auto`;
        return undefined;
      }) ?? this.#stretch(path, text, element)
    );
  }

  /**
   * What may show an `img` wider than its attribute says, or let the width of its file count; undefined where nothing does.
   */
  ofWidth(path: string, text: string, element: ImageElement): string | undefined {
    return (
      this.#doubtOf(element, ({ path: sheet, has }) => {
        if (has('across') || has('other')) return `${sheet} may give another size`;
        if (has('natural-width')) return `${sheet} may give it the width of its file`;
        return undefined;
      }) ?? this.#stretch(path, text, element)
    );
  }

  /** @param judge says what one style sheet may do to the image */
  #doubtOf({ attributes }: ImageElement, judge: (sheet: MatchingSheet) => string | undefined): string | undefined {
    if (this.#always !== undefined) return this.#always;
    const name = (each: string) => (attributes.has(each) ? attributes.get(each) : null);
    const [classes, id] = [attributes.has('classname') ? name('classname') : name('class'), name('id')];
    if (classes === undefined || id === undefined) return 'an expression makes its class or id';
    const own = new Set(namesOf('img', id, classes));
    for (const { path, rules } of this.#sheets) {
      const matching = rules.filter(({ selectors }) => selectors.some((selector) => matches(selector, own)));
      const doubt = judge({
        path,
        has: (effect) => matching.some(({ effects }) => effects.has(effect)),
        isCertain: (effect) =>
          matching.some(
            ({ effects, certain }) => effects.has(effect) && certain.some((selector) => matches(selector, own)),
          ),
      });
      if (doubt !== undefined) return doubt;
    }
    return undefined;
  }

  /** Whether the element around it may stretch it. */
  #stretch(path: string, text: string, element: ImageElement): string | undefined {
    if (INLINE_CONTAINER.test(text)) return `${path} has style attributes of containers`;
    const parents = element.parent ? [element.parent] : this.#parentsOf(path, text).get(element.start);
    for (const sheet of this.#sheets)
      for (const { effects, selectors } of sheet.rules) {
        if (!effects.has('container')) continue;
        const mayHold = (names: NameList) => selectors.some((selector) => matches(selector, new Set(names)));
        if (!parents) return `${sheet.path} has flex or grid containers, and it is not known what is around the image`;
        if (parents.some(mayHold)) return `${sheet.path} may make the element around it a flex or grid container`;
      }
    return undefined;
  }

  #parentsOf(path: string, text: string): ReadonlyMap<number, readonly NameList[]> {
    let parents = this.#parents.get(path);
    if (!parents) {
      parents = isPlainPage(path) && !hasTemplateTags(text) ? parentsOfImages(text) : new Map();
      this.#parents.set(path, parents);
    }
    return parents;
  }

  #read(path: string, text: string): void {
    const syntax = sheetSyntax(path);
    if (syntax) this.#sheet(path, text, syntax);
    else if (posix.basename(path) === 'package.json') {
      if (UTILITY_PACKAGE.test(text)) this.#unless(`${path} has a package that makes rules of classes`);
      return;
    } else {
      for (const { css, syntax: own } of styleElements(text)) this.#sheet(path, css, own);
      for (const { address } of linkedSheets(text)) this.#foreign(path, address);
      for (const [link] of text.matchAll(LINK)) this.#linked(path, link);
    }
    if (UTILITY_CONFIG.test(path)) this.#unless(`${path} makes rules of classes`);
    if (SCRIPT.test(path) && STYLES_IN_SCRIPT.test(text))
      this.#unless(`${path} has or loads styles that are not known`);
    for (const { address } of importedSheets(text)) this.#foreign(path, address);
  }

  #sheet(path: string, css: string, syntax: 'css' | 'nested' | 'indented'): void {
    if (syntax === 'indented') this.#unless(`${path} is in a language that is not read for this`);
    if (GENERATED_RULES.test(css)) this.#unless(`${path} has rules that a build makes`);
    for (const [, address] of css.matchAll(LOCAL_IMPORT)) {
      if (/^(?:https?:)?\/\//i.test(address!)) continue;
      const name = posix.basename(address!.replace(/[?#].*$/, ''));
      if (!this.#sheetNames.has(name)) this.#unless(`${path} imports ${address}, which is not in the project`);
    }
    const plain = syntax === 'nested' ? css.replaceAll(/(?<=^|[\s;{}])\/\/[^\n]*/g, '') : css;
    const rules = readSideRules(plain);
    if (rules) this.#sheets.push({ path, rules });
    else this.#unless(`${path} has too many rules`);
  }

  #linked(path: string, link: string): void {
    if ([...this.#sheetNames].some((name) => link.includes(name))) return;
    if (/\bhref\s*=\s*["']?\s*(?:https?:)?\/\//i.test(link)) return;
    this.#unless(`${path} links a style sheet that is not in the project`);
  }

  #foreign(path: string, address: string): void {
    const isFile = [...this.#paths].some((each) => address.endsWith(`/${posix.basename(each)}`));
    if (isForeignSheet(address, this.#domain)) this.#unless(`${path} has the foreign style sheet ${address}`);
    else if (!isFile && URL.canParse(address, 'https://host.invalid') && !/font/i.test(address))
      this.#unless(`${path} has the style sheet ${address}, which is not in the project`);
  }

  #unless(why: string): void {
    this.#always ??= why;
  }
}

function matches({ own }: ElementSelector, names: ReadonlySet<number>): boolean {
  return own.every((name) => names.has(name));
}
