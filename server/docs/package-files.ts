/** The files of the documentation, which lie in `docs/`: two folders above the sources, three above what is built from them. */
import { readdir, readFile } from 'node:fs/promises';

const FOLDER = new URL(import.meta.url.endsWith('.js') ? '../../../docs/' : '../../docs/', import.meta.url);

/** @param path below `docs/` */
export function readDoc(path: string): Promise<Buffer> {
  return readFile(new URL(path, FOLDER));
}

/** Names of the files of a folder below `docs/`. */
export function listDocs(path: string): Promise<string[]> {
  return readdir(new URL(path, FOLDER));
}
