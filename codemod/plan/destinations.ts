/** Chooses the paths of new images: next to the original, under an unused name. */
import { posix } from 'node:path';
import type { Replacement } from '../../replacement-package/replacement.ts';
import { isTaken, stateOf } from '../files.ts';
import type { ReplacementPackage } from '../package/package.ts';
import { isSafeName } from '../package/safe-path.ts';
import type { ProjectRoot } from '../project/root.ts';
import { decodedPath, nameOf } from '../references/address.ts';
import type { AddedImage, PlannedFile } from './plan.ts';

const MAX_SUFFIX = 1000;

export class Destinations {
  readonly #root: ProjectRoot;
  readonly #package: ReplacementPackage;
  /** Chosen paths by new content and original. */
  readonly #known = new Map<string, string>();
  readonly #added = new Map<string, AddedImage>();

  constructor(root: ProjectRoot, source: ReplacementPackage) {
    this.#root = root;
    this.#package = source;
  }

  /** The new images that the edits refer to and that do not exist yet, sorted by path. */
  addedFor(files: readonly PlannedFile[]): AddedImage[] {
    const targets = new Set(files.flatMap(({ edits }) => edits.flatMap((edit) => edit.targets)));
    return [...this.#added.values()]
      .filter(({ path }) => targets.has(path))
      .sort((one, other) => (one.path < other.path ? -1 : 1));
  }

  /**
   * Returns the path of a line's new file, relative to the root. An existing file with the same content is reused.
   * @param original path of the original, relative to the root
   */
  async of(line: Replacement, original: string): Promise<string> {
    const key = `${line.to_sha256} ${original}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const path = await this.#choose(line, original);
    this.#known.set(key, path);
    return path;
  }

  async #choose(line: Replacement, original: string): Promise<string> {
    for (const name of namesFor(line, posix.basename(original))) {
      const path = posix.join(posix.dirname(original), name);
      const planned = this.#added.get(path);
      if (planned?.sha256 === line.to_sha256) return path;
      if (planned) continue;
      if (await isTaken(this.#root, path)) {
        const there = await stateOf(this.#root, path).catch(() => undefined);
        if (there?.sha256 === line.to_sha256) return path;
        continue;
      }
      this.#added.set(path, {
        path,
        from: `${this.#package.folder}/${line.to}`,
        bytes: line.to_bytes,
        sha256: line.to_sha256,
        width: line.to_width,
        height: line.to_height,
      });
      return path;
    }
    throw new RangeError(`no name left beside ${original}`);
  }
}

/**
 * Candidate names for a new file, best first: the map's name if it is derived from the original's, then similar names.
 */
function* namesFor({ to, to_path: proposed }: Replacement, original: string): Generator<string> {
  const { name: stem, ext } = posix.parse(original);
  const mapped = nameOf(decodedPath(proposed));
  if (isSafeName(mapped) && isDerivedFrom(mapped, posix.parse(original)) && mapped !== original) yield mapped;
  const extension = posix.extname(to);
  const base = extension.toLowerCase() === ext.toLowerCase() ? `${stem}.min` : stem;
  yield base + extension;
  yield original + extension;
  for (let number = 2; number < MAX_SUFFIX; number += 1) yield `${base}-${number}${extension}`;
}

/**
 * Whether a name is derived from an original's: `hero.webp`, `hero.min.jpg`, `hero.jpg.webp` and `hero.640w.webp` are,
 * for `hero.jpg`. `hero.50ae26b1.webp` is not: a build named it.
 */
function isDerivedFrom(name: string, { name: stem, ext }: { name: string; ext: string }): boolean {
  if (!name.startsWith(`${stem}.`)) return false;
  const infixes = name
    .slice(stem.length + 1)
    .split('.')
    .slice(0, -1);
  return infixes.every((infix) => infix === 'min' || `.${infix}` === ext || /^[0-9]{1,5}w$/.test(infix));
}
