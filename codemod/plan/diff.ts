/**
 * Unified diffs for edits within lines. The number of lines does not change, so no search for matching lines is needed.
 */

const CONTEXT = 3;

/**
 * Formats the changes of one file as `git diff` does; an empty string if there are none.
 * @param path relative to the root
 * @throws RangeError if the numbers of lines differ
 */
export function fileDiff(path: string, before: string, after: string): string {
  const [old, changed] = [linesOf(before), linesOf(after)];
  if (old.length !== changed.length) throw new RangeError(`${path}: the number of lines has changed`);
  const hunks = hunksOf(old, changed);
  if (hunks.length === 0) return '';
  const [from, to] = [quoted(`a/${path}`), quoted(`b/${path}`)];
  // Git adds a tab after names with spaces, so that the rest is not parsed as a timestamp.
  const mark = path.includes(' ') ? '\t' : '';
  const head = `diff --git ${from} ${to}\n--- ${from}${mark}\n+++ ${to}${mark}\n`;
  return head + hunks.map((hunk) => hunkText(hunk, old, changed)).join('');
}

/** Splits a text into lines, including their ends. Like git, only a line feed ends a line. */
const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

interface Hunk {
  first: number;
  /** Exclusive. */
  end: number;
}

function hunksOf(old: readonly string[], changed: readonly string[]): Hunk[] {
  const hunks: Hunk[] = [];
  for (let line = 0; line < old.length; line += 1) {
    if (old[line] === changed[line]) continue;
    const [first, end] = [Math.max(0, line - CONTEXT), Math.min(old.length, line + 1 + CONTEXT)];
    const last = hunks.at(-1);
    if (last && first <= last.end) last.end = end;
    else hunks.push({ first, end });
  }
  return hunks;
}

function hunkText({ first, end }: Hunk, old: readonly string[], changed: readonly string[]): string {
  const count = end - first === 1 ? '' : `,${end - first}`;
  const parts = [`@@ -${first + 1}${count} +${first + 1}${count} @@\n`];
  for (let line = first; line < end; ) {
    if (old[line] === changed[line]) {
      parts.push(written(' ', old[line]!));
      line += 1;
      continue;
    }
    let after = line;
    while (after < end && old[after] !== changed[after]) after += 1;
    for (let each = line; each < after; each += 1) parts.push(written('-', old[each]!));
    for (let each = line; each < after; each += 1) parts.push(written('+', changed[each]!));
    line = after;
  }
  return parts.join('');
}

const written = (sign: string, line: string): string =>
  line.endsWith('\n') ? sign + line : `${sign}${line}\n\\ No newline at end of file\n`;

/** Quotes special names as git does. */
function quoted(name: string): string {
  if (!/["\\\p{Cc}]/u.test(name)) return name;
  const escaped = name.replaceAll(/["\\]/g, '\\$&').replaceAll(/\p{Cc}/gu, (character) => {
    return [...Buffer.from(character)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
  });
  return `"${escaped}"`;
}

/** Maximum bytes of a diff in a result: what an agent can read at a time. */
const MAX_DIFF_BYTES = 20_000;

/**
 * Returns a part of a diff. It ends at a line end, or within a line that is longer than the part.
 * @param offset in bytes
 */
export function diffPart(diff: Buffer, offset: number): { text: string; next: number | null } {
  const limit = offset + MAX_DIFF_BYTES;
  if (limit >= diff.length) return { text: diff.toString('utf8', offset), next: null };
  const lineEnd = diff.lastIndexOf(0x0a, limit - 1) + 1;
  const end = lineEnd > offset ? lineEnd : characterStart(diff, limit);
  return { text: diff.toString('utf8', offset, end), next: end };
}

/** The start of the UTF-8 character at `offset`. */
function characterStart(text: Buffer, offset: number): number {
  let start = offset;
  while ((text[start]! & 0xc0) === 0x80) start -= 1;
  return start;
}
