import { statfs } from 'node:fs/promises';

/**
 * Returns the bytes that the file system of the folder has free for this user.
 * @throws the error of the system if the folder does not exist
 */
export async function freeSpace(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
