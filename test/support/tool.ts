/**
 * Trusted third-party programs, used as references. A test that needs one is skipped with a reason if it is not
 * installed.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Output of a program with `-version`, where other programs have the same name. */
const VERSIONS: Readonly<Record<string, RegExp>> = { convert: /^Version: ImageMagick/ };

/** Returns the path of an installed program, or undefined. */
export function findProgram(name: string): string | undefined {
  const path = executable(name);
  const version = VERSIONS[name];
  if (!path || !version) return path;
  return version.test(spawnSync(path, ['-version'], { encoding: 'utf8' }).stdout) ? path : undefined;
}

function executable(name: string): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** Returns the reason to skip a test that compares with programs, or false if they are installed. */
export function skipWithout(...names: readonly string[]): string | false {
  const missing = names.filter((name) => !findProgram(name));
  return missing.length > 0 && `not installed: ${missing.join(', ')}`;
}
