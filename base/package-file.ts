/** Files that come with the package beside its code. */
import { fileURLToPath } from 'node:url';

/** @param path from the folder of the package. They lie beside the sources, also for what is built from them. */
export function packageFile(path: string): string {
  const fromBuild = import.meta.url.endsWith('.js');
  return fileURLToPath(new URL(`${fromBuild ? '../../' : '../'}${path}`, import.meta.url));
}
