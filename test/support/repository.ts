/** Where files are: `npm test` runs what is built of the tests, in a folder of its own, and `tsx --test` the sources. */
const isBuilt = import.meta.url.endsWith('.js');

/** A file of the repository, or one beside it. */
export function repositoryFile(path: string): URL {
  return new URL(`${isBuilt ? '../../../' : '../../'}${path}`, import.meta.url);
}

/** A program of this repository for a process of its own, by its path without extension (`server/cli/main`). */
export function program(path: string): URL {
  return new URL(`../../${path}${isBuilt ? '.js' : '.ts'}`, import.meta.url);
}

/** The arguments that Node needs before a {@link program}. */
export const LOADER: readonly string[] = isBuilt ? [] : ['--import', 'tsx'];
