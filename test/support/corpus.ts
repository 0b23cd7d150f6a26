/**
 * Real files for tests, stored beside the repository because of their size. A test that needs them is skipped with a
 * reason if they are missing: `it('…', { skip: corpusSkipReason }, …)`.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { repositoryFile } from './repository.ts';

// Not IC_…: that prefix is for the settings of the service, which rejects unknown names.
const folder = resolve(process.env.IMAGECREW_TEST_CORPUS ?? fileURLToPath(repositoryFile('../shared/corpus/dev')));

/** The reason to skip a test that needs the corpus, or false if the corpus exists. */
export const corpusSkipReason: string | false = existsSync(folder) ? false : 'the corpus of real files is not there';

/** Returns the path of a file or folder of the corpus, for programs that read it themselves. */
export function corpusPath(path: string): string {
  return join(folder, path);
}

/** Returns the bytes of a file of the corpus by its path (`jpeg/name.jpg`), or undefined if it is missing. */
export function corpus(path: string): Uint8Array | undefined {
  const file = join(folder, path);
  return existsSync(file) ? readFileSync(file) : undefined;
}

/** Returns the paths of all files in a folder of the corpus (`jpeg`), sorted, as {@link corpus} takes them. */
export function corpusFiles(name: string): string[] {
  const path = join(folder, name);
  if (!existsSync(path)) return [];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${name}/${entry.name}`)
    .sort();
}
