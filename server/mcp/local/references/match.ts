/** What image of the package a place of a source names, if any (spec/shapes.md, section 18.5). */
import { posix } from 'node:path';
import type { Replacement } from '../../../sites/package/mapping.ts';
import type { Candidate } from '../readers/candidate.ts';
import { type Address, decodedPath, nameOf, parseAddress } from './address.ts';
import type { ProjectImages } from './images.ts';
import type { Lines } from './lines.ts';
import { CONFIDENCES, type Match } from './reference.ts';
import { fromTopOf, isFromTop, type SitePaths, type Target } from './site-paths.ts';

export interface Matched {
  line: Replacement;
  match: Match;
  confidence: number;
  /** The image of the project that is meant. */
  image: string | undefined;
  /** More than one line, or more than one file, fits equally. */
  isAmbiguous: boolean;
  /** The image has the name as it is written, not as percent-encoding. */
  isLiteral?: boolean;
  /** The path from the top of the site by which the image has to be reached, decoded. */
  fromTop?: string;
}

export class Matcher {
  readonly #lines: Lines;
  readonly #images: ProjectImages;
  readonly #paths: SitePaths;

  constructor(lines: Lines, images: ProjectImages, paths: SitePaths) {
    this.#lines = lines;
    this.#images = images;
    this.#paths = paths;
  }

  /**
   * What has been matched is certain only when {@link Matcher.settled} has seen it.
   * @param file that the candidate is in
   */
  async match(file: string, candidate: Pick<Candidate, 'address' | 'kind'>): Promise<Matched | undefined> {
    const address = parseAddress(candidate.address);
    if (!address || nameOf(address.path) === '') return undefined;
    return address.host === undefined ? await this.#matchPath(file, address, candidate) : this.#matchUrl(address);
  }

  /** With the confidence that it has when all of the project has been matched. */
  settled(matched: Matched): Matched {
    const { fromTop, image } = matched;
    if (fromTop === undefined || image === undefined || this.#paths.leads(fromTop, image)) return matched;
    return { ...matched, confidence: Math.min(matched.confidence, CONFIDENCES.basename) };
  }

  #matchUrl({ host = '', path: written, query }: Address): Matched | undefined {
    if (!this.#lines.knowsHost(host)) return undefined;
    const path = decodedPath(written);
    const exact = this.#lines.ofUrl(host, path, query);
    if (exact.length > 0) return this.#named(exact, path, 'url');
    return this.#named(this.#lines.ofUrl(host, path, ''), path, 'path');
  }

  async #matchPath(
    file: string,
    { path: written, query }: Address,
    { address: text, kind }: Pick<Candidate, 'address' | 'kind'>,
  ): Promise<Matched | undefined> {
    const path = decodedPath(written);
    const fromTop = fromTopOf(path);
    const target = this.#paths.targetOf(file, written, kind);
    if (target) return await this.#led(target, fromTop, query);
    const isTop = isFromTop(file, path);
    // Text may be about another site, or about an earlier state of this one.
    if (isTop && kind !== 'text') this.#paths.note(fromTop);
    const named = isTop ? this.#lines.ofPath(fromTop, query) : [];
    if (named.length > 0) return this.#fromTop(named, fromTop);
    const spelled = this.#lines.ofSpelling(text.trim());
    if (spelled.length > 0)
      return path.startsWith('/') ? this.#fromTop(spelled, fromTop) : this.#named(spelled, fromTop, 'path');
    const based = fromTop.lastIndexOf('/') > 0 ? this.#lines.ofBasePath(fromTop) : [];
    if (based.length > 0) return this.#fromTop(based, fromTop);
    return this.#sameName(this.#lines.ofName(nameOf(path)));
  }

  #fromTop(lines: readonly Replacement[], fromTop: string): Matched | undefined {
    const matched = this.#named(lines, fromTop, 'path');
    return matched && { ...matched, fromTop };
  }

  /** An address that leads to a file of the project: it is that file's content that counts. */
  async #led({ path: image, by, isLiteral }: Target, fromTop: string, query: string): Promise<Matched | undefined> {
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
        isLiteral,
      };
    }
    const hashed = this.#images.linesOfHashedName.get(image);
    if (hashed) {
      const match = 'hashed_name';
      return { line: hashed, match, confidence: CONFIDENCES[match], image, isAmbiguous: false, isLiteral };
    }
    // The same path, but another picture than the one that was scanned: changed since, or changed on its way to the site.
    const [line] = this.#lines.ofPath(fromTop, query);
    if (!line) return undefined;
    const confidence = (await this.#images.hasSizeOf(image, line)) ? CONFIDENCES.hashed_name : CONFIDENCES.basename;
    return { line, match: 'path', confidence, image, isAmbiguous: false, isLiteral };
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
