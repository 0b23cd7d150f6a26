/** Where a text stops being JSON. Messages of JSON.parse have a position only for some errors. */

const TOKEN =
  /[\t\n\r ]*(?:([{}[\],:])|("(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)|$)/uy;
const SPACE = /[\t\n\r ]*/y;

/**
 * Finds the first character that is wrong in a text that JSON.parse refuses (RFC 8259).
 * @returns such as `line 4, column 3`; both count from 1, columns in UTF-16 code units
 */
export function jsonErrorPlace(text: string): string {
  const before = text.slice(0, errorOffset(text));
  const lines = before.split('\n');
  return `line ${lines.length}, column ${lines.at(-1)!.length + 1}`;
}

/** What may follow: a value; a key or the end of an object; a value or the end of an array; and so on. */
type Expected = 'value' | 'firstKey' | 'key' | 'colon' | 'firstItem' | 'next';

function errorOffset(text: string): number {
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  for (let at = 0; ; at = TOKEN.lastIndex) {
    SPACE.lastIndex = at;
    SPACE.test(text);
    const start = SPACE.lastIndex;
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    const [, mark, string] = match ?? [];
    if (!match || start === text.length) return start;
    const following = after(expected, mark ?? (string === undefined ? 'literal' : 'string'), open);
    if (following === undefined) return start;
    expected = following;
  }
}

/** @returns what may follow a token, with `open` changed; undefined if the token is wrong there */
function after(expected: Expected, token: string, open: ('{' | '[')[]): Expected | undefined {
  const within = open.at(-1);
  if (expected === 'value' || expected === 'firstItem') {
    if (token === '{' || token === '[') {
      open.push(token);
      return token === '{' ? 'firstKey' : 'firstItem';
    }
    if (token === 'string' || token === 'literal') return 'next';
    return token === ']' && expected === 'firstItem' ? closed(open) : undefined;
  }
  if (expected === 'colon') return token === ':' ? 'value' : undefined;
  if (expected !== 'next' && token === 'string') return 'colon';
  if (token === '}') return within === '{' && expected !== 'key' ? closed(open) : undefined;
  if (expected !== 'next') return undefined;
  if (token === ',' && within !== undefined) return within === '{' ? 'key' : 'value';
  return token === ']' && within === '[' ? closed(open) : undefined;
}

function closed(open: unknown[]): 'next' {
  open.pop();
  return 'next';
}
