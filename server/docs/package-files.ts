/** The documentation files in `docs/`: two folders above the sources, three above the compiled files. */
import { readdir, readFile } from 'node:fs/promises';

const FOLDER = new URL(import.meta.url.endsWith('.js') ? '../../../docs/' : '../../docs/', import.meta.url);

/** Reads a file. @param path path below `docs/` */
export const readDoc = (path: string): Promise<Buffer> => readFile(new URL(path, FOLDER));

/** Lists the file names in a folder below `docs/`. */
export const listDocs = (path: string): Promise<string[]> => readdir(new URL(path, FOLDER));
