/** Where addresses lead in a project: from a file, by an alias, or from the folders that its site is served from. */
import { posix } from 'node:path';
import type { Framework } from '../project/framework.ts';
import type { Candidate } from '../readers/candidate.ts';
import { decodedPath, joined } from './address.ts';

/** A file that an address leads to. */
export interface Target {
  path: string;
  by: 'public_dir' | 'relative' | 'alias';
  /** It has the name as it is written, not as percent-encoding. */
  isLiteral: boolean;
}

/** Other addresses are needed to know a folder for the top of a site. */
const LEAST_ADDRESSES = 2;

export class SitePaths {
  readonly #images: ReadonlySet<string>;
  readonly #framework: Framework;
  /** Folders by what follows them in the path of an image. */
  readonly #folders = new Map<string, string[]>();
  /** Of a folder, and of the beginning of addresses that stands for it: the paths that lead to an image by it. */
  readonly #seen = new Map<string, Set<string>>();

  /** @param images paths, relative to the root */
  constructor(images: Iterable<string>, framework: Framework) {
    this.#images = new Set(images);
    this.#framework = framework;
    for (const image of this.#images) {
      for (const { top, rest } of cuts(image)) {
        const tops = this.#folders.get(rest);
        if (tops) tops.push(top);
        else this.#folders.set(rest, [top]);
      }
    }
  }

  /**
   * The image that an address leads to. A bundler takes a name as it is written, and does so first in an import.
   * @param file that the address is in
   * @param written its path
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
      const found = this.#existing(joined(folder, path.slice(prefix.length)));
      if (found !== undefined) return { path: found, by: 'alias', isLiteral };
    }
    const own = folderOf(file);
    if (!path.startsWith('/')) {
      const found = this.#existing(joined(own, path));
      if (found !== undefined) return { path: found, by: 'relative', isLiteral };
      if (/^\.\.?\//.test(path)) return undefined;
    }
    // The top of the site is a public folder, where a framework has one; else a folder above the file, or any public one.
    const above =
      own === ''
        ? ['']
        : [...own.split('/').map((_, left, parts) => parts.slice(0, parts.length - left).join('/')), ''];
    const { name, publicDirs } = this.#framework;
    for (const top of name === 'none' ? [...above, ...publicDirs] : [...publicDirs, ...above]) {
      const found = this.#existing(joined(top, path));
      if (found !== undefined) return { path: found, by: 'public_dir', isLiteral };
    }
    return undefined;
  }

  #existing(path: string | undefined): string | undefined {
    return path !== undefined && this.#images.has(path) ? path : undefined;
  }

  /** Takes note of a path from the top of the site that leads to no image by itself. @param path decoded, with its slash */
  note(path: string): void {
    const rest = joined('', path);
    if (!rest) return;
    for (const top of this.#folders.get(rest) ?? []) this.#see('', top, path);
    for (const { top: base, rest: end } of cuts(rest)) {
      if (base === '') continue;
      for (const top of this.#tops) if (this.#images.has(posix.join(top, end))) this.#see(base, top, path);
    }
  }

  #see(base: string, top: string, path: string): void {
    const key = `${base}\n${top}`;
    this.#seen.set(key, (this.#seen.get(key) ?? new Set()).add(path));
  }

  /** The root and the public folders. */
  get #tops(): readonly string[] {
    return ['', ...this.#framework.publicDirs];
  }

  /**
   * Whether a path from the top of the site leads to an image: from the root or a public folder, or by a folder by which other
   * addresses lead to images as well. Of a site below a folder of its host, that folder begins all its addresses. To be asked
   * when all addresses have been noted.
   * @param path decoded, with its slash
   */
  leads(path: string, image: string): boolean {
    const rest = joined('', path);
    if (!rest) return false;
    if (this.#tops.some((top) => posix.join(top, rest) === image)) return true;
    if (image.endsWith(`/${rest}`)) return this.#isKnown('', image.slice(0, -rest.length - 1));
    return cuts(rest).some(
      ({ top: base, rest: end }) =>
        base !== '' && this.#tops.some((top) => posix.join(top, end) === image && this.#isKnown(base, top)),
    );
  }

  #isKnown(base: string, top: string): boolean {
    return (this.#seen.get(`${base}\n${top}`)?.size ?? 0) >= LEAST_ADDRESSES;
  }
}

/** '' for the top. */
function folderOf(file: string): string {
  const folder = posix.dirname(file);
  return folder === '.' ? '' : folder;
}

/** A path cut between its segments, and before the first. */
function cuts(path: string): { top: string; rest: string }[] {
  const parts = path.split('/');
  return parts.map((_, index) => ({ top: parts.slice(0, index).join('/'), rest: parts.slice(index).join('/') }));
}

/** The path from the top of a site that an address has. @param path decoded */
export function fromTopOf(path: string): string {
  return path.startsWith('/') ? path : `/${path.replace(/^(?:\.\.?\/)+/, '')}`;
}

/** Whether an address can be meant from the top: also one that leads out of the project, from a page that a source is made into. */
export function isFromTop(file: string, path: string): boolean {
  return !/^\.\.?\//.test(path) || joined(folderOf(file), path) === undefined;
}
