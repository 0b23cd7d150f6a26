/** What git ignores, by the files of patterns inside the project; those of the user and the system are not asked. */
import ignore, { type Ignore } from 'ignore';

interface Level {
  /** With `/` at its end; '' for the root. */
  folder: string;
  patterns: Ignore;
}

/** The patterns that hold in a folder. */
export class IgnoreRules {
  /** From the root down: the deeper ones count more. */
  readonly #levels: readonly Level[];

  private constructor(levels: readonly Level[]) {
    this.#levels = levels;
  }

  static readonly none = new IgnoreRules([]);

  /** @param folder that the patterns were found in, relative to the root; '' for the root */
  with(folder: string, patterns: string): IgnoreRules {
    const lines = patterns
      .replace(/^\ufeff/, '')
      .split(/\r?\n/)
      .map(bounded);
    return new IgnoreRules([
      ...this.#levels,
      { folder: folder === '' ? '' : `${folder}/`, patterns: ignore({ ignorecase: false }).add(lines) },
    ]);
  }

  /** Of something whose folder is not ignored. */
  ignores(path: string, isFolder: boolean): boolean {
    for (const { folder, patterns } of this.#levels.toReversed()) {
      const { ignored, unignored } = patterns.test(path.slice(folder.length) + (isFolder ? '/' : ''));
      if (ignored || unignored) return ignored;
    }
    return false;
  }
}

/** A matcher tries all ways to share a name among the stars of a pattern: with four of them 170 million. */
const MOST_STARS = 3;
const MOST_DEEP_STARS = 4;
const LONGEST_PATTERN = 1000;

/** Patterns that take too long ignore more than they say, and except nothing. */
function bounded(line: string): string {
  const deep = line.match(/\*\*/g)?.length ?? 0;
  const many = line.split('/').some((segment) => (segment.match(/\*+/g)?.length ?? 0) > MOST_STARS);
  if (!many && deep <= MOST_DEEP_STARS && line.length <= LONGEST_PATTERN) return line;
  if (line.startsWith('!') || line.startsWith('#')) return '';
  const plain = line.slice(0, line.search(/[*?[\\]/)).replace(/[^/]*$/, '');
  return `${plain.startsWith('/') || !plain ? plain : `/${plain}`}*`;
}
