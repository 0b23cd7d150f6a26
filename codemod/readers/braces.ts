/** Finds expressions in braces in the tags of Svelte, Astro and MDX files. */
import type { Range } from '../../web-documents/source-text.ts';

/** Maximum length. A longer one is taken for an unclosed brace. */
const MAX_EXPRESSION_LENGTH = 20_000;

const OUTSIDE = /<!--[\s\S]*?(?:-->|$)|<(script|style)\b(?=[\s>])[^>]*>[\s\S]*?(?:<\/\1|$)|<(?=[a-z])/gi;
const IN_TAG = /[>{"'`]/g;
const IN_QUOTES: Readonly<Record<string, RegExp>> = { '"': /["{]/g, "'": /['{]/g, '`': /`/g };
const IN_BRACES =
  /\/\*[\s\S]*?(?:\*\/|$)|\/\/[^\n]*|"[^"\\\n]*(?:\\[\s\S][^"\\\n]*)*"|'[^'\\\n]*(?:\\[\s\S][^'\\\n]*)*'|`[^`\\]*(?:\\[\s\S][^`\\]*)*`|[{}]/g;

/**
 * Returns the ranges of the expressions in order, including their braces.
 * @param quoted whether to include expressions inside quotes, as Svelte allows
 */
export function bracesInTags(text: string, quoted: boolean): Range[] {
  const found: Range[] = [];
  /** No brace before this offset is closed. Avoids quadratic time. */
  let hopeless = 0;
  const expression = (start: number): number | undefined => {
    if (start < hopeless) return undefined;
    const { end, closed } = endOfBraces(text, start);
    if (closed) found.push({ start, end });
    else hopeless = end;
    return closed ? end : undefined;
  };
  for (let match = at(OUTSIDE, text, 0); match; ) {
    let end = match.index + match[0].length;
    if (match[0] === '<') end = endOfTag(text, end, quoted, expression);
    match = at(OUTSIDE, text, end);
  }
  return found;
}

function endOfTag(
  text: string,
  start: number,
  quoted: boolean,
  expression: (start: number) => number | undefined,
): number {
  for (let match = at(IN_TAG, text, start); match; ) {
    const [sign] = match[0];
    let end = match.index + 1;
    if (sign === '>') return end;
    if (sign === '{') end = expression(match.index) ?? end;
    else if (text[match.index - 1] === '=') end = endOfQuotes(text, end, sign!, quoted, expression);
    match = at(IN_TAG, text, end);
  }
  return text.length;
}

function endOfQuotes(
  text: string,
  start: number,
  quote: string,
  quoted: boolean,
  expression: (start: number) => number | undefined,
): number {
  for (let match = at(IN_QUOTES[quote]!, text, start); match; ) {
    if (match[0] === quote) return match.index + 1;
    const end = (quoted ? expression(match.index) : undefined) ?? match.index + 1;
    match = at(IN_QUOTES[quote]!, text, end);
  }
  return text.length;
}

function endOfBraces(text: string, start: number): { end: number; closed: boolean } {
  let depth = 0;
  for (let match = at(IN_BRACES, text, start); match; match = at(IN_BRACES, text, match.index + match[0].length)) {
    const end = match.index + match[0].length;
    if (match[0] === '{') depth++;
    else if (match[0] === '}' && --depth === 0) return { end, closed: true };
    if (end - start > MAX_EXPRESSION_LENGTH) return { end, closed: false };
  }
  return { end: text.length, closed: false };
}

function at(pattern: RegExp, text: string, from: number): RegExpExecArray | null {
  pattern.lastIndex = from;
  return pattern.exec(text);
}
