/** Finds packages and libraries with a licence that the product may not have, or whose licence nobody has looked up. */
import { compiledFilesIn } from './compiled-files.ts';
import { type CompiledContents, contentsOf } from './contents.ts';
import { goneFrom, librariesOf } from './libraries.ts';
import { type Lock, type LockedPackage, packagesOf, shippedPackages } from './packages.ts';
import { libraryFault, packageFault } from './policy.ts';

export interface LicenceSources {
  lock: Lock;
  /** Folders of the packages whose code is in `dist/`. */
  builtIn: ReadonlySet<string>;
  contents?: (packageName: string) => CompiledContents | undefined;
  /** Folder that contains `node_modules`. */
  root?: string;
}

/** @returns sentences; none if all is well */
export function licenceFaults({ lock, builtIn, contents = contentsOf, root = '.' }: LicenceSources): string[] {
  const packages = packagesOf(lock);
  const shipped = new Set(shippedPackages(packages, builtIn));
  return [
    ...packages.flatMap((one) => packageFault(one, shipped.has(one)) ?? []),
    ...[...shipped].flatMap((one) => contentFaults(one, contents(one.name), `${root}/${one.path}`)),
  ];
}

function contentFaults(one: LockedPackage, contents: CompiledContents | undefined, folder: string): string[] {
  const compiled = compiledFilesIn(folder);
  const name = `${one.name} ${one.version}`;
  if (!compiled || (!contents && compiled.length === 0)) return [];
  if (!contents) return [`Expected a declaration of the libraries in ${compiled[0]} of ${name} but received none.`];
  if (contents.reviewed !== undefined && contents.reviewed !== one.version)
    return [`Expected the libraries in ${name} to be looked up but received those of ${contents.reviewed}.`];
  const isReplaceable = !compiled.some((file) => file.endsWith('.node'));
  return [
    ...librariesOf(contents, folder).flatMap(
      ({ name: library, licence }) => libraryFault(`${library} in ${name}`, licence, { isReplaceable }) ?? [],
    ),
    ...goneFrom(contents, folder).map((library) => `Expected ${library} in ${name} but the package does not list it.`),
  ];
}
