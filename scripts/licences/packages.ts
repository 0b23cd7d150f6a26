/** The packages of package-lock.json. */

export interface LockedPackage {
  /** Folder, relative to the repository: `node_modules/koa`. */
  path: string;
  name: string;
  version: string;
  /** As the package declares it, an SPDX expression. */
  licence: string | undefined;
  /** Not installed in production. Its code may still be in `dist/`. */
  isDevelopment: boolean;
  isOptional: boolean;
  /** Installed only on one operating system or processor. */
  isForOnePlatform: boolean;
}

/** The parts of package-lock.json (version 3) that are read. */
export interface Lock {
  packages: Readonly<
    Record<
      string,
      {
        version?: string;
        license?: string;
        dev?: boolean;
        optional?: boolean;
        devOptional?: boolean;
        os?: readonly string[];
        cpu?: readonly string[];
      }
    >
  >;
}

const FOLDER = 'node_modules/';

/** Sorted by path. */
export function packagesOf(lock: Lock): LockedPackage[] {
  return Object.entries(lock.packages)
    .filter(([path]) => path !== '')
    .map(([path, entry]) => ({
      path,
      name: path.slice(path.lastIndexOf(FOLDER) + FOLDER.length),
      version: entry.version ?? '',
      licence: entry.license,
      isDevelopment: entry.dev === true,
      isOptional: entry.optional === true || entry.devOptional === true,
      isForOnePlatform: entry.os !== undefined || entry.cpu !== undefined,
    }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/**
 * The packages whose code reaches a user: those that production installs, and those that are built into `dist/`.
 * @param builtIn folders of packages, as {@link LockedPackage.path}
 */
export const shippedPackages = (packages: readonly LockedPackage[], builtIn: ReadonlySet<string>): LockedPackage[] =>
  packages.filter(({ path, isDevelopment }) => !isDevelopment || builtIn.has(path));
