/** Writes results so that nobody ever sees half of one. */
import type { BigIntStats, Stats } from 'node:fs';
import { link, mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { expected, Failure } from '../../../base/failure.ts';
import { exists, partOf } from '../files.ts';

export interface WriteOptions {
  /** Take the place of a file that is there. */
  overwrite: boolean;
}

/**
 * Writes a file under another name in its folder, which is made where it is missing, and gives it its name when it is whole.
 * What takes the place of a file has its permissions.
 * @throws Failure `invalid_state` where there is a file that may not be overwritten, `storage_full` or `delivery_failed`
 */
export async function writeWhole(path: string, data: ArrayBuffer, { overwrite }: WriteOptions): Promise<void> {
  await written(path, async () => {
    await mkdir(dirname(path), { recursive: true });
    const replaced = overwrite ? await stat(path).catch(() => undefined) : undefined;
    await throughPart(path, data, replaced, (part) => (overwrite ? rename(part, path) : publish(part, path)));
  });
}

/**
 * Replaces a file by what was made of it, with its permissions. What a link leads to is replaced, not the link. The new
 * bytes are on the disk before the old ones are given up.
 * @param asRead of the file when it was read; undefined where it could not be told
 * @throws Failure `invalid_state` where the file has changed since, or as {@link writeWhole}
 */
export async function replaceWhole(path: string, data: ArrayBuffer, asRead: Version | undefined): Promise<void> {
  await written(path, async () => {
    const real = await realpath(path);
    await throughPart(
      real,
      data,
      await stat(real),
      async (part) => {
        if (asRead === undefined || !isSame(await versionOf(real), asRead))
          throw new Failure('invalid_state', expected('a file that nobody changes meanwhile', 'the source', path));
        await rename(part, real);
      },
      true,
    );
  });
}

/** Tells whether a file is still the one that was read. */
export type Version = Pick<BigIntStats, 'dev' | 'ino' | 'size' | 'mtimeNs'>;

export const versionOf = (path: string): Promise<Version> => stat(path, { bigint: true });

function isSame(one: Version, other: Version): boolean {
  return (['dev', 'ino', 'size', 'mtimeNs'] as const).every((name) => one[name] === other[name]);
}

const NEW_FILE = 0o666;

async function throughPart(
  path: string,
  data: ArrayBuffer,
  replaced: Stats | undefined,
  finish: (part: string) => Promise<void>,
  durable = false,
): Promise<void> {
  const part = partOf(path);
  try {
    const mode = replaced && replaced.mode & 0o7777;
    const file = await open(part, 'wx', mode ?? NEW_FILE);
    try {
      await file.writeFile(new Uint8Array(data));
      if (replaced && mode !== undefined) {
        // Only some may give files away; for the others a new owner is no reason to fail.
        await file.chown(replaced.uid, replaced.gid).catch(() => undefined);
        // The mask of the process does not hold for what is only replaced.
        await file.chmod(mode);
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

/** A second name is given only where there is no file, which `rename` does not look for. */
async function publish(part: string, path: string): Promise<void> {
  try {
    await link(part, path);
  } catch (error) {
    if (!WITHOUT_LINKS.has(codeOf(error))) throw error;
    // A file system without links, as memory cards have.
    if (await exists(path)) throw fileExists(path);
    await rename(part, path);
  }
}

export function fileExists(path: string): Failure {
  return new Failure(
    'invalid_state',
    `Expected a new name for the result but ${path} is there already. Choose another place with -o, or say --overwrite.`,
  );
}

const NO_ROOM = new Set(['ENOSPC', 'EDQUOT']);

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

async function written(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof Failure) throw error;
    const code = codeOf(error);
    if (code === 'EEXIST') throw fileExists(path);
    if (NO_ROOM.has(code))
      throw new Failure('storage_full', `Expected room for ${basename(path)} but the disk is full.`, { cause: error });
    throw new Failure('delivery_failed', expected(`a place that can be written (${code})`, 'the result', path), {
      cause: error,
    });
  }
}
