/** Trusted programs of other makers, as references. A test that needs one skips with a word where it is not installed. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The path of an installed program, or undefined. */
export function tool(name: string): string | undefined {
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
