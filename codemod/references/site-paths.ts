/**
 * Resolves addresses in a project: relative to a file, by an alias, or from the folders that the site is served from.
 */
import { posix } from 'node:path';
import { groupBy } from '../../base/group-by.ts';
import type { Framework } from '../project/framework.ts';
import type { Candidate } from '../readers/candidate.ts';
import { decodedPath, resolvePath } from './address.ts';

/** The file that an address leads to. */
export interface Target {
  path: string;
  by: 'public_dir' | 'relative' | 'alias';
  /** Whether the name is used as written, without percent-decoding. */
  isLiteral: boolean;
}

/** Minimum number of addresses that must lead to images by a folder before it counts as a site root. */
const MIN_ADDRESSES = 2;

export class SitePaths {
  readonly #images: ReadonlySet<string>;
  readonly #framework: Framework;
  /** Parent folders of the images, by the rest of the path. */
  readonly #folders: ReadonlyMap<string, readonly { top: string }[]>;
  /** For a folder and an address prefix that stands for it: the addresses that lead to images this way. */
  readonly #seen = new Map<string, Set<string>>();

  /** @param images paths, relative to the root */
  constructor(images: Iterable<string>, framework: Framework) {
    this.#images = new Set(images);
    this.#framework = framework;
    this.#folders = groupBy([...this.#images].flatMap(splitsOf), ({ rest }) => rest);
  }

  /**
   * Returns the image that an address leads to. Bundlers use names as written, so for an import that is tried first.
   * @param file contains the address
   * @param written path of the address
   */
  targetOf(file: string, written: string, kind: Candidate['kind']): Target | undefined {
    const path = decodedPath(written);
    const isImport = kind === 'import';
    if (path === written) return this.#found(file, path, isImport);
    const literal = () => this.#found(file, written, true);
    const decoded = () => this.#found(file, path, false);
    return isImport ? (literal() ?? decoded()) : (decoded() ?? literal());
  }

  #found(file: string, path: string, isLiteral: boolean): Target | undefined {
    for (const { prefix, folder } of this.#framework.aliases) {
      if (!path.startsWith(prefix)) continue;
      const found = this.#existing(resolvePath(folder, path.slice(prefix.length)));
      if (found !== undefined) return { path: found, by: 'alias', isLiteral };
    }
    const own = folderOf(file);
    if (!path.startsWith('/')) {
      const found = this.#existing(resolvePath(own, path));
      if (found !== undefined) return { path: found, by: 'relative', isLiteral };
      if (/^\.\.?\//.test(path)) return undefined;
    }
    // With a framework the site root is a public folder. Otherwise it may be a folder above the file, or a public one.
    const above =
      own === ''
        ? ['']
        : [...own.split('/').map((_, left, parts) => parts.slice(0, parts.length - left).join('/')), ''];
    const { name, publicDirs } = this.#framework;
    for (const top of name === 'none' ? [...above, ...publicDirs] : [...publicDirs, ...above]) {
      const found = this.#existing(resolvePath(top, path));
      if (found !== undefined) return { path: found, by: 'public_dir', isLiteral };
    }
    return undefined;
  }

  #existing(path: string | undefined): string | undefined {
    return path !== undefined && this.#images.has(path) ? path : undefined;
  }

  /** Records an absolute path that did not resolve directly. @param path decoded, with a leading slash */
  note(path: string): void {
    const rest = resolvePath('', path);
    if (!rest) return;
    for (const { top } of this.#folders.get(rest) ?? []) this.#record('', top, path);
    for (const { top: base, rest: end } of splitsOf(rest)) {
      if (base === '') continue;
      for (const top of this.#tops) if (this.#images.has(posix.join(top, end))) this.#record(base, top, path);
    }
  }

  #record(base: string, top: string, path: string): void {
    const key = `${base}\n${top}`;
    this.#seen.set(key, (this.#seen.get(key) ?? new Set()).add(path));
  }

  /** The root and the public folders. */
  get #tops(): readonly string[] {
    return ['', ...this.#framework.publicDirs];
  }

  /**
   * Whether an absolute path leads to an image: from the root or a public folder, or by a folder by which other
   * addresses lead to images too. If the site is in a folder of its host, all its addresses start with that folder.
   * Call it only after all addresses have been recorded.
   * @param path decoded, with a leading slash
   */
  leads(path: string, image: string): boolean {
    const rest = resolvePath('', path);
    if (!rest) return false;
    if (this.#tops.some((top) => posix.join(top, rest) === image)) return true;
    if (image.endsWith(`/${rest}`)) return this.#isKnown('', image.slice(0, -rest.length - 1));
    return splitsOf(rest).some(
      ({ top: base, rest: end }) =>
        base !== '' && this.#tops.some((top) => posix.join(top, end) === image && this.#isKnown(base, top)),
    );
  }

  #isKnown(base: string, top: string): boolean {
    return (this.#seen.get(`${base}\n${top}`)?.size ?? 0) >= MIN_ADDRESSES;
  }
}

/** The folder of a file; empty for the root. */
function folderOf(file: string): string {
  const folder = posix.dirname(file);
  return folder === '.' ? '' : folder;
}

/** All splits of a path before one of its segments. */
function splitsOf(path: string): { top: string; rest: string }[] {
  const parts = path.split('/');
  return parts.map((_, index) => ({ top: parts.slice(0, index).join('/'), rest: parts.slice(index).join('/') }));
}

/** The absolute path on the site that an address stands for. @param path decoded */
export const absolutePathOf = (path: string): string =>
  path.startsWith('/') ? path : `/${path.replace(/^(?:\.\.?\/)+/, '')}`;

/**
 * Whether an address may be absolute. This includes one that leaves the project, since the built page may be elsewhere.
 */
export const mayBeAbsolute = (file: string, path: string): boolean =>
  !/^\.\.?\//.test(path) || resolvePath(folderOf(file), path) === undefined;
