/** `.ic` in the project's folder: what the local server keeps (spec/shapes.md, section 18.4). Nothing of it goes into git. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { outsideRoot } from './project/errors.ts';
import type { ProjectRoot } from './project/root.ts';

export const STATE_FOLDER = '.ic';

export type StatePart = 'packages' | 'plans' | 'backups' | 'tmp';

/**
 * Makes it, with one of its folders.
 * @returns the path of that folder, relative to the root
 * @throws Failure `path_outside_root` when a link has its name
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

/** A link would put what is kept into another folder of the project, or out of git's sight and into it. */
async function assertPlain(root: ProjectRoot, path: string): Promise<void> {
  if ((await root.resolve(path)) !== join(root.path, path)) throw outsideRoot(path);
}
