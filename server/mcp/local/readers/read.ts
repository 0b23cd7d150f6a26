/** Finds the places of a source that may name an image, by the kind of the file (spec/shapes.md, section 18.5). */
import { posix } from 'node:path';
import { readAstro } from './astro.ts';
import type { Candidate } from './candidate.ts';
import { type CssPlace, readCssText } from './css.ts';
import { readFrontMatter, readToml, readYaml } from './data.ts';
import { readJsonText } from './json.ts';
import { Layer } from './layer.ts';
import { readMarkdown, readMdx } from './markdown.ts';
import { type MarkupSyntax, readMarkup } from './markup.ts';
import { readScript, type ScriptLanguage } from './script.ts';
import { Sink } from './sink.ts';

type Reader = (sink: Sink, layer: Layer) => void;

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

/** A page with front matter. */
const page =
  (syntax: MarkupSyntax): Reader =>
  (sink, layer) => {
    const start = readFrontMatter(sink, layer);
    readMarkup(sink, layer.part({ start, end: layer.text.length }), syntax);
  };

const READERS_BY_ENDINGS: readonly (readonly [endings: string, reader: Reader])[] = [
  ['html htm xhtml njk liquid hbs ejs twig php erb', page({ templates: 'tags' })],
  ['jsp', page({ templates: 'expressions' })],
  ['cshtml', page({ templates: 'razor' })],
  ['css pcss', sheet(false)],
  ['scss sass less styl', sheet(true)],
  ['md markdown', readMarkdown],
  ['mdx', readMdx],
  ['js jsx mjs cjs', script('js')],
  ['ts', script('ts')],
  ['tsx', script('tsx')],
  ['vue', markup({})],
  ['svelte', markup({ braces: 'quoted' })],
  ['astro', readAstro],
  ['json', readJsonText],
  ['webmanifest', (sink, layer) => readJsonText(sink, layer, true)],
  ['yaml yml', readYaml],
  ['toml', readToml],
  ['xml svg rss', markup({ xml: true, templates: 'tags' })],
];

const READERS: ReadonlyMap<string, Reader> = new Map(
  READERS_BY_ENDINGS.flatMap(([endings, reader]) =>
    endings.split(' ').map((ending): [string, Reader] => [ending, reader]),
  ),
);
/** Some sites write their manifest as plain JSON. */
const MANIFEST = /^(?:site\.)?(?:web)?manifest\.json$/;

/** Whether files of this name are read. */
export function isReadable(path: string): boolean {
  return readerOf(path) !== undefined;
}

/**
 * The places in their order, none within another. Text that is broken is read as far as it can be. Takes time by the length of
 * the text.
 * @param path only its name counts
 * @returns nothing for kinds of files that are not known
 */
export function readCandidates(path: string, text: string): Candidate[] {
  const reader = readerOf(path);
  if (!reader) return [];
  const sink = new Sink(text, readMarkup);
  reader(sink, Layer.of(text));
  return sink.list;
}

function readerOf(path: string): Reader | undefined {
  const name = posix.basename(path).toLowerCase();
  return READERS.get(MANIFEST.test(name) ? 'webmanifest' : name.slice(name.lastIndexOf('.') + 1));
}
