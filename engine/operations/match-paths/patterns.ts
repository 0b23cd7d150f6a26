/**
 * Patterns that select pages and images by their paths: globs, or `re:` and a regular expression in RE2 syntax. Their
 * time is bounded by their length and linear in the length of the path, so patterns from strangers are safe.
 */
import { RE2JS } from 're2js';
import { expected, Failure } from '../../../base/failure.ts';

export interface PathPatterns {
  /** Whether there are no patterns. */
  readonly isEmpty: boolean;
  /** Whether a pattern matches the path of an absolute address, or the path with its query. */
  matches(url: string): boolean;
}

const EXPRESSION = 're:';

/**
 * Maximum steps of all patterns in one list. Compiling a step takes about 40 us; matching it against one character of a
 * path takes a third of a microsecond at worst.
 */
const MAX_STEPS = 5000;
/** Only this many characters of a path with its query are matched. */
const MAX_CHARACTERS = 1000;

/**
 * Parses patterns.
 * @param param the name of the list, for the error
 * @throws Failure 400 `invalid_parameter` for an invalid regular expression, and for patterns that are too long
 * together
 */
export function parsePatterns(patterns: readonly string[], param: string): PathPatterns {
  let steps = 0;
  const expressions = patterns.map((pattern) => {
    const expression = expressionOf(pattern);
    steps += stepsOf(expression);
    if (steps > MAX_STEPS)
      throw invalidPattern(
        `patterns of at most ${MAX_STEPS} characters together, repetitions written out`,
        param,
        pattern,
      );
    return compile(expression, pattern, param);
  });
  return {
    isEmpty: expressions.length === 0,
    matches(url) {
      if (expressions.length === 0) return false;
      const { pathname, search } = new URL(url);
      const [path, whole] = [pathname, pathname + search].map((text) => text.slice(0, MAX_CHARACTERS));
      return expressions.some((expression) => expression.test(path!) || (search !== '' && expression.test(whole!)));
    },
  };
}

const expressionOf = (pattern: string): string =>
  pattern.startsWith(EXPRESSION) ? pattern.slice(EXPRESSION.length) : globExpression(pattern);

function compile(expression: string, pattern: string, param: string): RE2JS {
  try {
    return RE2JS.compile(expression);
  } catch (error) {
    throw invalidPattern('re: and a regular expression in the syntax of RE2', param, pattern, error);
  }
}

/** An escape, a class, a counted repetition, the start of a group, or one character. */
const PART =
  /\\(?:[pP]?\{[^}]*\}|x\{[^}]*\}|[pP]?[\s\S])|\[\^?\]?(?:\\[\s\S]|\[:[^\]]*\]|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|\((?:\?(?:P?<[^>]*>|[^:)]*:?))?|[\s\S]/g;

/** Length of an expression with counted repetitions written out, as when compiling. A class counts as one. */
function stepsOf(expression: string): number {
  const groups = [0];
  /** Steps of the part that a repetition would repeat. */
  let last = 0;
  for (const [part, least, most] of expression.matchAll(PART)) {
    if (part.startsWith('(')) groups.push(0);
    else if (least !== undefined)
      groups[groups.length - 1]! += last * Math.max(0, Number(least) - 1, Number(most ?? 0) - 1);
    else {
      last = part === ')' && groups.length > 1 ? groups.pop()! + 2 : 1;
      groups[groups.length - 1]! += last;
    }
  }
  return groups.reduce((sum, steps) => sum + steps, 0);
}

/**
 * Converts a glob: `*` matches anything but a slash, `?` one character but a slash, `**` anything. `/**` at the end
 * also matches nothing. A glob without a leading slash may start in any folder.
 */
function globExpression(glob: string): string {
  const rooted = glob.startsWith('/') ? glob : `/**/${glob}`;
  const [body, end] = rooted.endsWith('/**') ? [rooted.slice(0, -3), '(?:/.*)?'] : [rooted, ''];
  const expression = body.replace(/\/\*\*(?=\/)|\*+|\?|[^*?/]+|\//g, (part) => {
    if (part === '/**') return '(?:/.*)?';
    if (part === '*') return '[^/]*';
    if (part === '?') return '[^/]';
    return part.startsWith('*') ? '.*' : RE2JS.quote(asInAddresses(part));
  });
  return `^${expression}${end}$`;
}

/** Escapes a text as URL does in paths. */
const asInAddresses = (text: string): string =>
  text.replace(/[^\w.~%-]/gu, (character) =>
    character === '#' ? '%23' : new URL(`http://x/x${character}x`).pathname.slice(2, -1),
  );

const invalidPattern = (what: string, param: string, pattern: string, cause?: unknown): Failure =>
  new Failure('invalid_parameter', expected(what, param, pattern), { param, cause });
