/**
 * Checks that edits did not break a source: it must still parse, and the counts of brackets and tags must not change.
 */
import { parseTOML } from 'toml-eslint-parser';
import { parseAllDocuments } from 'yaml';
import { isMarkupName } from '../readers/read.ts';

const BRACKETS = /[(){}[\]]/g;
const TAGS = /<(\/?)([A-Za-z][\w:.-]*)(?:"[^"]*"|'[^']*'|[^"'<>])*?(\/?)>/g;

/** Describes what the edits broke; undefined if nothing. */
export function syntaxError(path: string, before: string, after: string): string | undefined {
  const parse = parserOf(path);
  if (parse) return parses(parse, before) && !parses(parse, after) ? 'it does not parse any more' : undefined;
  if (!sameCounts(balance(before), balance(after))) return 'its brackets are not balanced as before';
  if (isMarkupName(path) && !sameCounts(openTags(before), openTags(after)))
    return 'its tags are not balanced as before';
  return undefined;
}

function parserOf(path: string): ((text: string) => void) | undefined {
  if (/\.(?:json|webmanifest)$/i.test(path)) return (text) => JSON.parse(text.replace(/^\ufeff/, ''));
  if (/\.toml$/i.test(path)) return (text) => parseTOML(text);
  if (!/\.ya?ml$/i.test(path)) return undefined;
  return (text) => {
    for (const document of parseAllDocuments(text)) if (document.errors.length > 0) throw document.errors[0];
  };
}

function parses(parse: (text: string) => void, text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

type Counts = Map<string, number>;

/** Opening minus closing brackets, by kind. */
function balance(text: string): Counts {
  const counts: Counts = new Map();
  for (const [bracket] of text.matchAll(BRACKETS)) {
    const kind = ')}]'.indexOf(bracket);
    add(counts, kind < 0 ? bracket : '({['[kind]!, kind < 0 ? 1 : -1);
  }
  return counts;
}

/**
 * Opening minus closing tags, by name. For void elements this is their number, except `source`, which edits may add.
 */
function openTags(text: string): Counts {
  const counts: Counts = new Map();
  for (const [, slash, name = '', empty] of text.matchAll(TAGS)) {
    const tag = name.toLowerCase();
    if (tag !== 'source' && empty !== '/') add(counts, tag, slash === '/' ? -1 : 1);
  }
  return counts;
}

function add(counts: Counts, key: string, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

const sameCounts = (one: Counts, other: Counts): boolean =>
  [...new Set([...one.keys(), ...other.keys()])].every((key) => (one.get(key) ?? 0) === (other.get(key) ?? 0));
