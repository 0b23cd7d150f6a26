/**
 * Backups in `.ic/backups`: the content of each changed file before the change, and its hash after. A backup is
 * complete on disk before the first project file is changed, so it also serves as a journal: a later process can roll
 * back what a killed one had begun. Backups are never deleted automatically.
 */
import { readdir } from 'node:fs/promises';
import { z } from 'zod';
import { newId } from '../../base/id.ts';
import { backupNotFound } from '../errors.ts';
import { chunksOf, Staging, stateOf, syncFolders, withFile } from '../files.ts';
import { mapInParallel } from '../in-parallel.ts';
import type { ProjectRoot } from '../project/root.ts';
import { isImageName, isSourceName, skipFolder, skipName } from '../project/rules.ts';
import { ensureStateFolder, STATE_FOLDER } from '../state-folder.ts';

const FOLDER = `${STATE_FOLDER}/backups`;
const MANIFEST = 'manifest.json';
const ID = /^bak_[0-9A-Z]{26}$/;

/** A backup may have been put into the project by others, so its paths are restricted to what an apply could change. */
const changeablePath = z.string().refine(isChangeable);

const fileState = z.object({ sha256: z.string(), bytes: z.int(), mode: z.int() });

const manifestSchema = z.object({
  version: z.literal(1),
  backup_id: z.string().regex(ID),
  /** `safety`: the files that a forced rollback overwrote although they had changed. */
  kind: z.enum(['apply', 'safety']),
  plan_id: z.string().nullable(),
  package_id: z.string().nullable(),
  created_at: z.string(),
  /** Remains `applying` if the process was killed. */
  status: z.enum(['applying', 'applied', 'rolled_back']),
  files: z.array(
    z.object({
      path: changeablePath,
      before: fileState,
      /** Null if the file is removed. */
      after_sha256: z.string().nullable(),
      /** File name of the copy. */
      stored: z.string().regex(/^[0-9]+$/),
    }),
  ),
  created: z.array(z.object({ path: changeablePath, sha256: z.string() })),
});

function isChangeable(path: string): boolean {
  const segments = path.split('/');
  const folders = segments.slice(1).map((_, index) => segments.slice(0, index + 1).join('/'));
  if (folders.some((folder) => skipFolder(folder) !== undefined) || skipName(path) !== undefined) return false;
  return isSourceName(path) || isImageName(path);
}

export type Backup = z.output<typeof manifestSchema>;

/** A file that will be changed or removed. */
export interface Kept {
  path: string;
  before: Backup['files'][number]['before'];
  after_sha256: string | null;
}

export type NewBackup = Pick<Backup, 'kind' | 'plan_id' | 'package_id' | 'created' | 'status'>;

/** Thrown if a copy differs from the expected content: the file has just been changed. */
export class ChangedWhileCopied extends Error {
  override readonly name = 'ChangedWhileCopied';
  readonly path: string;

  constructor(path: string) {
    super(path);
    this.path = path;
  }
}

const folderOf = (id: string): string => `${FOLDER}/${id}`;

/** Copies files and verifies the copies. When it returns, all data is synced to disk. @throws ChangedWhileCopied */
export async function makeBackup(root: ProjectRoot, facts: NewBackup, files: readonly Kept[]): Promise<Backup> {
  await ensureStateFolder(root, 'backups');
  const id = newId('bak');
  const backup: Backup = {
    version: 1,
    backup_id: id,
    ...facts,
    created_at: new Date().toISOString(),
    files: files.map((file, index) => ({ ...file, stored: `${index + 1}` })),
  };
  await Staging.use(root, async (staging) => {
    await mapInParallel(backup.files, async ({ path, before, stored }) => {
      const place = { as: `backup/files/${stored}`, mode: 0o600 };
      const written = await withFile(root, path, (file) => staging.write(chunksOf(file), place));
      if (!written) throw new ChangedWhileCopied(path);
      const copy = await stateOf(root, staging.pathOf(`backup/files/${stored}`));
      if (copy?.sha256 !== before.sha256) throw new ChangedWhileCopied(path);
    });
    const { staged } = await staging.write(manifestBytes(backup), { as: `backup/${MANIFEST}`, mode: 0o600 });
    await syncFolders(
      root,
      [staging.pathOf(staged), staging.pathOf('backup/files/1')].slice(0, files.length > 0 ? 2 : 1),
    );
    await staging.placeFolder('backup', folderOf(id));
    await syncFolders(root, [folderOf(id)]);
  });
  return backup;
}

const manifestBytes = (backup: Backup): Buffer => Buffer.from(`${JSON.stringify(backup, null, 1)}\n`);

/** Stores the state of the change in the backup. */
export async function markBackup(root: ProjectRoot, backup: Backup, status: Backup['status']): Promise<void> {
  backup.status = status;
  const path = `${folderOf(backup.backup_id)}/${MANIFEST}`;
  await Staging.use(root, async (staging) => {
    const { staged } = await staging.write(manifestBytes(backup), { mode: 0o600 });
    await staging.place(staged, path, { replace: true });
  });
  await syncFolders(root, [path]);
}

/** Path of a copy, relative to the root. */
export const storedPath = ({ backup_id: id }: Backup, { stored }: Backup['files'][number]): string =>
  `${folderOf(id)}/files/${stored}`;

/**
 * @param id default: the latest apply that has not been rolled back
 * @throws Failure `backup_not_found`
 */
export async function findBackup(root: ProjectRoot, id?: string): Promise<Backup> {
  const ids = id === undefined ? (await backupIds(root)).reverse() : [id];
  for (const each of ids) {
    const backup = await readBackup(root, each);
    if (backup && backup.status !== 'rolled_back' && (id !== undefined || backup.kind === 'apply')) return backup;
  }
  throw backupNotFound(id);
}

/** Later applies that have not been rolled back. */
export async function laterApplies(root: ProjectRoot, { backup_id: id }: Backup): Promise<Backup[]> {
  const later = (await backupIds(root)).filter((each) => each > id);
  const backups = await Promise.all(later.map((each) => readBackup(root, each)));
  return backups.flatMap((each) => (each?.kind === 'apply' && each.status !== 'rolled_back' ? [each] : []));
}

/** Applies that were neither completed nor rolled back, because their process was killed. */
export async function unfinishedBackups(root: ProjectRoot): Promise<string[]> {
  const found: string[] = [];
  for (const id of await backupIds(root)) {
    if ((await readBackup(root, id))?.status === 'applying') found.push(id);
  }
  return found;
}

/** Ids of the backups, oldest first: ids sort by time. */
async function backupIds(root: ProjectRoot): Promise<string[]> {
  const names = await root.inFolder(FOLDER, (folder) => readdir(folder)).catch(() => []);
  return names.filter((name) => ID.test(name)).sort();
}

export async function readBackup(root: ProjectRoot, id: string): Promise<Backup | undefined> {
  if (!ID.test(id)) return undefined;
  try {
    const text = await root.read(`${folderOf(id)}/${MANIFEST}`);
    const backup = manifestSchema.parse(JSON.parse(text.toString('utf8')));
    return backup.backup_id === id ? backup : undefined;
  } catch {
    // An unreadable backup was never completed, or is not from this program.
    return undefined;
  }
}
