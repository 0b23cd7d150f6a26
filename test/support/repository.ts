/** Locates files: `npm test` runs the built tests in a folder of their own, and `tsx --test` runs the sources. */
const isBuilt = import.meta.url.endsWith('.js');

/** Returns the URL of a file of the repository, or of one beside it. */
export function repositoryFile(path: string): URL {
  return new URL(`${isBuilt ? '../../../' : '../../'}${path}`, import.meta.url);
}

/**
 * Returns the URL of a program of this repository, to be run in a separate process: of the tests, or of the product, in
 * a build like that of `npm run build`. The path has no extension (`cli/main`).
 */
export function program(path: string): URL {
  if (!isBuilt) return new URL(`../../${path}.ts`, import.meta.url);
  return path.startsWith('test/')
    ? new URL(`../../${path}.js`, import.meta.url)
    : repositoryFile(`dist-test-product/${path}.js`);
}

/** The arguments that Node needs before a {@link program}. */
export const LOADER: readonly string[] = isBuilt ? [] : ['--import', 'tsx'];
