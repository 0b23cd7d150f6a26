/**
 * The project folder. Nothing outside it is read or written, even if links lead outside or are created during an
 * operation (docs/spec/shapes.md, section 18.4, safety 1).
 */
import { constants } from 'node:fs';
import { access, type FileHandle, lstat, open, realpath, stat } from 'node:fs/promises';
import { homedir, userInfo } from 'node:os';
import { dirname, join, parse, resolve, sep } from 'node:path';
import { expected, Failure, invalidParameter } from '../../base/failure.ts';

/** On Linux, a path below a descriptor refers to the opened folder even if its name now refers to something else. */
const DESCRIPTORS = '/proc/self/fd';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;
/** O_NONBLOCK avoids waiting for a FIFO. Windows has none of these flags. */
const READ = O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0);

export class ProjectRoot {
  /** Real path of the folder. */
  readonly path: string;
  readonly #descriptors: boolean;

  private constructor(path: string, descriptors: boolean) {
    this.path = path;
    this.#descriptors = descriptors;
  }

  /**
   * Opens a project folder.
   * @param folder may be a link; it is resolved once, now
   * @throws Failure `invalid_parameter` if it is not a folder, or is `/` or a home folder
   */
  static async open(folder: string): Promise<ProjectRoot> {
    const real = await realpath(folder).catch(() => undefined);
    if (real === undefined || !(await stat(real)).isDirectory())
      throw invalidParameter('an existing folder', 'root', folder);
    if (await isTooBroad(real))
      throw invalidParameter('the folder of one project, not / or a home folder', 'root', folder);
    return new ProjectRoot(real, await exists(DESCRIPTORS));
  }

  /**
   * Returns the real path of a project path. Neither the path nor its folders need to exist.
   * @param path relative, with `/`
   * @throws Failure `path_outside_root` for a path that is outside or leads outside
   */
  async resolve(path: string): Promise<string> {
    const segments = segmentsOf(path);
    for (let known = segments.length; known >= 0; known--) {
      const real = await realpath(join(this.path, ...segments.slice(0, known))).catch((error: unknown) => {
        if (isMissing(error)) return undefined;
        throw accessFailure(path, error);
      });
      if (real === undefined) continue;
      const missing = segments.slice(known);
      if (!this.#contains(real)) throw outsideRoot(path);
      // A dangling link is not an unused name.
      if (missing.length > 0 && (await exists(join(real, missing[0]!), lstat))) throw outsideRoot(path);
      return join(real, ...missing);
    }
    throw outsideRoot(path);
  }

  /**
   * Reads a regular file. Anything else, such as a device or a FIFO, is closed at once and never waited for.
   * @param most maximum number of bytes
   * @throws Failure `path_outside_root`, `not_found` (also if it is not a regular file), `file_too_large`
   */
  async read(path: string, most = Number.POSITIVE_INFINITY): Promise<Buffer> {
    const real = await this.resolve(path);
    const parts = real.slice(this.path.length).split(sep).filter(Boolean);
    const name = parts.pop();
    if (name === undefined) throw notAFile(path);
    const folder = await this.#hold(path, parts);
    try {
      return await folder.read(name, path, most);
    } finally {
      await folder.close();
    }
  }

  /**
   * Calls `use` with a path that keeps referring to this folder, even if its name is replaced by a link in the
   * meantime. On systems that cannot guarantee this, the folder is checked before and after.
   * @param path empty for the root
   * @throws Failure `path_outside_root`, `not_found`
   */
  async inFolder<T>(path: string, use: (folder: string) => Promise<T>): Promise<T> {
    const folder = await this.hold(path);
    try {
      return await folder.use(use);
    } finally {
      await folder.close();
    }
  }

  /**
   * Like `inFolder`, for several uses. The caller must close the folder.
   * @param path empty for the root
   * @throws Failure `path_outside_root`, `not_found`
   */
  async hold(path: string): Promise<OpenFolder> {
    const real = path === '' ? this.path : await this.resolve(path);
    return await this.#hold(path, real.slice(this.path.length).split(sep).filter(Boolean));
  }

  /** @param parts segments of a real path; a link among them means that it was just changed, and is refused */
  async #hold(path: string, parts: readonly string[]): Promise<OpenFolder> {
    if (!this.#descriptors) return new OpenFolder(path, join(this.path, ...parts));
    let folder = await open(this.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    try {
      for (const part of parts) {
        const next = await open(join(DESCRIPTORS, String(folder.fd), part), O_RDONLY | O_DIRECTORY | O_NOFOLLOW).catch(
          (error: unknown) => {
            throw accessFailure(path, error);
          },
        );
        await folder.close();
        folder = next;
      }
      return new OpenFolder(path, join(DESCRIPTORS, String(folder.fd)), folder);
    } catch (error) {
      await folder.close();
      throw error;
    }
  }

  #contains(real: string): boolean {
    return real === this.path || real.startsWith(this.path + sep);
  }
}

/** An open folder of the project. It stays the same folder even if its name is changed. */
export class OpenFolder {
  readonly #path: string;
  readonly #folder: string;
  readonly #file: FileHandle | undefined;

  /**
   * @param path relative to the root
   * @param folder path to use for access
   * @param file handle that keeps the folder open; undefined on systems without descriptor paths
   */
  constructor(path: string, folder: string, file?: FileHandle) {
    this.#path = path;
    this.#folder = folder;
    this.#file = file;
  }

  /** @throws Failure `path_outside_root` */
  async use<T>(work: (folder: string) => Promise<T>): Promise<T> {
    await this.#assertUnchanged();
    const result = await work(this.#folder);
    await this.#assertUnchanged();
    return result;
  }

  /**
   * Reads a file in the folder. Links are not followed.
   * @param path for error messages
   * @throws Failure as {@link ProjectRoot.read}
   */
  async read(name: string, path: string, most: number): Promise<Buffer> {
    return await this.use(async (folder) => {
      const file = await open(join(folder, name), READ).catch((error: unknown) => {
        throw accessFailure(path, error);
      });
      try {
        return await readRegular(file, path, most);
      } finally {
        await file.close();
      }
    });
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }

  async #assertUnchanged(): Promise<void> {
    if (this.#file) return;
    if ((await realpath(this.#folder).catch(() => undefined)) !== this.#folder) throw outsideRoot(this.#path);
  }
}

/** @throws Failure `path_outside_root` for an absolute path or one with `.`, `..` or empty segments */
function segmentsOf(path: string): string[] {
  const windows = sep === '\\' && /[\\:]/.test(path);
  const segments = path.split('/');
  if (
    path.includes('\0') ||
    windows ||
    segments.some((segment) => segment === '' || segment === '.' || segment === '..')
  )
    throw outsideRoot(path);
  return segments;
}

async function readRegular(file: FileHandle, path: string, most: number): Promise<Buffer> {
  const { size } = await regular(file, path);
  if (size > most) throw tooLarge(path, most);
  // The file may grow while it is read.
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of file.createReadStream({ autoClose: false })) {
    length += chunk.length;
    if (length > most) throw tooLarge(path, most);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

async function regular(file: FileHandle, path: string): Promise<{ size: number }> {
  const facts = await file.stat();
  if (!facts.isFile()) throw notAFile(path);
  return facts;
}

const notAFile = (path: string, cause?: unknown): Failure =>
  new Failure('not_found', expected('an existing file', 'path', path), { param: 'path', cause });

const tooLarge = (path: string, most: number): Failure =>
  new Failure('file_too_large', expected(`a file of at most ${most} bytes`, 'path', path), { param: 'path' });

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

function isMissing(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** Converts a system error: ELOOP means a link; anything else means that the file is missing or unreadable. */
const accessFailure = (path: string, error: unknown): Failure =>
  codeOf(error) === 'ELOOP' ? outsideRoot(path, error) : notAFile(path, error);

const exists = async (path: string, look: (path: string) => Promise<unknown> = access): Promise<boolean> =>
  await look(path).then(
    () => true,
    () => false,
  );

/** Parent folders of home folders. */
const HOMES = ['/home', '/Users', 'C:\\Users'];

async function isTooBroad(folder: string): Promise<boolean> {
  if (folder === parse(folder).root || folder === '/root' || HOMES.includes(dirname(folder))) return true;
  for (const home of [homedir(), userInfo().homedir]) {
    const real = await realpath(home).catch(() => resolve(home));
    // A folder that contains a home folder is not a single project.
    if (real === folder || real.startsWith(folder + sep)) return true;
  }
  return false;
}

/** @param path as requested */
export const outsideRoot = (path: string, cause?: unknown): Failure =>
  new Failure('path_outside_root', expected('a path inside the project folder', 'path', path), {
    param: 'path',
    cause,
  });
