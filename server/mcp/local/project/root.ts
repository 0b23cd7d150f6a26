/**
 * The folder that the local server works in. Nothing outside it is read or written, whatever links lead there and whenever they
 * appear (spec/shapes.md, section 18.4, safety 1).
 */
import { constants } from 'node:fs';
import { access, type FileHandle, lstat, open, realpath, stat } from 'node:fs/promises';
import { homedir, userInfo } from 'node:os';
import { dirname, join, parse, resolve, sep } from 'node:path';
import { expected, Failure, invalidParameter } from '../../../../base/failure.ts';
import { outsideRoot } from './errors.ts';

/** Of Linux: what is opened by such a path is what the descriptor holds, whatever has taken its name since. */
const DESCRIPTORS = '/proc/self/fd';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;
/** A FIFO would be waited for otherwise. Windows knows none of these flags. */
const READ = O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0);

export class ProjectRoot {
  /** Its real path. */
  readonly path: string;
  readonly #descriptors: boolean;

  private constructor(path: string, descriptors: boolean) {
    this.path = path;
    this.#descriptors = descriptors;
  }

  /**
   * @param folder may be a link, which is followed once, now
   * @throws Failure `invalid_parameter` for what is no folder, for `/` and for home folders
   */
  static async open(folder: string): Promise<ProjectRoot> {
    const real = await realpath(folder).catch(() => undefined);
    if (real === undefined || !(await stat(real)).isDirectory())
      throw invalidParameter('an existing folder', 'root', folder);
    if (await isTooWide(real))
      throw invalidParameter('the folder of one project, not / or a home folder', 'root', folder);
    return new ProjectRoot(real, await exists(DESCRIPTORS));
  }

  /**
   * Where a path of the project really is; it need not exist, nor the folders on the way to it.
   * @param path relative, with `/`
   * @throws Failure `path_outside_root` for what is or leads outside
   */
  async resolve(path: string): Promise<string> {
    const segments = segmentsOf(path);
    for (let known = segments.length; known >= 0; known--) {
      const real = await realpath(join(this.path, ...segments.slice(0, known))).catch((error: unknown) => {
        if (isMissing(error)) return undefined;
        throw refusal(path, error);
      });
      if (real === undefined) continue;
      const missing = segments.slice(known);
      if (!this.#holds(real)) throw outsideRoot(path);
      // A link that leads nowhere is no free name.
      if (missing.length > 0 && (await exists(join(real, missing[0]!), lstat))) throw outsideRoot(path);
      return join(real, ...missing);
    }
    throw outsideRoot(path);
  }

  /**
   * Reads a file. What is no regular file (a device, a FIFO) is not opened for long, and never waited for.
   * @param most bytes
   * @throws Failure `path_outside_root`, `not_found` (also for what is no regular file), `file_too_large`
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
   * Lets `use` work in a folder of the project by a path that stays this folder, even when its name becomes a link to somewhere
   * else meanwhile. Where the system cannot promise that, the folder is looked at once more before and after.
   * @param path '' for the root itself
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
   * The same for more than one use. Whoever takes the folder closes it.
   * @param path '' for the root itself
   * @throws Failure `path_outside_root`, `not_found`
   */
  async hold(path: string): Promise<HeldFolder> {
    const real = path === '' ? this.path : await this.resolve(path);
    return await this.#hold(path, real.slice(this.path.length).split(sep).filter(Boolean));
  }

  /** @param parts of a real path: none of them is a link unless somebody has just changed it */
  async #hold(path: string, parts: readonly string[]): Promise<HeldFolder> {
    if (!this.#descriptors) return new HeldFolder(path, join(this.path, ...parts));
    let folder = await open(this.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    try {
      for (const part of parts) {
        const next = await open(join(DESCRIPTORS, String(folder.fd), part), O_RDONLY | O_DIRECTORY | O_NOFOLLOW).catch(
          (error: unknown) => {
            throw refusal(path, error);
          },
        );
        await folder.close();
        folder = next;
      }
      return new HeldFolder(path, join(DESCRIPTORS, String(folder.fd)), folder);
    } catch (error) {
      await folder.close();
      throw error;
    }
  }

  #holds(real: string): boolean {
    return real === this.path || real.startsWith(this.path + sep);
  }
}

/** A folder of the project, whatever has taken its name since. */
export class HeldFolder {
  readonly #path: string;
  readonly #folder: string;
  readonly #file: FileHandle | undefined;

  /**
   * @param path relative to the root
   * @param folder what it is opened by
   * @param file that keeps it open; undefined where the system has no paths to what is open
   */
  constructor(path: string, folder: string, file?: FileHandle) {
    this.#path = path;
    this.#folder = folder;
    this.#file = file;
  }

  /** @throws Failure `path_outside_root` */
  async use<T>(work: (folder: string) => Promise<T>): Promise<T> {
    await this.#assertStill();
    const result = await work(this.#folder);
    await this.#assertStill();
    return result;
  }

  /**
   * Reads a file in it; no link.
   * @param path that a failure names
   * @throws Failure as {@link ProjectRoot.read}
   */
  async read(name: string, path: string, most: number): Promise<Buffer> {
    return await this.use(async (folder) => {
      const file = await open(join(folder, name), READ).catch((error: unknown) => {
        throw refusal(path, error);
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

  async #assertStill(): Promise<void> {
    if (this.#file) return;
    if ((await realpath(this.#folder).catch(() => undefined)) !== this.#folder) throw outsideRoot(this.#path);
  }
}

/** @throws Failure `path_outside_root` for what is not relative and plain */
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
  // It may grow while it is read.
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

function notAFile(path: string, cause?: unknown): Failure {
  return new Failure('not_found', expected('an existing file', 'path', path), { param: 'path', cause });
}

function tooLarge(path: string, most: number): Failure {
  return new Failure('file_too_large', expected(`a file of at most ${most} bytes`, 'path', path), { param: 'path' });
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function isMissing(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** Of what the system has refused: a link where none may be, or something that is not there or not to be read. */
function refusal(path: string, error: unknown): Failure {
  return codeOf(error) === 'ELOOP' ? outsideRoot(path, error) : notAFile(path, error);
}

async function exists(path: string, look: (path: string) => Promise<unknown> = access): Promise<boolean> {
  return await look(path).then(
    () => true,
    () => false,
  );
}

/** Folders that hold the home folders of systems. */
const HOMES = ['/home', '/Users', 'C:\\Users'];

async function isTooWide(folder: string): Promise<boolean> {
  if (folder === parse(folder).root || folder === '/root' || HOMES.includes(dirname(folder))) return true;
  for (const home of [homedir(), userInfo().homedir]) {
    const real = await realpath(home).catch(() => resolve(home));
    // What holds a home folder holds more than a project.
    if (real === folder || real.startsWith(folder + sep)) return true;
  }
  return false;
}
