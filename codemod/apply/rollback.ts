/** Rolls back an apply, including one that was killed or belongs to another process (docs/spec/shapes.md, section 18.9). */
import { Failure } from '../../base/failure.ts';
import { describeFileError, writeFailed } from '../errors.ts';
import { codeOf, Staging, stateOf } from '../files.ts';
import type { ProjectRoot } from '../project/root.ts';
import { type Backup, ChangedWhileCopied, type Kept, makeBackup, markBackup } from './backup.ts';
import { ABSENT, type ChangedFile, type Restored, restore, statusOf } from './restore.ts';

export interface RolledBack extends Restored {
  safetyBackupId: string | null;
}

/**
 * The caller must hold the project's lock.
 * @param force whether to restore files that have changedState since too; they are backed up first
 * @throws Failure `write_failed`, with the `safety_backup_id` of the files that may have been overwritten
 */
export async function rollBack(root: ProjectRoot, backup: Backup, force: boolean): Promise<RolledBack> {
  const safety = force ? await backUpChanged(root, backup) : NO_SAFETY;
  const { id: safetyBackupId, copies } = safety;
  try {
    const done = await Staging.use(root, (staging) => restore(root, staging, backup, copies));
    // Files that were kept can still be rolled back later with force.
    if (done.kept.length === 0) await markBackup(root, backup, 'rolled_back');
    return { ...done, safetyBackupId };
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    throw writeFailed(describeFileError(error), false, error, { safety_backup_id: safetyBackupId });
  }
}

interface Safety {
  /** Null if no file has changed. */
  id: string | null;
  /** SHA-256 of the backup copy of each changed file. */
  copies: ReadonlyMap<string, string>;
}

const NO_SAFETY: Safety = { id: null, copies: new Map() };

async function backUpChanged(root: ProjectRoot, backup: Backup): Promise<Safety> {
  const files: Kept[] = [];
  const created: Backup['created'] = [];
  const copies = new Map<string, string>();
  for (const file of backup.files) {
    const now = await changedState(root, file);
    if (now) files.push({ path: file.path, before: now, after_sha256: file.before.sha256 });
    else if (now === null) created.push({ path: file.path, sha256: file.before.sha256 });
    if (now !== undefined) copies.set(file.path, now?.sha256 ?? ABSENT);
  }
  for (const file of backup.created) {
    const now = await changedState(root, file);
    if (!now) continue;
    files.push({ path: file.path, before: now, after_sha256: null });
    copies.set(file.path, now.sha256);
  }
  if (copies.size === 0) return NO_SAFETY;
  const { plan_id, package_id } = backup;
  const facts = { kind: 'safety', plan_id, package_id, status: 'applied', created } as const;
  try {
    const { backup_id: id } = await makeBackup(root, facts, files);
    return { id, copies };
  } catch (error) {
    if (error instanceof ChangedWhileCopied) throw writeFailed('a file has just been changed', true, error);
    if (codeOf(error) === undefined || error instanceof Failure) throw error;
    throw writeFailed(describeFileError(error), true, error);
  }
}

/**
 * @returns null for a file that no longer exists; undefined for a file that has not changed or cannot be read. A file
 * that   cannot be read is not overwritten either.
 */
async function changedState(root: ProjectRoot, file: ChangedFile): Promise<Kept['before'] | null | undefined> {
  try {
    return (await statusOf(root, file)) === 'changed' ? ((await stateOf(root, file.path)) ?? null) : undefined;
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return undefined;
  }
}
