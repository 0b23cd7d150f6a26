/** Helpers shared by the commands that read and write files. */
import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

export const exists = async (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** A new temporary path next to `path`. It is hidden, so commands that read folders skip it. */
export const temporaryPath = (path: string): string =>
  join(dirname(resolve(path)), `.imagecrew-${randomBytes(6).toString('hex')}.part`);

/** Whether a folder search skips a name: hidden files and `node_modules`. */
export const isSkipped = (name: string): boolean => name.startsWith('.') || name === 'node_modules';
