/** Finds the places of a source that may name an image, by file extension (docs/spec/shapes.md, section 18.5). */
import { posix } from 'node:path';
import { readAsciidoc } from './asciidoc.ts';
import { readAstro } from './astro.ts';
import type { Candidate } from './candidate.ts';
import { type CssPlace, readCssText } from './css.ts';
import { readCsv } from './csv.ts';
import { readFrontMatter, readToml, readYaml } from './data.ts';
import { EmbeddedSource } from './embedded-source.ts';
import { readHaml } from './haml.ts';
import type { ImageElement } from './image-element.ts';
import { readJsonText } from './json.ts';
import { LANGUAGES, readLiterals } from './literals.ts';
import { readMarkdown, readMdx } from './markdown.ts';
import { type MarkupSyntax, readMarkup } from './markup.ts';
import { readPug } from './pug.ts';
import { ReferenceCollector } from './reference-collector.ts';
import { readRestructuredText } from './restructured-text.ts';
import { readScript } from './script.ts';
import type { ScriptLanguage } from './script-syntax.ts';
import { readSlim } from './slim.ts';
import { readTempl } from './templ.ts';

type Reader = (sink: ReferenceCollector, layer: EmbeddedSource) => void;

const SHEET: CssPlace = { kind: 'css_background', text: 'sheet' };

const sheet =
  (lineComments: boolean): Reader =>
  (sink, layer) =>
    readCssText(sink, layer, { ...SHEET, lineComments });
const script =
  (language: ScriptLanguage): Reader =>
  (sink, layer) =>
    readScript(sink, layer, language);
const markup =
  (syntax: MarkupSyntax): Reader =>
  (sink, layer) =>
    readMarkup(sink, layer, syntax);

/** Reader for markup with front matter. */
const page =
  (syntax: MarkupSyntax): Reader =>
  (sink, layer) => {
    const start = readFrontMatter(sink, layer);
    readMarkup(sink, layer.part({ start, end: layer.text.length }), syntax);
  };

const literals =
  (language: keyof typeof LANGUAGES): Reader =>
  (sink, layer) =>
    readLiterals(sink, layer, LANGUAGES[language], { kind: 'string' });

/** Readers by extension. `markup`: the tags in these files are balanced. */
const READERS_BY_ENDINGS: readonly (readonly [endings: string, reader: Reader, markup?: 'markup'])[] = [
  ['html htm xhtml', page({ templates: 'tags' }), 'markup'],
  ['njk nunjucks jinja jinja2 j2 twig swig liquid webc', page({ templates: 'tags' }), 'markup'],
  ['hbs handlebars mustache edge gohtml mjml', page({ templates: 'tags' }), 'markup'],
  ['ejs eta erb rhtml eex leex aspx ascx master asp php phtml', page({ templates: 'tags' }), 'markup'],
  ['jsp jspf tag tmpl', page({ templates: 'expressions' }), 'markup'],
  ['cshtml vbhtml razor', page({ templates: 'razor' }), 'markup'],
  ['tpl latte', page({ templates: 'braces' }), 'markup'],
  ['ftl ftlh', page({ templates: 'freemarker' }), 'markup'],
  ['vm vtl', page({ templates: 'velocity' }), 'markup'],
  ['shtml shtm stm', page({ templates: 'includes' }), 'markup'],
  ['heex', markup({ templates: 'tags', braces: 'plain' }), 'markup'],
  ['marko', markup({ templates: 'expressions', scriptValues: true }), 'markup'],
  ['templ', readTempl, 'markup'],
  ['pug jade', readPug],
  ['haml', readHaml],
  ['slim', readSlim],
  ['css pcss', sheet(false)],
  ['scss sass less styl', sheet(true)],
  ['md markdown', readMarkdown, 'markup'],
  ['mdx', readMdx, 'markup'],
  ['adoc asciidoc', readAsciidoc],
  ['rst', readRestructuredText],
  ['js jsx mjs cjs', script('js')],
  ['ts', script('ts')],
  ['tsx', script('tsx')],
  ['py', literals('python')],
  ['rb', literals('ruby')],
  ['go', literals('go')],
  ['java', literals('java')],
  ['vue', markup({}), 'markup'],
  ['svelte', markup({ braces: 'quoted' }), 'markup'],
  ['astro', readAstro, 'markup'],
  ['json', readJsonText],
  ['webmanifest', (sink, layer) => readJsonText(sink, layer, true)],
  ['yaml yml', readYaml],
  ['toml', readToml],
  ['csv tsv', readCsv],
  ['xml svg rss', markup({ xml: true, templates: 'tags' }), 'markup'],
];

const READERS: ReadonlyMap<string, { reader: Reader; isMarkup: boolean }> = new Map(
  READERS_BY_ENDINGS.flatMap(([endings, reader, kind]) =>
    endings.split(' ').map((ending) => [ending, { reader, isMarkup: kind === 'markup' }] as const),
  ),
);
/** Some sites name their web manifest `manifest.json`. */
const MANIFEST = /^(?:site\.)?(?:web)?manifest\.json$/;

/** Whether files with this name can be read. */
export const isReadable = (path: string): boolean => readerOf(path) !== undefined;

/** Whether files with this name have balanced tags. */
export const isMarkupName = (path: string): boolean => readerOf(path)?.isMarkup ?? false;

/**
 * Returns the places in order, without overlaps. Malformed text is read as far as possible. The time is linear in the
 * length of the text.
 * @param path only its name is used
 * @returns an empty list for unknown file types
 */
export const readCandidates = (path: string, text: string): Candidate[] => readInto(path, text)?.list ?? [];

/** Returns the `img` elements whose tags can be parsed reliably, in order. Otherwise like `readCandidates`. */
export const readImageElements = (path: string, text: string): ImageElement[] => readInto(path, text)?.elements ?? [];

function readInto(path: string, text: string): ReferenceCollector | undefined {
  const known = readerOf(path);
  if (!known) return undefined;
  const sink = new ReferenceCollector(text, readMarkup);
  known.reader(sink, EmbeddedSource.of(text));
  return sink;
}

function readerOf(path: string): { reader: Reader; isMarkup: boolean } | undefined {
  const name = posix.basename(path).toLowerCase();
  return READERS.get(MANIFEST.test(name) ? 'webmanifest' : name.slice(name.lastIndexOf('.') + 1));
}
