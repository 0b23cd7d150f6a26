/** Whether a source is still as sound as it was: the same files parse, the same brackets and tags are open at the end. */
import { parseTOML } from 'toml-eslint-parser';
import { parseAllDocuments } from 'yaml';
import { isMarkupName } from '../readers/read.ts';

const BRACKETS = /[(){}[\]]/g;
const TAGS = /<(\/?)([A-Za-z][\w:.-]*)(?:"[^"]*"|'[^']*'|[^"'<>])*?(\/?)>/g;

/** What has become worse; undefined when nothing has. */
export function syntaxFault(path: string, before: string, after: string): string | undefined {
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

/** Of each bracket: opened less closed. */
function balance(text: string): Counts {
  const counts: Counts = new Map();
  for (const [bracket] of text.matchAll(BRACKETS)) {
    const kind = ')}]'.indexOf(bracket);
    add(counts, kind < 0 ? bracket : '({['[kind]!, kind < 0 ? 1 : -1);
  }
  return counts;
}

/** Of each element: opened less closed. Those without an end are counted by how many they are, but for `source`. */
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

function sameCounts(one: Counts, other: Counts): boolean {
  return [...new Set([...one.keys(), ...other.keys()])].every((key) => (one.get(key) ?? 0) === (other.get(key) ?? 0));
}
