/** Matches project images to those of the package: by content, otherwise by name and size. */
import { posix } from 'node:path';
import { groupBy } from '../../base/group-by.ts';
import { sizeOf } from '../../codecs/dimensions.ts';
import { sniff } from '../../codecs/sniff.ts';
import type { Replacement } from '../../replacement-package/replacement.ts';
import { stateOf, withFile } from '../files.ts';
import type { ProjectRoot } from '../project/root.ts';
import { decodedPath, nameOf } from './address.ts';
import { CONFIDENCES, type FoundImage } from './reference.ts';

/** Bytes read to find the size in pixels. More than any usual header. */
const HEADER_BYTES = 256 * 1024;

export interface PixelSize {
  width: number;
  height: number;
}

export class ProjectImages {
  readonly found: FoundImage[] = [];
  /** Lines whose original is identical to a file. */
  readonly linesOfContent = new Map<string, Replacement[]>();
  /** Files with the content of a line. */
  readonly filesOfLine = new Map<number, string[]>();
  /** Files that are probably the source of a line's original before a build changed the bytes. */
  readonly linesOfHashedName = new Map<string, Replacement>();
  readonly #root: ProjectRoot;
  readonly #paths: readonly string[];

  private constructor(root: ProjectRoot, paths: readonly string[]) {
    this.#root = root;
    this.#paths = paths;
  }

  /** @param images bytes by path */
  static async match(
    root: ProjectRoot,
    images: ReadonlyMap<string, number>,
    lines: readonly Replacement[],
    signal: AbortSignal,
  ): Promise<ProjectImages> {
    const matched = new ProjectImages(root, [...images.keys()]);
    await matched.#byContent(images, lines, signal);
    await matched.#byName(lines);
    return matched;
  }

  /** Matches by content. Only files of the right size are hashed. */
  async #byContent(images: ReadonlyMap<string, number>, lines: readonly Replacement[], signal: AbortSignal) {
    const sizes = new Set(lines.map((line) => line.from_bytes));
    const byHash = groupBy(lines, (line) => line.from_sha256);
    for (const [path, bytes] of images) {
      signal.throwIfAborted();
      if (!sizes.has(bytes)) continue;
      const same = byHash.get((await stateOf(this.#root, path))?.sha256 ?? '');
      if (!same) continue;
      this.linesOfContent.set(path, same);
      for (const { seq } of same) {
        this.filesOfLine.set(seq, [...(this.filesOfLine.get(seq) ?? []), path]);
        this.found.push({ seq, file: path, match: 'content', confidence: CONFIDENCES.content });
      }
    }
  }

  async #byName(lines: readonly Replacement[]) {
    const byName = groupBy(this.#paths, nameOf);
    for (const line of lines) {
      if (this.filesOfLine.has(line.seq)) continue;
      const name = nameOf(decodedPath(new URL(line.from).pathname));
      const plain = withoutHash(name);
      const [file, ...others] = (plain && byName.get(plain)) || [];
      if (file !== undefined && others.length === 0 && (await this.hasSizeOf(file, line))) {
        this.linesOfHashedName.set(file, line);
        this.found.push({ seq: line.seq, file, match: 'hashed_name', confidence: CONFIDENCES.hashed_name });
        continue;
      }
      for (const same of byName.get(name) ?? []) {
        this.found.push({ seq: line.seq, file: same, match: 'basename', confidence: CONFIDENCES.basename });
      }
    }
  }

  /** Whether an image has the pixel size of a line's original. */
  async hasSizeOf(path: string, { from_width: width, from_height: height }: Replacement): Promise<boolean> {
    const size = await pixelSizeOf(this.#root, path);
    return size !== undefined && size.width === width && size.height === height;
  }
}

/** The size in pixels, from the header; undefined if the header does not contain it. */
export async function pixelSizeOf(root: ProjectRoot, path: string): Promise<PixelSize | undefined> {
  return await withFile(root, path, async (file) => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    const bytes = buffer.subarray(0, bytesRead);
    const format = sniff(bytes);
    return format && sizeOf(bytes, format);
  });
}

/**
 * Removes a build hash from a name: `hero.Bx3f9a1Z.jpg`, `hero-4f2a9c1b.jpg`. Undefined if it has none. To tell a hash
 * from a word, it must contain a digit, or both upper and lower case letters.
 */
export function withoutHash(name: string): string | undefined {
  const { name: stem, ext } = posix.parse(name);
  const [, plain, hash = ''] = /^(.+?)[-._~]([A-Za-z0-9_-]{6,64})$/.exec(stem) ?? [];
  const isHash = /[0-9]/.test(hash) || (/[a-z]/.test(hash) && /[A-Z]/.test(hash));
  return plain !== undefined && isHash ? plain + ext : undefined;
}
