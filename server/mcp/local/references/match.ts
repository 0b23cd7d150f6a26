/** What image of the package a place of a source names, if any (spec/shapes.md, section 18.5). */
import { posix } from 'node:path';
import type { Replacement } from '../../../sites/package/mapping.ts';
import type { Framework } from '../project/framework.ts';
import type { Candidate } from '../readers/candidate.ts';
import { type Address, decodedPath, joined, nameOf, parseAddress } from './address.ts';
import type { ProjectImages } from './images.ts';
import type { Lines } from './lines.ts';
import { CONFIDENCES, type Match } from './reference.ts';

export interface Matched {
  line: Replacement;
  match: Match;
  confidence: number;
  /** The image of the project that is meant. */
  image: string | undefined;
  /** More than one line, or more than one file, fits equally. */
  isAmbiguous: boolean;
}

/** A file that an address leads to. */
interface Target {
  path: string;
  by: 'public_dir' | 'relative' | 'alias';
}

export class Matcher {
  readonly #lines: Lines;
  readonly #images: ProjectImages;
  readonly #framework: Framework;

  constructor(lines: Lines, images: ProjectImages, framework: Framework) {
    this.#lines = lines;
    this.#images = images;
    this.#framework = framework;
  }

  /** @param file that the candidate is in */
  async match(file: string, { address: text }: Pick<Candidate, 'address'>): Promise<Matched | undefined> {
    const address = parseAddress(text);
    if (!address || nameOf(address.path) === '') return undefined;
    return address.host === undefined ? await this.#matchPath(file, address, text.trim()) : this.#matchUrl(address);
  }

  #matchUrl({ host = '', path: written, query }: Address): Matched | undefined {
    if (!this.#lines.knowsHost(host)) return undefined;
    const path = decodedPath(written);
    const exact = this.#lines.ofUrl(host, path, query);
    if (exact.length > 0) return this.#named(exact, path, 'url');
    return this.#named(this.#lines.ofUrl(host, path, ''), path, 'path');
  }

  async #matchPath(file: string, { path: written, query }: Address, text: string): Promise<Matched | undefined> {
    const path = decodedPath(written);
    const fromTop = path.startsWith('/') ? path : `/${path.replace(/^(?:\.\.?\/)+/, '')}`;
    // A bundler takes the name as it is written.
    const target = this.#targetOf(file, path) ?? this.#targetOf(file, written);
    if (target) return await this.#led(target, fromTop, query);
    // One that leads out of the project is relative to a page that is made of this source.
    const isFromTop = !/^\.\.?\//.test(path) || joined(folderOf(file), path) === undefined;
    const named = isFromTop ? this.#lines.ofPath(fromTop, query) : [];
    if (named.length > 0) return this.#named(named, fromTop, 'path');
    const spelled = this.#lines.ofSpelling(text);
    if (spelled.length > 0) return this.#named(spelled, fromTop, 'path');
    const based = fromTop.lastIndexOf('/') > 0 ? this.#lines.ofBasePath(fromTop) : [];
    if (based.length > 0) return this.#named(based, fromTop, 'path');
    return this.#sameName(this.#lines.ofName(nameOf(path)));
  }

  /** The image of the project that an address leads to. */
  #targetOf(file: string, path: string): Target | undefined {
    for (const { prefix, folder } of this.#framework.aliases) {
      if (!path.startsWith(prefix)) continue;
      const found = this.#existing(joined(folder, path.slice(prefix.length)));
      if (found !== undefined) return { path: found, by: 'alias' };
    }
    const own = folderOf(file);
    if (!path.startsWith('/')) {
      const found = this.#existing(joined(own, path));
      if (found !== undefined) return { path: found, by: 'relative' };
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
      if (found !== undefined) return { path: found, by: 'public_dir' };
    }
    return undefined;
  }

  #existing(path: string | undefined): string | undefined {
    return path !== undefined && this.#images.has(path) ? path : undefined;
  }

  /** An address that leads to a file of the project: it is that file's content that counts. */
  async #led({ path: image, by }: Target, fromTop: string, query: string): Promise<Matched | undefined> {
    const same = this.#images.linesOfContent.get(image);
    if (same) {
      const named = this.#lines.ofPath(fromTop, query).filter((line) => same.includes(line));
      const match = named.length > 0 && by !== 'alias' ? 'path' : by;
      // Lines of the same content have the same new file, or one as good.
      return {
        line: named[0] ?? nearest(same, image),
        match,
        confidence: CONFIDENCES[match],
        image,
        isAmbiguous: false,
      };
    }
    const hashed = this.#images.linesOfHashedName.get(image);
    if (hashed) {
      return { line: hashed, match: 'hashed_name', confidence: CONFIDENCES.hashed_name, image, isAmbiguous: false };
    }
    // The same path, but another picture than the one that was scanned: changed since, or changed on its way to the site.
    const [line] = this.#lines.ofPath(fromTop, query);
    if (!line) return undefined;
    const confidence = (await this.#images.hasSizeOf(image, line)) ? CONFIDENCES.hashed_name : CONFIDENCES.basename;
    return { line, match: 'path', confidence, image, isAmbiguous: false };
  }

  /** An address that names lines of the package. */
  #named(lines: readonly Replacement[], path: string, match: 'url' | 'path'): Matched | undefined {
    const [line] = lines;
    if (!line) return undefined;
    const contents = new Set(lines.map(({ from_sha256: hash }) => hash));
    const image = this.#imageOf(line, path);
    const isAmbiguous = contents.size > 1 || image === null;
    // Its place is known only where it is called the same there.
    const isSame = typeof image !== 'string' || posix.basename(image).normalize('NFC') === nameOf(path);
    const confidence = isSame ? CONFIDENCES[match] : CONFIDENCES.basename;
    return { line, match, confidence, image: image ?? undefined, isAmbiguous };
  }

  /** The file with the content of a line whose path is most like the address; null where two are equally. */
  #imageOf({ seq }: Replacement, path: string): string | null | undefined {
    const files = this.#images.filesOfLine.get(seq) ?? [];
    const ranked = files
      .map((file) => ({ file, shared: sharedEnd(file, path) }))
      .sort((one, other) => other.shared - one.shared);
    const [first, second] = ranked;
    if (first && second && first.shared === second.shared) return null;
    return first?.file;
  }

  #sameName(lines: readonly Replacement[]): Matched | undefined {
    const [line] = lines;
    if (!line) return undefined;
    return {
      line,
      match: 'basename',
      confidence: CONFIDENCES.basename,
      image: undefined,
      isAmbiguous: lines.length > 1,
    };
  }
}

/** '' for the top. */
function folderOf(file: string): string {
  const folder = posix.dirname(file);
  return folder === '.' ? '' : folder;
}

/** How many segments two paths have in common at their ends. */
function sharedEnd(one: string, other: string): number {
  const [left, right] = [one.split('/').reverse(), other.split('/').filter(Boolean).reverse()];
  let count = 0;
  while (count < left.length && count < right.length && left[count] === right[count]) count += 1;
  return count;
}

/** Of lines with the same content the one whose address is most like the file's path, else the first. */
function nearest(lines: readonly Replacement[], file: string): Replacement {
  let best = lines[0]!;
  for (const line of lines) {
    if (sharedEnd(file, decodedPath(line.from_path)) > sharedEnd(file, decodedPath(best.from_path))) best = line;
  }
  return best;
}
