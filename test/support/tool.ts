/** Trusted programs of other makers, as references. A test that needs one skips with a word where it is not installed. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** What a program says with `-version`, where others are installed under the same name. */
const VERSIONS: Readonly<Record<string, RegExp>> = { convert: /^Version: ImageMagick/ };

/** The path of an installed program, or undefined. */
export function tool(name: string): string | undefined {
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

/** The reason to skip a test that compares with a program; false when it is installed. */
export function without(...names: readonly string[]): string | false {
  const missing = names.filter((name) => !tool(name));
  return missing.length > 0 && `not installed: ${missing.join(', ')}`;
}
