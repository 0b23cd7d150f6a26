/** The documentation files in `docs/`: two folders above the sources, three above the compiled files. */
import { readdir, readFile } from 'node:fs/promises';

const FOLDER = new URL(import.meta.url.endsWith('.js') ? '../../../docs/' : '../../docs/', import.meta.url);

/** Reads a file. @param path path below `docs/` */
export function readDoc(path: string): Promise<Buffer> {
  return readFile(new URL(path, FOLDER));
}

/** Lists the file names in a folder below `docs/`. */
export function listDocs(path: string): Promise<string[]> {
  return readdir(new URL(path, FOLDER));
}
