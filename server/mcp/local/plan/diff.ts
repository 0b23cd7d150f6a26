/** Unified diffs of files in which places within lines have changed: as many lines after as before, so none has to be looked for. */

const CONTEXT = 3;

/**
 * The change of one file as `git diff` writes it, or '' where there is none.
 * @param path relative to the root
 * @throws RangeError when the texts differ in their number of lines
 */
export function fileDiff(path: string, before: string, after: string): string {
  const [old, changed] = [linesOf(before), linesOf(after)];
  if (old.length !== changed.length) throw new RangeError(`${path}: the number of lines has changed`);
  const hunks = hunksOf(old, changed);
  if (hunks.length === 0) return '';
  const [from, to] = [quoted(`a/${path}`), quoted(`b/${path}`)];
  // Git ends names with spaces with a tab, so that what follows is not taken for a time.
  const mark = path.includes(' ') ? '\t' : '';
  const head = `diff --git ${from} ${to}\n--- ${from}${mark}\n+++ ${to}${mark}\n`;
  return head + hunks.map((hunk) => hunkText(hunk, old, changed)).join('');
}

/** With their ends; lines end with a line feed alone, as git counts them. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

interface Hunk {
  first: number;
  /** Without. */
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

function written(sign: string, line: string): string {
  return line.endsWith('\n') ? sign + line : `${sign}${line}\n\\ No newline at end of file\n`;
}

/** As git writes names that could be misread. */
function quoted(name: string): string {
  if (!/["\\\p{Cc}]/u.test(name)) return name;
  const escaped = name.replaceAll(/["\\]/g, '\\$&').replaceAll(/\p{Cc}/gu, (character) => {
    return [...Buffer.from(character)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
  });
  return `"${escaped}"`;
}

/** Of a result: as much as an agent reads at a time. */
const MAX_DIFF_BYTES = 20_000;

/**
 * A part of a diff, which ends with a line, or within one that is longer than a part.
 * @param offset in bytes
 */
export function diffPart(diff: Buffer, offset: number): { text: string; next: number | null } {
  const limit = offset + MAX_DIFF_BYTES;
  if (limit >= diff.length) return { text: diff.toString('utf8', offset), next: null };
  const lineEnd = diff.lastIndexOf(0x0a, limit - 1) + 1;
  const end = lineEnd > offset ? lineEnd : characterStart(diff, limit);
  return { text: diff.toString('utf8', offset, end), next: end };
}

/** The last offset up to `offset` at which a character of UTF-8 begins. */
function characterStart(text: Buffer, offset: number): number {
  let start = offset;
  while ((text[start]! & 0xc0) === 0x80) start -= 1;
  return start;
}
