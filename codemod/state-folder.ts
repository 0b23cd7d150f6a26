/** The folder `.ic` in the project: the local server's data (docs/spec/shapes.md, section 18.4). It is excluded from git. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { outsideRoot, type ProjectRoot } from './project/root.ts';

export const STATE_FOLDER = '.ic';

export type StatePart = 'packages' | 'plans' | 'backups' | 'tmp';

/**
 * Creates the folder, and one of its subfolders.
 * @returns the path of the subfolder, relative to the root
 * @throws Failure `path_outside_root` if a link has its name
 */
export async function ensureStateFolder(root: ProjectRoot, part?: StatePart): Promise<string> {
  await root.inFolder('', async (folder) => {
    await mkdir(join(folder, STATE_FOLDER), { recursive: true, mode: 0o700 });
  });
  await assertPlain(root, STATE_FOLDER);
  await root.inFolder(STATE_FOLDER, async (folder) => {
    await writeFile(join(folder, '.gitignore'), '*\n', { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    if (part) await mkdir(join(folder, part), { recursive: true, mode: 0o700 });
  });
  if (!part) return STATE_FOLDER;
  const path = `${STATE_FOLDER}/${part}`;
  await assertPlain(root, path);
  return path;
}

/** Refuses links. With one, the data would be written to another folder of the project, where git may see it. */
async function assertPlain(root: ProjectRoot, path: string): Promise<void> {
  if ((await root.resolve(path)) !== join(root.path, path)) throw outsideRoot(path);
}
