/**
 * Real files for tests, kept beside the repository because of their size. A test that needs them skips with a word
 * when they are not there: `it('…', { skip: noCorpus }, …)`.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { repositoryFile } from './repository.ts';

// Not IC_…: that prefix belongs to the settings of the service, which refuses names it does not know.
const folder = resolve(process.env.IMAGECREW_TEST_CORPUS ?? fileURLToPath(repositoryFile('../shared/corpus/dev')));

/** The reason to skip a test that cannot do without the corpus; false when the corpus is there. */
export const noCorpus: string | false = existsSync(folder) ? false : 'the corpus of real files is not there';

/** Where a file or folder of the corpus is, for programs that read it by themselves. */
export function corpusPath(path: string): string {
  return join(folder, path);
}

/** The bytes of a file of the corpus, by its path in it (`jpeg/name.jpg`); undefined when it is not there. */
export function corpus(path: string): Uint8Array | undefined {
  const file = join(folder, path);
  return existsSync(file) ? readFileSync(file) : undefined;
}

/** The paths of all files in a folder of the corpus (`jpeg`), sorted, as {@link corpus} takes them. */
export function corpusFiles(name: string): string[] {
  const path = join(folder, name);
  if (!existsSync(path)) return [];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${name}/${entry.name}`)
    .sort();
}
