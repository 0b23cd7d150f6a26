/** Helpers shared by the commands that read and write files. */
import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** A new temporary path next to `path`. It is hidden, so commands that read folders skip it. */
export function temporaryPath(path: string): string {
  return join(dirname(resolve(path)), `.imagecrew-${randomBytes(6).toString('hex')}.part`);
}

/** Whether a folder search skips a name: hidden files and `node_modules`. */
export const isSkipped = (name: string): boolean => name.startsWith('.') || name === 'node_modules';
