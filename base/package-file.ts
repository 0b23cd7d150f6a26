/** Files that the package ships beside its code, and files of other packages. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';

const require = createRequire(import.meta.url);

/**
 * Returns the absolute path of such a file. The files lie beside the sources; the built code uses them from there too.
 * @param path relative to the package folder
 */
export function packageFile(path: string): string {
  const fromBuild = import.meta.url.endsWith('.js');
  return fileURLToPath(new URL(`${fromBuild ? '../../' : '../'}${path}`, import.meta.url));
}

/**
 * The packed program carries the files that it needs of some large packages (scripts/carried-files.mjs). There are none
 * in the repository.
 */
const carriedFile = (specifier: string): string => fileURLToPath(new URL(`../carried/${specifier}`, import.meta.url));

/**
 * Returns the absolute path of a module of another package, for code that starts it in a thread or requires it.
 * @throws Error if the package is not installed
 */
export function dependencyModule(specifier: string): string {
  const carried = carriedFile(specifier);
  return existsSync(carried) ? carried : require.resolve(specifier);
}

/** Whether the file of another package is there. */
export function hasDependency(specifier: string): boolean {
  try {
    return existsSync(`${carriedFile(specifier)}.br`) || require.resolve(specifier) !== '';
  } catch {
    return false;
  }
}

/**
 * Reads a file of another package.
 * @throws Error if the package is not installed
 */
export async function readDependency(specifier: string): Promise<Buffer<ArrayBuffer>> {
  const compressed = `${carriedFile(specifier)}.br`;
  return existsSync(compressed)
    ? await promisify(brotliDecompress)(await readFile(compressed))
    : await readFile(require.resolve(specifier));
}
