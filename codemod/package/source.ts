/** Reads a package from a ZIP file or an unpacked folder in the project. */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { expected, Failure } from '../../base/failure.ts';
import { packageInvalid } from '../errors.ts';
import { chunksOf, codeOf, inParentFolder, openFile, withFile } from '../files.ts';
import type { ProjectRoot } from '../project/root.ts';
import { openZipEntry, readZipEntries, type ZipEntry } from './zip.ts';

/** Maximum unpacked size of a package (docs/spec/shapes.md, section 18.4, safety 3). */
export const MAX_PACKAGE_BYTES = 2_000_000_000;

export interface PackageSource {
  /** The declared size of a file in the package; undefined if it does not exist. */
  bytesOf(name: string): Promise<number | undefined>;
  /** Reads a file that exists. @throws Failure `package_invalid` */
  open(name: string): AsyncIterable<Uint8Array>;
  /** Names of the files, if known without a search. */
  names?: readonly string[];
}

/**
 * Runs `use` with the package at a path.
 * @throws Failure `path_outside_root`, `package_not_found`, `package_invalid`
 */
export async function withPackageSource<T>(
  root: ProjectRoot,
  path: string,
  use: (source: PackageSource) => Promise<T>,
): Promise<T> {
  const kind = await kindOf(root, path);
  if (kind === 'folder') return await use(folderSource(root, path));
  const found = await withFile(root, path, async (file) => {
    const entries = new Map((await readZipEntries(file, MAX_PACKAGE_BYTES)).map((entry) => [entry.name, entry]));
    return { result: await use(zipSource(entries, (entry) => openZipEntry(file, entry))) };
  });
  if (!found) throw new Failure('package_not_found', expected('a ZIP file or a folder that is there', 'path', path));
  return found.result;
}

async function kindOf(root: ProjectRoot, path: string): Promise<'folder' | 'file'> {
  await root.resolve(path);
  try {
    const facts = await inParentFolder(root, path, (folder, name) => lstat(join(folder, name)));
    return facts.isDirectory() ? 'folder' : 'file';
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'not_found') return 'file';
    throw error;
  }
}

function zipSource(
  entries: ReadonlyMap<string, ZipEntry>,
  open: (entry: ZipEntry) => AsyncIterable<Uint8Array>,
): PackageSource {
  return {
    names: [...entries.keys()],
    bytesOf: async (name) => entries.get(name)?.bytes,
    open: (name) => open(entries.get(name)!),
  };
}

function folderSource(root: ProjectRoot, path: string): PackageSource {
  return {
    bytesOf: (name) => withFile(root, `${path}/${name}`, async (file) => (await file.stat()).size),
    async *open(name) {
      const file = await openFile(root, `${path}/${name}`);
      if (!file) throw packageInvalid(`no file "${name}"`);
      try {
        yield* chunksOf(file);
      } finally {
        await file.close();
      }
    },
  };
}
