/** Reads the tags of template languages. Their output is unknown; the strings in them are reported. */
import type { Range } from '../../web-documents/source-text.ts';
import { type EmbeddedSource, matchedRanges, percentEncode, withUnknown } from './embedded-source.ts';
import {
  PHP_DOUBLE_ESCAPES,
  PHP_SINGLE_ESCAPES,
  phpDouble,
  phpSingle,
  SCRIPT_ESCAPES,
  scriptString,
} from './escapes.ts';
import { readPlainText } from './plain-text.ts';
import type { ReferenceCollector } from './reference-collector.ts';
import { isJoined, lexemes, PHP, TEMPLATE } from './strings.ts';
import { readValue } from './value.ts';

/**
 * `tags`: the tags of most languages, which all other values include. `expressions`: also `${}`. `razor`: also `@`.
 * `braces`: Smarty and Latte. `freemarker`, `velocity`: the languages of these names. `includes`: server-side includes.
 */
export type TemplateSyntax =
  | 'none'
  | 'tags'
  | 'expressions'
  | 'razor'
  | 'braces'
  | 'freemarker'
  | 'velocity'
  | 'includes';

/** Maximum length of a tag. In longer matches the delimiters are accidental. PHP tags may be whole files. */
const MAX_TAG_LENGTH = 5000;

const CLOSERS: readonly (readonly [open: string, close: string, comment?: 'comment'])[] = [
  ['{{!--', '--}}', 'comment'],
  ['{{--', '--}}', 'comment'],
  ['{{!', '}}', 'comment'],
  ['{{/*', '}}', 'comment'],
  ['{{- /*', '}}', 'comment'],
  ['{{{', '}}}'],
  ['{{', '}}'],
  ['{%', '%}'],
  ['{#', '#}', 'comment'],
  ['{!!', '!!}'],
  ['<%--', '--%>', 'comment'],
  ['<%!--', '--%>', 'comment'],
  ['<%#', '%>', 'comment'],
  ['<%', '%>'],
  ['@*', '*@', 'comment'],
  ['${', '}'],
  ['{*', '*}', 'comment'],
  ['{', '}'],
  ['<#--', '-->', 'comment'],
  ['<#', '>'],
  ['<@', '>'],
  ['#{', '}'],
  ['#*', '*#', 'comment'],
  ['<!--#', '-->'],
];
const TAGS = /\{\{!--|\{\{--|\{\{(?:- )?\/\*|\{\{!|\{\{\{|\{\{|\{%|\{#|\{!!|<%--|<%!--|<%#|<%|<\?(?=php\b|=|\s)/gi;
/** Patterns that match the opening of a tag, or a whole tag. */
const ADDITIONAL_OPENERS: Readonly<Record<Exclude<TemplateSyntax, 'none' | 'tags'>, RegExp>> = {
  expressions: /\$\{/,
  razor: /@\*|(?<![\w@])@(?:\([^()\n]{0,500}\)|[a-z_][\w.]{0,200}(?:\([^()\n]{0,500}\))?)/,
  // A brace before a space or a quote belongs to a style sheet or script.
  braces: /\{\*|\{(?=[$/=_!~]|[a-z_]+[\s|}(])/,
  freemarker: /\$\{|#\{|<#--|<#|<@/,
  velocity:
    /##[^\n\r]*|#\*|#(?:set|if|elseif|foreach|include|parse)\s*\((?:[^()\n\r]|\([^()\n\r]{0,200}\)){0,500}\)|\$!?\{[^{}\n\r]{0,500}\}|\$!?[a-z_][\w-]{0,200}(?:\.\w{1,200}(?:\([^()\n\r]{0,500}\))?){0,10}/,
  includes: /<!--#/,
};
const OPENERS = Object.fromEntries(
  Object.entries({ ...ADDITIONAL_OPENERS, tags: undefined }).map(([syntax, more]) => [
    syntax,
    new RegExp(more ? `${TAGS.source}|${more.source}` : TAGS.source, TAGS.flags),
  ]),
) as Readonly<Record<Exclude<TemplateSyntax, 'none'>, RegExp>>;

/** Characters that start an expression, and so must be percent-encoded in an address. */
const EXPRESSION_SIGNS: Readonly<Partial<Record<TemplateSyntax, RegExp>>> = {
  expressions: /\$(?=\{)/g,
  freemarker: /[$#](?=\{)/g,
  velocity: /\$/g,
};

/** Replaces the tags by unknown characters, and reads the tags separately. */
export function withoutTemplateTags(
  sink: ReferenceCollector,
  whole: EmbeddedSource,
  syntax: TemplateSyntax,
): EmbeddedSource {
  if (syntax === 'none') return whole;
  const signs = EXPRESSION_SIGNS[syntax];
  const range = { start: 0, end: whole.text.length };
  const layer = signs ? whole.part(range, (text) => percentEncode(text, signs), true) : whole;
  const tags = [...tagsOf(layer.text, OPENERS[syntax])];
  if (tags.length === 0) return layer;
  for (const tag of tags) readTag(sink, layer, tag);
  return layer.reading(withUnknown(layer.text, tags));
}

interface Tag extends Range {
  kind: 'php' | 'tag' | 'comment';
}

function* tagsOf(text: string, openers: RegExp): Generator<Tag> {
  /** Next position of each closing delimiter. Cached to avoid repeated searches. */
  const next = new Map<string, number>();
  const find = (closer: string, from: number) => {
    const known = next.get(closer);
    if (known !== undefined && known >= from) return known;
    const found = text.indexOf(closer, from);
    const at = found === -1 ? Number.POSITIVE_INFINITY : found;
    next.set(closer, at);
    return at;
  };
  const scan = new RegExp(openers);
  for (let match = scan.exec(text); match; match = scan.exec(text)) {
    const start = match.index;
    const tag = match[0] === '<?' ? phpTag(text, start) : tagAt(match[0], start, find);
    if (!tag) continue;
    yield tag;
    scan.lastIndex = tag.end;
  }
}

function tagAt(opener: string, start: number, find: (closer: string, from: number) => number): Tag | undefined {
  const known = CLOSERS.find(([open]) => open === opener);
  if (!known) return { start, end: start + opener.length, kind: opener.startsWith('##') ? 'comment' : 'tag' };
  const [open, closer, comment] = known;
  const at = find(closer, start + open.length);
  if (at - start > MAX_TAG_LENGTH) return undefined;
  return { start, end: at + closer.length, kind: comment ?? 'tag' };
}

/** A PHP tag ends at the first `?>` outside a string, or at the end of the text. */
function phpTag(text: string, start: number): Tag {
  const scan = new RegExp(PHP);
  scan.lastIndex = start + 2;
  for (let match = scan.exec(text); match; match = scan.exec(text))
    if (match[0] === '?>') return { start, end: scan.lastIndex, kind: 'php' };
  return { start, end: text.length, kind: 'php' };
}

function readTag(sink: ReferenceCollector, layer: EmbeddedSource, { kind, start, end }: Tag): void {
  const part = layer.part({ start, end });
  if (kind === 'comment') readPlainText(sink, part, 'template', 'comment');
  else if (kind === 'php') readPhp(sink, part);
  else
    for (const { quote, inner } of lexemes(part.text, TEMPLATE))
      readValue(sink, part.unescaped(inner, SCRIPT_ESCAPES, scriptString(quote)), {
        kind: 'template',
        reason: 'dynamic',
      });
}

const PHP_VARIABLE = /\{\$[^{}]*\}|\$\{[^{}]*\}|(?<!\\)\$[a-z_]\w*(?:->\w+|\[[^\]\n]*\])?/gi;

/** Reads the string literals of PHP code. */
function readPhp(sink: ReferenceCollector, layer: EmbeddedSource): void {
  const { text } = layer;
  for (const { kind, quote, start, end, inner } of lexemes(text, PHP, 2)) {
    const place = { kind: 'string', reason: isJoined(text, start, end, '.') ? 'dynamic' : undefined } as const;
    if (kind === 'comment') readPlainText(sink, layer.part(inner), 'string', 'comment');
    else if (quote === "'") readValue(sink, layer.unescaped(inner, PHP_SINGLE_ESCAPES, phpSingle), place);
    else {
      const part = layer.part({ start, end });
      const known = part.reading(withUnknown(part.text, matchedRanges(part.text, PHP_VARIABLE)));
      readValue(sink, known.unescaped({ start: 1, end: part.text.length - 1 }, PHP_DOUBLE_ESCAPES, phpDouble), place);
    }
  }
}
