import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Runs `work` with a new empty folder, which is removed afterwards. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'imagecrew-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Writes files and creates their folders.
 * @param files content by the path inside `folder`
 */
export async function writeFiles(folder: string, files: Readonly<Record<string, Uint8Array | string>>): Promise<void> {
  for (const [path, data] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), data);
  }
}

/** Returns the sorted paths of all files below a folder, including hidden ones. */
export async function filePaths(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

/** Returns the content of all files below a folder, by path. */
export async function readFiles(folder: string): Promise<Record<string, Buffer>> {
  const read = (await filePaths(folder)).map(async (path) => [path, await readFile(join(folder, path))] as const);
  return Object.fromEntries(await Promise.all(read));
}
