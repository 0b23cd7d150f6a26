/**
 * Reads and replaces project files. A replacement is written completely to a temporary file, synced and renamed, so
 * that other readers, and a killed process, leave either the old file or the new one.
 */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, type FileHandle, link, lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { newId } from '../base/id.ts';
import { outsideRoot, type ProjectRoot } from './project/root.ts';
import { ensureStateFolder, STATE_FOLDER } from './state-folder.ts';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
/** Does not follow links and does not block on a FIFO. Windows has neither flag. */
const READ = O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0);

export interface FileState {
  sha256: string;
  bytes: number;
  /** Permission bits. */
  mode: number;
}

export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined;

/** Calls `use` with the folder and the name of a path. */
export async function inParentFolder<T>(
  root: ProjectRoot,
  path: string,
  use: (folder: string, name: string) => Promise<T>,
): Promise<T> {
  const folder = posix.dirname(path);
  return await root.inFolder(folder === '.' ? '' : folder, (held) => use(held, posix.basename(path)));
}

/**
 * Opens a regular file for reading. The caller must close it.
 * @returns undefined if the file does not exist
 * @throws Failure `path_outside_root` for a link or anything that is not a regular file
 */
export async function openFile(root: ProjectRoot, path: string): Promise<FileHandle | undefined> {
  return await inExistingParent(root, path, async (folder, name) => {
    const file = await open(join(folder, name), READ);
    if ((await file.stat()).isFile()) return file;
    await file.close();
    throw outsideRoot(path);
  });
}

/** Like `openFile`, and closes the file after `use`. */
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

async function inExistingParent<T>(
  root: ProjectRoot,
  path: string,
  use: (folder: string, name: string) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await inParentFolder(root, path, use);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'not_found') return undefined;
    if (code === 'ELOOP' || code === 'EMLINK') throw outsideRoot(path, error);
    throw error;
  }
}

/** The current state of a file; undefined if it does not exist. @throws Failure `path_outside_root` */
export const stateOf = async (root: ProjectRoot, path: string): Promise<FileState | undefined> =>
  await withFile(root, path, readState);

/** Like `stateOf`, for an open file. */
export async function readState(file: FileHandle): Promise<FileState> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of chunksOf(file)) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { sha256: hash.digest('hex'), bytes, mode: (await file.stat()).mode & 0o7777 };
}

/** Streams an open file from its start. */
export const chunksOf = (file: FileHandle): AsyncIterable<Buffer> =>
  file.createReadStream({ autoClose: false, start: 0 });

export const sha256Of = (data: Uint8Array): string => createHash('sha256').update(data).digest('hex');

/** Whether anything exists at a path: a file, a folder or a link. */
export async function isTaken(root: ProjectRoot, path: string): Promise<boolean> {
  const found = await inExistingParent(root, path, (folder, name) => lstat(join(folder, name)));
  return found !== undefined;
}

/** Removes a file. The caller syncs the folder, once for several files. */
export async function removeFile(root: ProjectRoot, path: string): Promise<void> {
  await inExistingParent(root, path, (folder, name) => rm(join(folder, name), { force: true }));
}

/** Syncs the folders of the paths, so that created, renamed and removed names are durable. */
export async function syncFolders(root: ProjectRoot, paths: Iterable<string>): Promise<void> {
  for (const path of new Set([...paths].map((each) => posix.dirname(each)))) {
    await root.inFolder(path === '.' ? '' : path, syncFolder);
  }
}

async function syncFolder(folder: string): Promise<void> {
  const held = await open(folder, O_RDONLY).catch(() => undefined);
  // Not every system can sync a folder. There the sync of the file has to suffice.
  await held?.sync().catch(() => {});
  await held?.close();
}

/** A temporary folder for files that are written completely, synced and then moved into place. */
export class Staging {
  readonly #root: ProjectRoot;
  readonly #folder: string;
  readonly #id = newId('file');
  #count = 0;

  private constructor(root: ProjectRoot) {
    this.#root = root;
    this.#folder = `${STAGING_FOLDER}/${this.#id}`;
  }

  /** Creates a staging folder, runs `work` and removes the folder. */
  static async use<T>(root: ProjectRoot, work: (staging: Staging) => Promise<T>): Promise<T> {
    await ensureStateFolder(root, 'tmp');
    const staging = new Staging(root);
    await inParentFolder(root, staging.#folder, (folder, name) => mkdir(join(folder, name), { mode: 0o700 }));
    try {
      return await work(staging);
    } finally {
      // Errors of the cleanup are ignored; leftovers are removed after a day.
      await inParentFolder(root, staging.#folder, (folder, name) =>
        rm(join(folder, name), { recursive: true, force: true }),
      ).catch(() => {});
    }
  }

  /**
   * Writes a file into the staging folder.
   * @param as path in the staging folder, for files that are placed together as a folder
   * @returns the name to pass to {@link Staging.place}, with the hash and size
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
   * Moves a staged file into place.
   * @param replace if false, an existing file is kept and this throws EEXIST
   */
  async place(staged: string, path: string, { replace }: { replace: boolean }): Promise<void> {
    await this.#root.inFolder(this.#folder, async (from) => {
      await inParentFolder(this.#root, path, async (folder, name) => {
        const source = join(from, staged);
        const target = join(folder, name);
        try {
          await moveInto(source, target, replace);
        } catch (error) {
          if (codeOf(error) !== 'EXDEV') throw error;
          // The target is on another file system, where neither rename nor link works: copy to a temporary name first.
          const near = join(folder, temporaryName(name));
          try {
            await copyDurably(source, near);
            await moveInto(near, target, replace);
          } finally {
            await rm(near, { force: true });
          }
        }
      });
    });
  }

  /** Path of a staged file, relative to the root. */
  pathOf(staged: string): string {
    return `${this.#folder}/${staged}`;
  }

  #nextName(): string {
    this.#count += 1;
    return `${this.#count}`;
  }

  /** Moves a staged folder into place. An existing folder of that name is removed. */
  async placeFolder(staged: string, path: string): Promise<void> {
    await this.#root.inFolder(this.#folder, async (from) => {
      await inParentFolder(this.#root, path, async (folder, name) => {
        const target = join(folder, name);
        await rename(target, join(from, this.#nextName())).catch((error: unknown) => {
          if (codeOf(error) !== 'ENOENT') throw error;
        });
        await rename(join(from, staged), target);
      });
    });
  }
}

/** Folder of the staging folders. */
const STAGING_FOLDER = `${STATE_FOLDER}/tmp`;

/** Longer than any running process takes to write. */
const LEFTOVER_MS = 24 * 60 * 60_000;

/** Removes the staging folders of killed processes. */
export async function removeLeftovers(root: ProjectRoot): Promise<void> {
  const before = Date.now() - LEFTOVER_MS;
  const names = await root.inFolder(STAGING_FOLDER, (folder) => readdir(folder)).catch(() => []);
  for (const name of names) {
    await inParentFolder(root, `${STAGING_FOLDER}/${name}`, async (folder) => {
      const path = join(folder, name);
      if ((await lstat(path)).mtimeMs < before) await rm(path, { recursive: true, force: true });
    }).catch(() => {});
  }
}

/** Temporary name next to the target, used on another file system. A killed process may leave it behind. */
export const temporaryName = (name: string): string => `.${name}.imagecrew-tmp`;

async function moveInto(source: string, target: string, replace: boolean): Promise<void> {
  if (replace) {
    await rename(source, target);
    return;
  }
  try {
    // link fails if the target exists; rename would overwrite it.
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
