/**
 * Files of the project as they are read before a change, and how they are changed: whole, by a name given to a file that is
 * complete on the disk already. Whoever looks meanwhile, and whoever kills the process, finds the old file or the new one.
 */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, type FileHandle, link, lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { newId } from '../../../base/id.ts';
import { outsideRoot } from './project/errors.ts';
import type { ProjectRoot } from './project/root.ts';
import { ensureStateFolder, STATE_FOLDER } from './state-folder.ts';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
/** Neither a link is followed nor a FIFO waited for; Windows has neither flag. */
const READ = O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0);

export interface FileState {
  sha256: string;
  bytes: number;
  /** Permissions. */
  mode: number;
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

/** Lets `use` work beside a file, by the path of its folder and its name. */
export async function beside<T>(
  root: ProjectRoot,
  path: string,
  use: (folder: string, name: string) => Promise<T>,
): Promise<T> {
  const folder = posix.dirname(path);
  return await root.inFolder(folder === '.' ? '' : folder, (held) => use(held, posix.basename(path)));
}

/**
 * Opens a regular file for reading. Whoever takes it closes it.
 * @returns undefined when there is no such file
 * @throws Failure `path_outside_root` for a link, or for what is no file
 */
export async function openFile(root: ProjectRoot, path: string): Promise<FileHandle | undefined> {
  return await besideIfThere(root, path, async (folder, name) => {
    const file = await open(join(folder, name), READ);
    if ((await file.stat()).isFile()) return file;
    await file.close();
    throw outsideRoot(path);
  });
}

/** The same, closed when `use` is done. */
export async function withFile<T>(
  root: ProjectRoot,
  path: string,
  use: (file: FileHandle) => Promise<T>,
): Promise<T | undefined> {
  const file = await openFile(root, path);
  if (!file) return undefined;
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

async function besideIfThere<T>(
  root: ProjectRoot,
  path: string,
  use: (folder: string, name: string) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await beside(root, path, use);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'not_found') return undefined;
    if (code === 'ELOOP' || code === 'EMLINK') throw outsideRoot(path, error);
    throw error;
  }
}

/** What a file is now; undefined when there is none. @throws Failure `path_outside_root` */
export async function stateOf(root: ProjectRoot, path: string): Promise<FileState | undefined> {
  return await withFile(root, path, readState);
}

/** The same of an open file. */
export async function readState(file: FileHandle): Promise<FileState> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of chunksOf(file)) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { sha256: hash.digest('hex'), bytes, mode: (await file.stat()).mode & 0o7777 };
}

/** What an open file holds, from its beginning. */
export function chunksOf(file: FileHandle): AsyncIterable<Buffer> {
  return file.createReadStream({ autoClose: false, start: 0 });
}

export function sha256Of(data: Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/** Whether anything, of whatever kind, has this name. */
export async function isTaken(root: ProjectRoot, path: string): Promise<boolean> {
  const found = await besideIfThere(root, path, (folder, name) => lstat(join(folder, name)));
  return found !== undefined;
}

/** Removes a file; its folder is synced by whoever removes several. */
export async function removeFile(root: ProjectRoot, path: string): Promise<void> {
  await besideIfThere(root, path, (folder, name) => rm(join(folder, name), { force: true }));
}

/** The names in these folders become as durable as what they name. */
export async function syncFolders(root: ProjectRoot, paths: Iterable<string>): Promise<void> {
  for (const path of new Set([...paths].map((each) => posix.dirname(each)))) {
    await root.inFolder(path === '.' ? '' : path, syncFolder);
  }
}

async function syncFolder(folder: string): Promise<void> {
  const held = await open(folder, O_RDONLY).catch(() => undefined);
  // Not every system can; there the file's own sync has to do.
  await held?.sync().catch(() => {});
  await held?.close();
}

/** Files that are written whole, synced, and then given their names. */
export class Staging {
  readonly #root: ProjectRoot;
  readonly #folder: string;
  readonly #id = newId('file');
  #count = 0;

  private constructor(root: ProjectRoot) {
    this.#root = root;
    this.#folder = `${STAGING_FOLDER}/${this.#id}`;
  }

  /** Makes room for files; runs `work`; leaves nothing of it behind. */
  static async use<T>(root: ProjectRoot, work: (staging: Staging) => Promise<T>): Promise<T> {
    await ensureStateFolder(root, 'tmp');
    const staging = new Staging(root);
    await beside(root, staging.#folder, (folder, name) => mkdir(join(folder, name), { mode: 0o700 }));
    try {
      return await work(staging);
    } finally {
      // The work is done or has failed, whatever is left of its files: they go a day later.
      await beside(root, staging.#folder, (folder, name) =>
        rm(join(folder, name), { recursive: true, force: true }),
      ).catch(() => {});
    }
  }

  /**
   * Writes a file that has no name in the project yet.
   * @param as path that it has here, for those that are placed together with their folder
   * @returns how to call it in {@link Staging.place}, and what was written
   */
  async write(
    data: Uint8Array | AsyncIterable<Uint8Array>,
    { mode = 0o644, as = this.#nextName() }: { mode?: number; as?: string } = {},
  ): Promise<{ staged: string; sha256: string; bytes: number }> {
    const hash = createHash('sha256');
    let bytes = 0;
    await this.#root.inFolder(this.#folder, async (folder) => {
      const path = join(folder, as);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const file = await open(path, 'wx', 0o600);
      try {
        for await (const chunk of data instanceof Uint8Array ? [data] : data) {
          hash.update(chunk);
          bytes += chunk.length;
          await file.appendFile(chunk);
        }
        await file.chmod(mode);
        await file.sync();
      } finally {
        await file.close();
      }
    });
    return { staged: as, sha256: hash.digest('hex'), bytes };
  }

  /**
   * Gives a written file its name.
   * @param replace false: a file that has the name stays, and this throws EEXIST
   */
  async place(staged: string, path: string, { replace }: { replace: boolean }): Promise<void> {
    await this.#root.inFolder(this.#folder, async (from) => {
      await beside(this.#root, path, async (folder, name) => {
        const source = join(from, staged);
        const target = join(folder, name);
        try {
          await give(source, target, replace);
        } catch (error) {
          if (codeOf(error) !== 'EXDEV') throw error;
          // Another file system begins somewhere between: names are given within one.
          const near = join(folder, nearName(name));
          try {
            await copyDurably(source, near);
            await give(near, target, replace);
          } finally {
            await rm(near, { force: true });
          }
        }
      });
    });
  }

  /** Where a written file is, relative to the root. */
  pathOf(staged: string): string {
    return `${this.#folder}/${staged}`;
  }

  #nextName(): string {
    this.#count += 1;
    return `${this.#count}`;
  }

  /** Gives a folder of written files its name; what has that name goes. */
  async placeFolder(staged: string, path: string): Promise<void> {
    await this.#root.inFolder(this.#folder, async (from) => {
      await beside(this.#root, path, async (folder, name) => {
        const target = join(folder, name);
        await rename(target, join(from, this.#nextName())).catch((error: unknown) => {
          if (codeOf(error) !== 'ENOENT') throw error;
        });
        await rename(join(from, staged), target);
      });
    });
  }
}

/** Of files that are being written. */
const STAGING_FOLDER = `${STATE_FOLDER}/tmp`;

/** Longer than anything takes that a living process writes. */
const LEFTOVER_MS = 24 * 60 * 60_000;

/** Removes what killed processes have left of files that they were writing. */
export async function removeLeftovers(root: ProjectRoot): Promise<void> {
  const before = Date.now() - LEFTOVER_MS;
  const names = await root.inFolder(STAGING_FOLDER, (folder) => readdir(folder)).catch(() => []);
  for (const name of names) {
    await beside(root, `${STAGING_FOLDER}/${name}`, async (folder) => {
      const path = join(folder, name);
      if ((await lstat(path)).mtimeMs < before) await rm(path, { recursive: true, force: true });
    }).catch(() => {});
  }
}

/** What a file is called for a moment where it cannot be written elsewhere; a killed process leaves it. */
export function nearName(name: string): string {
  return `.${name}.imagecrew-tmp`;
}

async function give(source: string, target: string, replace: boolean): Promise<void> {
  if (replace) {
    await rename(source, target);
    return;
  }
  try {
    // A second name fails where there is one already; a rename would take its place.
    await link(source, target);
    await rm(source);
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(codeOf(error) ?? '')) throw error;
    if (await lstat(target).catch(() => undefined)) throw Object.assign(new Error('exists'), { code: 'EEXIST' });
    await rename(source, target);
  }
}

async function copyDurably(source: string, target: string): Promise<void> {
  await rm(target, { force: true });
  await copyFile(source, target, constants.COPYFILE_EXCL);
  const file = await open(target, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
