import { expected, Failure } from '../base/failure.ts';
import { ToolFailure } from '../mcp/tool.ts';
import { codeOf } from './files.ts';

/** No package was loaded, or none with this id. */
export const packageNotFound = (id: string | undefined): Failure =>
  new Failure('package_not_found', expected('a package that load_replacement_package has loaded', 'package_id', id));

/** @param fault what is wrong with it, as part of a sentence */
export const packageInvalid = (fault: string, cause?: unknown): Failure =>
  new Failure('package_invalid', `Expected a replacement package but received ${fault}.`, { cause });

/** A package file's hash differs from the map. */
export const packageHashMismatch = (name: string): Failure =>
  new Failure('package_hash_mismatch', expected('a file with the SHA-256 of the map', 'the package', name));

/** @param what the plan that the tool needs */
export const planNotFound = (what: string, id: string | undefined): Failure =>
  new Failure('plan_not_found', expected(what, 'plan_id', id));

export const planAlreadyApplied = (id: string): Failure =>
  new Failure('plan_already_applied', expected('a plan that has not been applied', 'plan_id', id));

export const backupNotFound = (id: string | undefined): Failure =>
  new Failure('backup_not_found', expected('a backup that has not been rolled back', 'backup_id', id));

/** `approved` is not literally true, or the user declined. */
export const approvalRequired = (received: unknown): Failure =>
  new Failure('approval_required', expected("true, after the person's yes to the plan,", 'approved', received));

export const declined = (): Failure =>
  new Failure('approval_required', 'Expected the yes of the person who was asked but it was declined.');

/** Nothing was written. @param files files that changed since the preview */
export function fileChanged(files: readonly string[]): Failure {
  return new ToolFailure(
    'file_changed',
    `Expected the files as they were at the preview but these have changed: ${shortList(files)}. Nothing was written: preview again.`,
    { files },
  );
}

export function nothingToDo(): Failure {
  return new Failure('nothing_to_do', 'Expected a plan with edits but this one changes nothing.');
}

/**
 * @param rolledBack whether everything was restored
 * @param facts further fields of the error
 */
export function writeFailed(fault: string, rolledBack: boolean, cause?: unknown, facts: object = {}): Failure {
  const state = rolledBack ? 'Everything is as it was before.' : 'Not everything could be taken back: use rollback.';
  return new ToolFailure(
    'write_failed',
    `Expected to write the project's files but ${fault}. ${state}`,
    { rolled_back: rolledBack, ...facts },
    { cause },
  );
}

const MAX_NAMES = 20;

function shortList(names: readonly string[]): string {
  const rest = names.length - MAX_NAMES;
  return names.slice(0, MAX_NAMES).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

/** Descriptions by system error code or failure code. */
const FILE_ERRORS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
  EROFS: 'the file system is read-only',
  EACCES: 'a file or folder must not be written',
  EPERM: 'a file or folder must not be written',
  EEXIST: 'a new file has a name that has just been taken',
  ENOENT: 'a file or folder has just been removed',
  not_found: 'a file or folder has just been removed',
  path_outside_root: 'a file or folder has just become a link',
  file_changed: 'a file has just been changed',
};

/** Describes an error of a project file, as part of a sentence. */
export const describeFileError = (error: unknown): string =>
  FILE_ERRORS[codeOf(error) ?? ''] ?? 'the system refused it';
