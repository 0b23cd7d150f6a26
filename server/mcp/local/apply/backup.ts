/**
 * Backups: what every file of a change was before, in `.ic/backups`, and what it became. A backup is complete on the disk before
 * the first file of the project is touched, so it is the journal of the change as well: by it the next process can take back
 * what a killed one had begun. Backups stay until somebody removes them.
 */
import { readdir } from 'node:fs/promises';
import { z } from 'zod';
import { newId } from '../../../../base/id.ts';
import { backupNotFound } from '../errors.ts';
import { chunksOf, openFile, Staging, stateOf, syncFolders } from '../files.ts';
import { mapInParallel } from '../in-parallel.ts';
import type { ProjectRoot } from '../project/root.ts';
import { isImageName, isSourceName, skipFolder, skipName } from '../project/rules.ts';
import { ensureStateFolder, STATE_FOLDER } from '../state-folder.ts';

const FOLDER = `${STATE_FOLDER}/backups`;
const MANIFEST = 'manifest.json';
const ID = /^bak_[0-9A-Z]{26}$/;

/** Backups may come with a project: their paths have to be such as an apply could have touched. */
const changeablePath = z.string().refine(isChangeable);

const fileState = z.object({ sha256: z.string(), bytes: z.int(), mode: z.int() });

const manifestSchema = z.object({
  version: z.literal(1),
  backup_id: z.string().regex(ID),
  /** `safety`: of files that a rollback has written over although they had changed. */
  kind: z.enum(['apply', 'safety']),
  plan_id: z.string().nullable(),
  package_id: z.string().nullable(),
  created_at: z.string(),
  /** `applying` in the backup of a process that was killed. */
  status: z.enum(['applying', 'applied', 'rolled_back']),
  files: z.array(
    z.object({
      path: changeablePath,
      before: fileState,
      /** Null: the file is removed. */
      after_sha256: z.string().nullable(),
      /** Where it is kept. */
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

/** A file that is going to be changed or removed. */
export interface Kept {
  path: string;
  before: Backup['files'][number]['before'];
  after_sha256: string | null;
}

export type NewBackup = Pick<Backup, 'kind' | 'plan_id' | 'package_id' | 'created' | 'status'>;

/** The copy of a file is not what was to be copied: it has changed just now. */
export class ChangedWhileCopied extends Error {
  override readonly name = 'ChangedWhileCopied';
  readonly path: string;

  constructor(path: string) {
    super(path);
    this.path = path;
  }
}

function folderOf(id: string): string {
  return `${FOLDER}/${id}`;
}

/** Copies files and reads the copies again; when this returns, all of it is on the disk. @throws ChangedWhileCopied */
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
      const file = await openFile(root, path);
      if (!file) throw new ChangedWhileCopied(path);
      try {
        await staging.write(chunksOf(file), { as: `backup/files/${stored}`, mode: 0o600 });
      } finally {
        await file.close();
      }
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

function manifestBytes(backup: Backup): Buffer {
  return Buffer.from(`${JSON.stringify(backup, null, 1)}\n`);
}

/** Notes how far the change is. */
export async function markBackup(root: ProjectRoot, backup: Backup, status: Backup['status']): Promise<void> {
  backup.status = status;
  const path = `${folderOf(backup.backup_id)}/${MANIFEST}`;
  await Staging.use(root, async (staging) => {
    const { staged } = await staging.write(manifestBytes(backup), { mode: 0o600 });
    await staging.place(staged, path, { replace: true });
  });
  await syncFolders(root, [path]);
}

/** Where a copy is kept, relative to the root. */
export function storedPath({ backup_id: id }: Backup, { stored }: Backup['files'][number]): string {
  return `${folderOf(id)}/files/${stored}`;
}

/**
 * @param id default: the latest of an apply that has not been rolled back
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

/** Applies after this one that have not been rolled back. */
export async function laterApplies(root: ProjectRoot, { backup_id: id }: Backup): Promise<Backup[]> {
  const later = (await backupIds(root)).filter((each) => each > id);
  const backups = await Promise.all(later.map((each) => readBackup(root, each)));
  return backups.flatMap((each) => (each?.kind === 'apply' && each.status !== 'rolled_back' ? [each] : []));
}

/** Applies that were neither finished nor taken back: their process was killed. */
export async function unfinishedBackups(root: ProjectRoot): Promise<string[]> {
  const found: string[] = [];
  for (const id of await backupIds(root)) {
    if ((await readBackup(root, id))?.status === 'applying') found.push(id);
  }
  return found;
}

/** The oldest first, as ids sort. */
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
    // One that cannot be read has never been complete, or is somebody else's.
    return undefined;
  }
}
