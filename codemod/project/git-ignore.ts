/** Applies the ignore files inside the project. Ignore files of the user and the system are not read. */
import ignore, { type Ignore } from 'ignore';

interface Level {
  /** Ends in `/`; empty for the root. */
  folder: string;
  patterns: Ignore;
}

/** The ignore patterns that apply in a folder. */
export class IgnoreRules {
  /** From the root down. Deeper levels take precedence. */
  readonly #levels: readonly Level[];

  private constructor(levels: readonly Level[]) {
    this.#levels = levels;
  }

  static readonly none = new IgnoreRules([]);

  /** @param folder contains the ignore file; relative to the root, empty for the root */
  with(folder: string, patterns: string): IgnoreRules {
    const lines = patterns
      .replace(/^\ufeff/, '')
      .split(/\r?\n/)
      .map(limitPattern);
    return new IgnoreRules([
      ...this.#levels,
      { folder: folder === '' ? '' : `${folder}/`, patterns: ignore({ ignorecase: false }).add(lines) },
    ]);
  }

  /** Whether a path is ignored. Its folder must not be ignored. */
  ignores(path: string, isFolder: boolean): boolean {
    for (const { folder, patterns } of this.#levels.toReversed()) {
      const { ignored, unignored } = patterns.test(path.slice(folder.length) + (isFolder ? '/' : ''));
      if (ignored || unignored) return ignored;
    }
    return false;
  }
}

/** Limits: a matcher tries every way to split a name among the stars of a pattern, 170 million ways for four stars. */
const MAX_STARS_PER_SEGMENT = 3;
const MAX_DOUBLE_STARS = 4;
const MAX_PATTERN_LENGTH = 1000;

/** Replaces patterns that would take too long by broader ones. Such exceptions (`!`) are dropped. */
function limitPattern(line: string): string {
  const deep = line.match(/\*\*/g)?.length ?? 0;
  const many = line.split('/').some((segment) => (segment.match(/\*+/g)?.length ?? 0) > MAX_STARS_PER_SEGMENT);
  if (!many && deep <= MAX_DOUBLE_STARS && line.length <= MAX_PATTERN_LENGTH) return line;
  if (line.startsWith('!') || line.startsWith('#')) return '';
  const plain = line.slice(0, line.search(/[*?[\\]/)).replace(/[^/]*$/, '');
  return `${plain.startsWith('/') || !plain ? plain : `/${plain}`}*`;
}
