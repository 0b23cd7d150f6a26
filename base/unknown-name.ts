/** Says what to do about a name that is not known. */

/** The next step after an unknown name: the most similar known one, or all of them. */
export function hintForName(name: string, known: Iterable<string>): string {
  const names = [...known];
  const near = findNearest(name, names);
  if (near !== undefined) return `Did you mean ${near}?`;
  return names.length === 0 ? 'Remove it: nothing is accepted here.' : `Use one of ${names.join(', ')}, or remove it.`;
}

const MAX_EDITS = 2;

/** Returns the closest known name, if one is within the limit of typing errors. */
export function findNearest(name: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let fewest = Math.min(MAX_EDITS, Math.floor(name.length / 2)) + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= fewest) continue;
    const edits = editDistance(name, candidate);
    if (edits < fewest) [best, fewest] = [candidate, edits];
  }
  return best;
}

/** Levenshtein distance, computed one table row at a time. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [y, letter] of [...from].entries()) {
    const next = [y + 1];
    for (const [x, other] of [...to].entries()) {
      next.push(Math.min(row[x + 1]! + 1, next[x]! + 1, row[x]! + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row[to.length]!;
}
