/**
 * Patterns that choose pages and images by their paths: globs, or `re:` and a regular expression in the syntax of RE2. All of
 * them run in time that grows with the path alone, whoever wrote them.
 */
import { RE2JS } from 're2js';
import { expected, Failure } from '../../base/failure.ts';

export interface PathPatterns {
  /** Whether there are any. */
  readonly isEmpty: boolean;
  /** Whether one of them matches the path of an absolute address, or the path with its query. */
  matches(url: string): boolean;
}

const EXPRESSION = 're:';

/** Counted repetitions are written out when an expression is compiled. At this size that takes some 50 ms. */
const MOST_COPIED = 10_000;

/**
 * Reads patterns.
 * @param param the name of the list, for the failure
 * @throws Failure 400 `invalid_parameter` for a regular expression that is none
 */
export function parsePatterns(patterns: readonly string[], param: string): PathPatterns {
  const expressions = patterns.map((pattern) => compile(pattern, param));
  return {
    isEmpty: expressions.length === 0,
    matches(url) {
      if (expressions.length === 0) return false;
      const { pathname, search } = new URL(url);
      return expressions.some(
        (expression) => expression.test(pathname) || (search !== '' && expression.test(pathname + search)),
      );
    },
  };
}

function compile(pattern: string, param: string): RE2JS {
  if (!pattern.startsWith(EXPRESSION)) return RE2JS.compile(globExpression(pattern));
  const expression = pattern.slice(EXPRESSION.length);
  if (copiedLength(expression) > MOST_COPIED)
    throw invalidPattern('a regular expression with fewer repetitions', param, pattern);
  try {
    return RE2JS.compile(expression);
  } catch (error) {
    throw invalidPattern('re: and a regular expression in the syntax of RE2', param, pattern, error);
  }
}

function copiedLength(expression: string): number {
  const counts = [...expression.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].map(([, least, most]) => Number(most || least));
  return expression.length * counts.reduce((sum, count) => sum + count, 0);
}

/**
 * `*` is anything but a slash, `?` one character of the same, `**` anything; `/**` at the end also stands for nothing. A glob
 * that does not begin with a slash may begin in any folder.
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

/** As URL spells it in paths. */
function asInAddresses(text: string): string {
  return text.replace(/[^\w.~%-]/gu, (character) =>
    character === '#' ? '%23' : new URL(`http://x/x${character}x`).pathname.slice(2, -1),
  );
}

function invalidPattern(what: string, param: string, pattern: string, cause?: unknown): Failure {
  return new Failure('invalid_parameter', expected(what, param, pattern), { param, cause });
}
