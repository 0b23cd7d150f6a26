import { codeOf } from '../files.ts';

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
export function describeFileError(error: unknown): string {
  return FILE_ERRORS[codeOf(error) ?? ''] ?? 'the system refused it';
}
