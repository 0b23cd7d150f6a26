/** Writes results atomically, so that no reader sees a partial file. */
import type { BigIntStats, Stats } from 'node:fs';
import { link, mkdir, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { expected, Failure } from '../../base/failure.ts';
import { exists, temporaryPath } from '../files.ts';

/** The bytes of a file; those that come one after the other are not kept in memory. */
type FileData = ArrayBuffer | AsyncIterable<Uint8Array>;

export interface WriteOptions {
  /** Whether to replace an existing file. */
  overwrite: boolean;
  /** Permissions of a new file. Default: those of the umask. */
  mode?: number | undefined;
  /** Whether the bytes are flushed to disk before the file gets its name. Default: false. */
  durable?: boolean | undefined;
}

/**
 * Writes a file atomically: writes a temporary file in the same folder, then renames it. Creates the folder if needed.
 * Keeps the permissions of a file that is replaced.
 * @throws Failure `invalid_state` if the file exists and may not be overwritten, `storage_full` or `delivery_failed`
 */
export async function writeAtomically(
  path: string,
  data: FileData,
  { overwrite, mode, durable }: WriteOptions,
): Promise<void> {
  await withWriteErrors(path, async () => {
    await mkdir(dirname(path), { recursive: true });
    const replaced = overwrite ? await stat(path).catch(() => undefined) : undefined;
    const finish = (part: string) => (overwrite ? rename(part, path) : publish(part, path));
    await writeTemporary(path, data, finish, { ...(replaced ? { replaced } : { mode }), durable });
  });
}

/**
 * Replaces a file by a new version and keeps its permissions. If the path is a link, its target is replaced. The new
 * bytes are flushed to disk before the old file is replaced.
 * @param asRead version of the file when it was read; undefined if it could not be determined
 * @throws Failure `invalid_state` if the file has changed since or `asRead` is undefined; others as {@link writeAtomically}
 */
export async function replaceAtomically(path: string, data: ArrayBuffer, asRead: Version | undefined): Promise<void> {
  await withWriteErrors(path, async () => {
    const real = await realpath(path);
    await writeTemporary(
      real,
      data,
      async (part) => {
        if (asRead === undefined || !isSame(await versionOf(real), asRead))
          throw new Failure('invalid_state', expected('a file that nobody changes meanwhile', 'the source', path));
        await rename(part, real);
      },
      { replaced: await stat(real), durable: true },
    );
  });
}

/** Identifies the state of a file, to detect changes after it was read. */
export type Version = Pick<BigIntStats, 'dev' | 'ino' | 'size' | 'mtimeNs'>;

export const versionOf = (path: string): Promise<Version> => stat(path, { bigint: true });

const isSame = (one: Version, other: Version): boolean =>
  (['dev', 'ino', 'size', 'mtimeNs'] as const).every((name) => one[name] === other[name]);

const NEW_FILE = 0o666;

interface TemporaryOptions extends Pick<WriteOptions, 'mode' | 'durable'> {
  /** The file that is replaced, whose mode and owner are kept. */
  replaced?: Stats | undefined;
}

async function writeTemporary(
  path: string,
  data: FileData,
  finish: (part: string) => Promise<void>,
  { replaced, mode = NEW_FILE, durable = false }: TemporaryOptions,
): Promise<void> {
  const part = temporaryPath(path);
  try {
    const replacedMode = replaced && replaced.mode & 0o7777;
    const file = await open(part, 'wx', replacedMode ?? mode);
    try {
      await writeFile(file, data instanceof ArrayBuffer ? new Uint8Array(data) : data);
      if (replaced && replacedMode !== undefined) {
        // Usually only root may change the owner. For other users this is not a reason to fail.
        await file.chown(replaced.uid, replaced.gid).catch(() => undefined);
        // A replacement keeps the exact mode; the umask must not apply.
        await file.chmod(replacedMode);
      }
      if (durable) await file.datasync();
    } finally {
      await file.close();
    }
    await finish(part);
  } finally {
    await rm(part, { force: true });
  }
}

const WITHOUT_LINKS = new Set(['EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK', 'EOPNOTSUPP']);

/**
 * Moves the temporary file to a path that must not exist. Uses `link`, which fails if it exists; `rename` would
 * overwrite.
 */
async function publish(part: string, path: string): Promise<void> {
  try {
    await link(part, path);
  } catch (error) {
    if (!WITHOUT_LINKS.has(codeOf(error))) throw error;
    // Some file systems, such as those of memory cards, have no hard links.
    if (await exists(path)) throw fileExists(path);
    await rename(part, path);
  }
}

export const fileExists = (path: string): Failure =>
  new Failure(
    'invalid_state',
    `Expected a new name for the result but ${path} is there already. Choose another one, or say --overwrite.`,
  );

const DISK_FULL_CODES = new Set(['ENOSPC', 'EDQUOT']);

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

async function withWriteErrors(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof Failure) throw error;
    const code = codeOf(error);
    if (code === 'EEXIST') throw fileExists(path);
    if (DISK_FULL_CODES.has(code))
      throw new Failure('storage_full', `Expected room for ${basename(path)} but the disk is full.`, { cause: error });
    throw new Failure('delivery_failed', expected(`a place that can be written (${code})`, 'the result', path), {
      cause: error,
    });
  }
}
