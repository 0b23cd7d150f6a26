/** Files that the package ships beside its code. */
import { fileURLToPath } from 'node:url';

/**
 * Returns the absolute path of such a file. The files lie beside the sources; the built code uses them from there too.
 * @param path relative to the package folder
 */
export function packageFile(path: string): string {
  const fromBuild = import.meta.url.endsWith('.js');
  return fileURLToPath(new URL(`${fromBuild ? '../../' : '../'}${path}`, import.meta.url));
}
