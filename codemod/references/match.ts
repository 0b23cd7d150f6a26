/** Determines which image of the package a place of a source names, if any (docs/spec/shapes.md, section 18.5). */
import { posix } from 'node:path';
import type { Replacement } from '../../replacement-package/replacement.ts';
import type { Candidate } from '../readers/candidate.ts';
import { type Address, decodedPath, nameOf, parseAddress } from './address.ts';
import type { ProjectImages } from './images.ts';
import type { ReplacementIndex } from './lines.ts';
import { CONFIDENCES, type Match } from './reference.ts';
import { absolutePathOf, mayBeAbsolute, type SitePaths, type Target } from './site-paths.ts';

export interface Matched {
  line: Replacement;
  match: Match;
  confidence: number;
  /** The project image that is meant. */
  image: string | undefined;
  /** Whether several lines or files match equally well. */
  isAmbiguous: boolean;
  /** Whether the image's name is used as written, without percent-decoding. */
  isLiteral?: boolean;
  /** The absolute path by which the image must be reachable on the site, decoded. */
  fromTop?: string;
}

export class Matcher {
  readonly #lines: ReplacementIndex;
  readonly #images: ProjectImages;
  readonly #paths: SitePaths;

  constructor(lines: ReplacementIndex, images: ProjectImages, paths: SitePaths) {
    this.#lines = lines;
    this.#images = images;
    this.#paths = paths;
  }

  /**
   * Matches a candidate. The result is only final after {@link Matcher.settled}.
   * @param file the file that contains the candidate
   */
  async match(file: string, candidate: Pick<Candidate, 'address' | 'kind'>): Promise<Matched | undefined> {
    const address = parseAddress(candidate.address);
    if (!address || nameOf(address.path) === '') return undefined;
    return address.host === undefined ? await this.#matchPath(file, address, candidate) : this.#matchUrl(address);
  }

  /** Adjusts the confidence after the whole project has been matched. */
  settled(matched: Matched): Matched {
    const { fromTop, image } = matched;
    if (fromTop === undefined || image === undefined || this.#paths.leads(fromTop, image)) return matched;
    return { ...matched, confidence: Math.min(matched.confidence, CONFIDENCES.basename) };
  }

  #matchUrl({ host = '', path: written, query }: Address): Matched | undefined {
    if (!this.#lines.knowsHost(host)) return undefined;
    const path = decodedPath(written);
    const exact = this.#lines.ofUrl(host, path, query);
    if (exact.length > 0) return this.#matchLines(exact, path, 'url');
    return this.#matchLines(this.#lines.ofUrl(host, path, ''), path, 'path');
  }

  async #matchPath(
    file: string,
    { path: written, query }: Address,
    { address: text, kind }: Pick<Candidate, 'address' | 'kind'>,
  ): Promise<Matched | undefined> {
    const path = decodedPath(written);
    const fromTop = absolutePathOf(path);
    const target = this.#paths.targetOf(file, written, kind);
    if (target) return await this.#matchTarget(target, fromTop, query);
    const isTop = mayBeAbsolute(file, path);
    // Plain text may be about another site or an earlier version of this one.
    if (isTop && kind !== 'text') this.#paths.note(fromTop);
    const named = isTop ? this.#lines.ofPath(fromTop, query) : [];
    if (named.length > 0) return this.#fromTop(named, fromTop);
    const spelled = this.#lines.ofSpelling(text.trim());
    if (spelled.length > 0)
      return path.startsWith('/') ? this.#fromTop(spelled, fromTop) : this.#matchLines(spelled, fromTop, 'path');
    const based = fromTop.lastIndexOf('/') > 0 ? this.#lines.ofBasePath(fromTop) : [];
    if (based.length > 0) return this.#fromTop(based, fromTop);
    return this.#sameName(this.#lines.ofName(nameOf(path)));
  }

  #fromTop(lines: readonly Replacement[], fromTop: string): Matched | undefined {
    const matched = this.#matchLines(lines, fromTop, 'path');
    return matched && { ...matched, fromTop };
  }

  /** Matches an address that leads to a project file. The file's content decides. */
  async #matchTarget(
    { path: image, by, isLiteral }: Target,
    fromTop: string,
    query: string,
  ): Promise<Matched | undefined> {
    const same = this.#images.linesOfContent.get(image);
    if (same) {
      const named = this.#lines.ofPath(fromTop, query).filter((line) => same.includes(line));
      const match = named.length > 0 && by !== 'alias' ? 'path' : by;
      // ReplacementIndex with the same content have equivalent new files.
      const line = named[0] ?? nearest(same, image);
      return { line, match, confidence: CONFIDENCES[match], image, isAmbiguous: false, isLiteral };
    }
    const hashed = this.#images.linesOfHashedName.get(image);
    if (hashed) {
      const match = 'hashed_name';
      return { line: hashed, match, confidence: CONFIDENCES[match], image, isAmbiguous: false, isLiteral };
    }
    // The path matches but the image differs from the scanned one: it was changed since, or by the build.
    const [line] = this.#lines.ofPath(fromTop, query);
    if (!line) return undefined;
    const confidence = (await this.#images.hasSizeOf(image, line)) ? CONFIDENCES.hashed_name : CONFIDENCES.basename;
    return { line, match: 'path', confidence, image, isAmbiguous: false, isLiteral };
  }

  /** Matches an address that names lines of the package. */
  #matchLines(lines: readonly Replacement[], path: string, match: 'url' | 'path'): Matched | undefined {
    const [line] = lines;
    if (!line) return undefined;
    const contents = new Set(lines.map(({ from_sha256: hash }) => hash));
    const image = this.#imageOf(line, path);
    const isAmbiguous = contents.size > 1 || image === null;
    // A file with another name may not be the one that the address means.
    const isSame = typeof image !== 'string' || posix.basename(image).normalize('NFC') === nameOf(path);
    const confidence = isSame ? CONFIDENCES[match] : CONFIDENCES.basename;
    return { line, match, confidence, image: image ?? undefined, isAmbiguous };
  }

  /** The file with a line's content whose path is most similar to the address; null if two are equally similar. */
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
    const confidence = CONFIDENCES.basename;
    return { line, match: 'basename', confidence, image: undefined, isAmbiguous: lines.length > 1 };
  }
}

/** Number of trailing segments that two paths share. */
function sharedEnd(one: string, other: string): number {
  const [left, right] = [one.split('/').reverse(), other.split('/').filter(Boolean).reverse()];
  let count = 0;
  while (count < left.length && count < right.length && left[count] === right[count]) count += 1;
  return count;
}

/** Of lines with the same content, the one whose path is most similar to the file's, otherwise the first. */
function nearest(lines: readonly Replacement[], file: string): Replacement {
  let best = lines[0]!;
  for (const line of lines) {
    if (sharedEnd(file, decodedPath(line.from_path)) > sharedEnd(file, decodedPath(best.from_path))) best = line;
  }
  return best;
}
