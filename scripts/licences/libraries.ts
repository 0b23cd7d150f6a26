/** Joins what is declared of the libraries inside a package with what the package lists itself. */
import type { CompiledContents } from './contents.ts';
import type { Library } from './library.ts';

export interface ListedLibrary extends Omit<Library, 'licence'> {
  /** Undefined if no declaration says it. */
  licence: string | undefined;
  version?: string;
  /** The notice in the package. */
  text?: string | undefined;
}

/** @param folder folder of the package, which must be installed */
export function librariesOf({ libraries, inventory }: CompiledContents, folder: string): ListedLibrary[] {
  if (!inventory) return [...libraries];
  const listed = inventory(folder);
  const declared = new Map(libraries.flatMap((library) => (library.key ? [[library.key, library]] : [])));
  return [
    ...listed.map(({ key, version, text }) => ({
      ...(declared.get(key) ?? { name: key, licence: undefined }),
      ...{ version, text },
    })),
    ...libraries.filter(({ key }) => key === undefined),
  ];
}

/** What is declared of a package that no longer lists it. */
export function goneFrom({ libraries, inventory }: CompiledContents, folder: string): string[] {
  if (!inventory) return [];
  const listed = new Set(inventory(folder).map(({ key }) => key));
  return libraries.flatMap(({ key, name }) => (key !== undefined && !listed.has(key) ? [name] : []));
}
