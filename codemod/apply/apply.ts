/**
 * Applies a plan (docs/spec/shapes.md, section 18.4, safety 5 and 6). Everything that can fail for lack of disk space or
 * permissions happens before the first project file is changed: new files are written and synced in a staging folder,
 * then renamed.
 */

import { Failure } from '../../base/failure.ts';
import { describeFileError, fileChanged, packageHashMismatch, writeFailed } from '../errors.ts';
import { chunksOf, codeOf, removeFile, Staging, sha256Of, stateOf, syncFolders, withFile } from '../files.ts';
import { mapInParallel } from '../in-parallel.ts';
import { type AddedImage, applyEdits, type Plan, type PlannedFile } from '../plan/plan.ts';
import type { ProjectRoot } from '../project/root.ts';
import { type Backup, ChangedWhileCopied, type Kept, makeBackup, markBackup } from './backup.ts';
import { restore } from './restore.ts';

export interface Applied {
  backup: Backup;
  appliedAt: string;
}

interface StagedFile {
  path: string;
  /** For a source file: its permissions when it was staged. They are kept. */
  mode?: number;
  staged: string;
  sha256: string;
}

/**
 * The caller must hold the project's lock.
 * @throws Failure `file_changed`, and nothing is written; `write_failed`; `package_hash_mismatch`; the reason of
 * `signal`,   which is no longer checked once the first file was changed
 */
export async function applyPlan(root: ProjectRoot, plan: Plan, signal: AbortSignal): Promise<Applied> {
  const added = await checkUnchanged(root, plan);
  return await Staging.use(root, async (staging) => {
    const { sources, images, backup } = await withPrepareErrors(async () => {
      const sources = await stageSources(root, staging, plan, signal);
      const images = await stageImages(root, staging, added, signal);
      const backup = await makeBackup(root, newBackup(plan, images), keptFiles(plan, sources));
      return { sources, images, backup };
    });
    try {
      await commit(root, staging, plan, { sources, images });
      await markBackup(root, backup, 'applied');
    } catch (error) {
      throw await rollBack(root, staging, backup, error);
    }
    return { backup, appliedAt: new Date().toISOString() };
  });
}

/** @returns the images that do not exist yet */
async function checkUnchanged(root: ProjectRoot, { files, added, removed }: Plan): Promise<AddedImage[]> {
  const changed: string[] = [];
  const readOnly: string[] = [];
  const touched = [...files, ...removed];
  const states = await mapInParallel(touched, ({ path }) => stateOf(root, path));
  for (const [index, { path, before }] of touched.entries()) {
    const now = states[index];
    if (now?.sha256 !== before.sha256) changed.push(path);
    else if ((now.mode & OWNER_MAY_WRITE) === 0) readOnly.push(path);
  }
  const missing: AddedImage[] = [];
  const present = await mapInParallel(added, ({ path }) => stateOf(root, path));
  for (const [index, image] of added.entries()) {
    const now = present[index];
    if (!now) missing.push(image);
    else if (now.sha256 !== image.sha256) changed.push(image.path);
  }
  if (changed.length > 0) throw fileChanged(changed);
  // Renaming a new file into place would ignore the read-only permission.
  if (readOnly.length > 0) throw writeFailed(`these are read-only: ${readOnly.join(', ')}`, true);
  return missing;
}

const OWNER_MAY_WRITE = 0o200;

async function withPrepareErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ChangedWhileCopied) throw fileChanged([error.path]);
    if (codeOf(error) === undefined || error instanceof Failure) throw error;
    throw writeFailed(describeFileError(error), true, error);
  }
}

async function stageSources(
  root: ProjectRoot,
  staging: Staging,
  { files }: Plan,
  signal: AbortSignal,
): Promise<StagedFile[]> {
  return await mapInParallel(
    files,
    async (file) => {
      const bytes = await root.read(file.path);
      if (sha256Of(bytes) !== file.before.sha256) throw fileChanged([file.path]);
      // Permissions may have been restricted since the preview.
      const mode = (await stateOf(root, file.path))?.mode ?? file.before.mode;
      return { path: file.path, mode, ...(await staging.write(editedBytes(bytes, file), { mode })) };
    },
    signal,
  );
}

/** Returns a file's content after its edits. */
export const editedBytes = (bytes: Buffer, { edits }: Pick<PlannedFile, 'edits'>): Buffer =>
  Buffer.from(applyEdits(bytes.toString('utf8'), edits));

async function stageImages(
  root: ProjectRoot,
  staging: Staging,
  added: readonly AddedImage[],
  signal: AbortSignal,
): Promise<StagedFile[]> {
  return await mapInParallel(
    added,
    async ({ path, from, sha256 }) => {
      const written = await withFile(root, from, (file) => staging.write(chunksOf(file)));
      if (written?.sha256 !== sha256) throw packageHashMismatch(from);
      return { path, ...written };
    },
    signal,
  );
}

function newBackup({ id, packageId }: Plan, images: readonly StagedFile[]) {
  const created = images.map(({ path, sha256 }) => ({ path, sha256 }));
  return { kind: 'apply', plan_id: id, package_id: packageId, status: 'applying', created } as const;
}

function keptFiles({ files, removed }: Plan, sources: readonly StagedFile[]): Kept[] {
  return [
    ...files.map(({ path, before }, index) => {
      const { mode = before.mode, sha256 } = sources[index]!;
      return { path, before: { ...before, mode }, after_sha256: sha256 };
    }),
    ...removed.map(({ path, before }) => ({ path, before, after_sha256: null })),
  ];
}

/**
 * Places new images first, then the sources that reference them, then removes images that are no longer referenced. So
 * at no time does a reference lack its file.
 */
async function commit(
  root: ProjectRoot,
  staging: Staging,
  { files, removed }: Plan,
  { sources, images }: { sources: readonly StagedFile[]; images: readonly StagedFile[] },
): Promise<void> {
  for (const { staged, path } of images) await staging.place(staged, path, { replace: false });
  await syncFolders(
    root,
    images.map(({ path }) => path),
  );
  for (const [index, { staged, path }] of sources.entries()) {
    await assertUnchanged(root, path, files[index]!.before.sha256);
    await staging.place(staged, path, { replace: true });
  }
  for (const { path, before } of removed) {
    await assertUnchanged(root, path, before.sha256);
    await removeFile(root, path);
  }
  await syncFolders(
    root,
    [...sources, ...removed].map(({ path }) => path),
  );
}

async function assertUnchanged(root: ProjectRoot, path: string, sha256: string): Promise<void> {
  if ((await stateOf(root, path))?.sha256 !== sha256) throw fileChanged([path]);
}

/** Rolls back after an error during the commit. @returns the error to throw */
async function rollBack(root: ProjectRoot, staging: Staging, backup: Backup, cause: unknown): Promise<unknown> {
  let isWhole = false;
  try {
    const { kept } = await restore(root, staging, backup);
    // A file that somebody else changed in the meantime keeps those changes.
    isWhole = kept.every(({ reason }) => reason === 'changed_since_apply');
    if (isWhole) await markBackup(root, backup, 'rolled_back');
  } catch {
    isWhole = false;
  }
  if (isWhole && cause instanceof Failure) return cause;
  return writeFailed(describeFileError(cause), isWhole, cause);
}
