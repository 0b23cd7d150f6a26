/** Rolls a change back from its backup: restores every file byte for byte, except files that were changed since. */
import { mkdir, rm } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { Failure } from '../../base/failure.ts';
import {
  chunksOf,
  codeOf,
  inParentFolder,
  removeFile,
  type Staging,
  stateOf,
  syncFolders,
  temporaryName,
  withFile,
} from '../files.ts';
import type { ProjectRoot } from '../project/root.ts';
import { isSourceName } from '../project/rules.ts';
import { type Backup, laterApplies, storedPath } from './backup.ts';

export interface Restored {
  restored: string[];
  removed: string[];
  kept: { path: string; reason: KeptReason }[];
}

/** `still_referenced`: a new image that is named in a file that was not restored. `write_failed`: a system error. */
export const KEPT_REASONS = ['changed_since_apply', 'backup_damaged', 'still_referenced', 'write_failed'] as const;
export type KeptReason = (typeof KEPT_REASONS)[number];

/** State of a file relative to a change: as before it, as after it, or changed by somebody else. */
export type FileStatus = 'before' | 'after' | 'changed';

/** Used instead of a hash if the file does not exist. */
export const ABSENT = 'none';
/** Used instead of a hash if the path is a link or a folder. */
const OTHER = 'other';

/** A file that the change edited, removed or created. */
export type ChangedFile = Backup['files'][number] | Backup['created'][number];

export const statusOf = async (root: ProjectRoot, file: ChangedFile): Promise<FileStatus> =>
  statusByHash(await hashOf(root, file.path), file);

function statusByHash(now: string, file: ChangedFile): FileStatus {
  const [before, after] = 'before' in file ? [file.before.sha256, file.after_sha256 ?? ABSENT] : [ABSENT, file.sha256];
  if (now === before) return 'before';
  return now === after && now !== OTHER ? 'after' : 'changed';
}

async function hashOf(root: ProjectRoot, path: string): Promise<string> {
  try {
    return (await stateOf(root, path))?.sha256 ?? ABSENT;
  } catch (error) {
    if (error instanceof Failure && error.code === 'path_outside_root') return OTHER;
    throw error;
  }
}

/**
 * Restores all files. A file that cannot be written is kept, and the others are still restored.
 * @param copies hashes of changed files that may be overwritten, because another backup contains them
 */
export async function restore(
  root: ProjectRoot,
  staging: Staging,
  backup: Backup,
  copies: ReadonlyMap<string, string> = new Map(),
): Promise<Restored> {
  const done: Restored = { restored: [], removed: [], kept: [] };
  for (const file of backup.files) {
    const { path } = file;
    const outcome = await attempt(() => restoreFile(root, staging, backup, file, copies.get(path)));
    if (outcome === 'done') done.restored.push(path);
    else if (outcome !== 'as_before') done.kept.push({ path, reason: outcome });
  }
  // The sources were restored above, so new images are only referenced in files that were kept.
  const texts = await remainingTexts(root, backup, done);
  for (const file of backup.created) {
    const { path } = file;
    const outcome = await attempt(() => removeCreated(root, file, texts, copies.get(path)));
    if (outcome === 'done') done.removed.push(path);
    else if (outcome !== 'as_before') done.kept.push({ path, reason: outcome });
  }
  await syncFolders(root, [...done.restored, ...done.removed]);
  return done;
}

type Outcome = 'done' | 'as_before' | KeptReason;

async function attempt(work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work();
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return 'write_failed';
  }
}

async function restoreFile(
  root: ProjectRoot,
  staging: Staging,
  backup: Backup,
  file: Backup['files'][number],
  copy: string | undefined,
): Promise<Outcome> {
  const { path, before } = file;
  await removeTemporary(root, path);
  const now = await hashOf(root, path);
  const standing = statusByHash(now, file);
  if (standing === 'before') return 'as_before';
  if (standing === 'changed' && now !== copy) return 'changed_since_apply';
  const mode = await modeFor(root, path, before.mode);
  const staged = await stageCopy(root, staging, storedPath(backup, file), { ...before, mode });
  if (staged === undefined) return 'backup_damaged';
  await makeFolders(root, path);
  // Check again: an editor may have saved the file in the meantime.
  if ((await hashOf(root, path)) !== now) return 'changed_since_apply';
  await staging.place(staged, path, { replace: now !== ABSENT });
  return 'done';
}

async function removeCreated(
  root: ProjectRoot,
  file: Backup['created'][number],
  texts: readonly string[],
  copy: string | undefined,
): Promise<Outcome> {
  const { path } = file;
  await removeTemporary(root, path);
  const isNamed = texts.some((text) => mayName(text, path));
  const now = await hashOf(root, path);
  const standing = statusByHash(now, file);
  if (standing === 'before') return 'as_before';
  if (standing === 'changed' && now !== copy) return 'changed_since_apply';
  if (isNamed) return 'still_referenced';
  await removeFile(root, path);
  return 'done';
}

/** Texts of the sources that were edited by this change or a later one and were not restored. */
async function remainingTexts(root: ProjectRoot, backup: Backup, { restored, kept }: Restored): Promise<string[]> {
  const later = (await laterApplies(root, backup)).flatMap(({ files }) => files);
  const paths = new Set([...kept, ...later].map(({ path }) => path).filter(isSourceName));
  for (const path of restored) paths.delete(path);
  const texts: string[] = [];
  for (const path of paths) {
    const bytes = await root.read(path).catch(() => undefined);
    if (bytes) texts.push(bytes.toString('utf8'));
  }
  return texts;
}

/** Whether a text may name a file. False positives are harmless: the file is only kept. */
function mayName(text: string, path: string): boolean {
  const name = posix.basename(path);
  return [name, encodeURI(name), encodeURIComponent(name), name.replaceAll('&', '&amp;')].some((each) =>
    text.includes(each),
  );
}

/**
 * The permissions for a restored file. Executable bits are only kept, never added: a backup that came with the project
 * must not make a file executable.
 */
async function modeFor(root: ProjectRoot, path: string, mode: number): Promise<number> {
  const now = await stateOf(root, path).catch(() => undefined);
  return (mode & ~EXECUTABLE & PERMISSIONS) | ((now?.mode ?? 0) & mode & EXECUTABLE);
}

const PERMISSIONS = 0o777;
const EXECUTABLE = 0o111;

/** Creates the folders of a file that were removed since the apply. */
async function makeFolders(root: ProjectRoot, path: string): Promise<void> {
  const parts = path.split('/').slice(0, -1);
  for (let count = 1; count <= parts.length; count += 1) {
    await inParentFolder(root, parts.slice(0, count).join('/'), (folder, name) => mkdir(join(folder, name))).catch(
      (error) => {
        if (codeOf(error) !== 'EEXIST') throw error;
      },
    );
  }
}

async function stageCopy(
  root: ProjectRoot,
  staging: Staging,
  stored: string,
  { sha256, mode }: Backup['files'][number]['before'],
): Promise<string | undefined> {
  const written = await withFile(root, stored, (file) => staging.write(chunksOf(file), { mode }));
  return written?.sha256 === sha256 ? written.staged : undefined;
}

/** Removes the temporary file of a process that was killed while it copied to another file system. */
async function removeTemporary(root: ProjectRoot, path: string): Promise<void> {
  await inParentFolder(root, path, (folder, name) => rm(join(folder, temporaryName(name)), { force: true })).catch(
    () => {},
  );
}
