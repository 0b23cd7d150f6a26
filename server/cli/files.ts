/** What the commands that read and write files have in common. */
import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** A new name beside a path for what becomes it when it is whole: hidden, so that no folder is read with it. */
export function partOf(path: string): string {
  return join(dirname(resolve(path)), `.imagecrew-${randomBytes(6).toString('hex')}.part`);
}

/** Names in a folder that nobody means who names the folder. */
export const isSkipped = (name: string): boolean => name.startsWith('.') || name === 'node_modules';
