/** Which licences a package or a library inside a package may have. */
import type { LockedPackage } from './packages.ts';
import { isSatisfied, parseLicence } from './spdx.ts';

/** None of them asks anything of the code that uses it, apart from notices, or of other files (MPL). */
const ALLOWED = new Set([
  ...['MIT', 'MIT-0', 'MIT-Modern-Variant', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'MPL-2.0'],
  ...['Zlib', 'libpng-2.0', 'libtiff', 'IJG', 'FTL', 'bzip2-1.0.6', 'ImageMagick', 'Unicode-3.0', 'BlueOak-1.0.0'],
  ...['CC0-1.0', 'Unlicense', 'LicenseRef-AGG-2.3', 'LicenseRef-AOM-Patent-1.0'],
]);

/** Of a library that users can replace, because it is a WebAssembly file of its own. */
const REPLACEABLE = /^LGPL-(?:2\.1|3\.0)-(?:only|or-later)$/;

const FONT_LICENCE = 'OFL-1.1';
const FONT_PACKAGE = /^@(?:fontsource|fontsource-variable|expo-google-fonts)\//;

export interface Exception {
  /** Names of packages. */
  packages: RegExp;
  licences: readonly string[];
  reason: string;
}

/** For packages that no user gets. */
export const DEVELOPMENT_EXCEPTIONS: readonly Exception[] = [
  {
    packages: /^@img\/sharp-/,
    licences: ['LGPL-3.0-or-later'],
    reason: 'libvips in sharp, which tests and benchmarks compare with; not in the product.',
  },
];

/** @returns what is wrong with the licence of a package, or undefined */
export function packageFault(
  { name, version, licence, isDevelopment }: LockedPackage,
  isShipped: boolean,
  exceptions: readonly Exception[] = DEVELOPMENT_EXCEPTIONS,
): string | undefined {
  const excepted =
    isDevelopment && !isShipped
      ? exceptions.filter(({ packages }) => packages.test(name)).flatMap(({ licences }) => licences)
      : [];
  return licenceFault(
    `${name} ${version}`,
    licence,
    (id) => ALLOWED.has(id) || excepted.includes(id) || (id === FONT_LICENCE && FONT_PACKAGE.test(name)),
  );
}

/**
 * @param isReplaceable whether the library is in a WebAssembly file, apart from the code that uses it
 * @returns what is wrong with the licence of a library inside a package, or undefined
 */
export const libraryFault = (
  name: string,
  licence: string | undefined,
  { isReplaceable }: { isReplaceable: boolean },
): string | undefined =>
  licenceFault(name, licence, (id) => ALLOWED.has(id) || (isReplaceable && REPLACEABLE.test(id)));

function licenceFault(
  name: string,
  licence: string | undefined,
  isAllowed: (id: string) => boolean,
): string | undefined {
  const expression = parseLicence(licence ?? '');
  if (!expression) return `Expected an SPDX licence for ${name} but received ${licence ?? 'nothing'}.`;
  if (isSatisfied(expression, isAllowed)) return undefined;
  return `Expected an allowed licence for ${name} but received ${licence}.`;
}
