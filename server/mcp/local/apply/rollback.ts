/** Rolls an apply back, also one that was killed and one of another process (spec/shapes.md, section 18.9). */
import { Staging, stateOf } from '../files.ts';
import type { ProjectRoot } from '../project/root.ts';
import { type Backup, type Kept, makeBackup, markBackup } from './backup.ts';
import { type Restored, restore, standingOf, standingOfCreated } from './restore.ts';

export interface RolledBack extends Restored {
  safetyBackupId: string | null;
}

/**
 * Whoever calls this holds the project's lock.
 * @param force also files that have changed since; they are backed up before
 */
export async function rollBack(root: ProjectRoot, backup: Backup, force: boolean): Promise<RolledBack> {
  const safety = force ? await backUpChanged(root, backup) : null;
  const done = await Staging.use(root, (staging) => restore(root, staging, backup, { force }));
  // What was kept can still be asked for with force.
  if (done.kept.length === 0) await markBackup(root, backup, 'rolled_back');
  return { ...done, safetyBackupId: safety };
}

/** @returns the id, or null where nothing has changed */
async function backUpChanged(root: ProjectRoot, backup: Backup): Promise<string | null> {
  const files: Kept[] = [];
  const created: Backup['created'] = [];
  for (const file of backup.files) {
    if ((await standingOf(root, file)) !== 'changed') continue;
    const now = await stateOf(root, file.path).catch(() => undefined);
    if (now) files.push({ path: file.path, before: now, after_sha256: file.before.sha256 });
    else created.push({ path: file.path, sha256: file.before.sha256 });
  }
  for (const file of backup.created) {
    if ((await standingOfCreated(root, file)) !== 'changed') continue;
    const now = await stateOf(root, file.path).catch(() => undefined);
    if (now) files.push({ path: file.path, before: now, after_sha256: null });
  }
  if (files.length === 0 && created.length === 0) return null;
  const { plan_id, package_id } = backup;
  const safety = await makeBackup(root, { kind: 'safety', plan_id, package_id, status: 'applied', created }, files);
  return safety.backup_id;
}
