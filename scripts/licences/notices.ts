/** Writes THIRD-PARTY-NOTICES: who made what is in the product, and under which terms. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { builtInPackages } from './built-in.ts';
import { contentsOf, platformIndependent } from './contents.ts';
import { sectionsOfMagick } from './inventories.ts';
import { type ListedLibrary, librariesOf } from './libraries.ts';
import { type Notice, readNotice } from './notice.ts';
import { type Lock, type LockedPackage, packagesOf, shippedPackages } from './packages.ts';
import { idsOf, parseLicence } from './spdx.ts';
import { keyOf, STANDARD_TEXTS, type StandardId, standardIdsOf } from './standard-texts.ts';

const HEAD = `THIRD-PARTY NOTICES

Imagecrew is under the MIT licence, see the file LICENSE. It installs, and its built files contain, the packages below.
Part 1 lists the packages, part 2 the libraries inside their compiled files (WebAssembly, native addons and bundled
scripts), part 3 the texts that only few of them have, and part 4 the texts that many share, each once.

This software is based in part on the work of the Independent JPEG Group.
Portions of this software are copyright The FreeType Project (www.freetype.org). All rights reserved.

The libraries under the GNU Lesser General Public License are in WebAssembly files of their own, unchanged as their
packages distribute them: to use another build of such a library, replace the file in node_modules. The addresses of
their source code, and of that under the Mozilla Public License, are in part 2.

npm run generate makes this file from the installed packages and from the declarations in scripts/licences.`;

const NOTICE_FILE = /^(?:licen[cs]e|copying|notice|third-?party-?notices|ofl)(?:[._-].*)?$/i;

/**
 * Returns the text of the file, or undefined if optional packages whose notices belong in it are not installed: it is
 * the same on every machine.
 */
export async function thirdPartyNotices(): Promise<string | undefined> {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock;
  const packages = shippedPackages(packagesOf(lock), await builtInPackages());
  const missing = packages.filter(({ path, isForOnePlatform }) => !isForOnePlatform && !existsSync(path));
  if (missing.length === 0) return new Notices(packages).toString();
  console.warn(
    `THIRD-PARTY-NOTICES needs packages that are not installed: ${missing.map(({ name }) => name).join(', ')}.`,
  );
  return undefined;
}

class Notices {
  readonly #packages: readonly LockedPackage[];
  readonly #magick: ReadonlyMap<string, string>;
  /** The own texts by their words. */
  readonly #texts = new Map<string, { owner: string; text: string }>();
  readonly #standard = new Set<StandardId>();

  readonly #shown = new Set<string>();

  constructor(packages: readonly LockedPackage[]) {
    this.#packages = packages;
    const sections = sectionsOfMagick('node_modules/@imagemagick/magick-wasm');
    this.#magick = new Map(sections.map(({ key, text }) => [key, text!]));
  }

  toString(): string {
    const packages = this.#packages.map((one) => this.#packageEntry(one));
    const libraries = this.#packages.flatMap((one) => this.#libraryEntries(one));
    const own = [...this.#texts.values()].map(({ owner, text }) => `--- Text of ${owner} ---\n\n${text}`);
    const standard = STANDARD_TEXTS.filter(({ id }) => this.#standard.has(id)).map(
      ({ id, title, text }) => `--- ${id}: ${title} ---\n\n${text}`,
    );
    const part = (title: string, entries: readonly string[], separator: string) =>
      `${'='.repeat(80)}\n${title}\n${'='.repeat(80)}\n\n${entries.join(separator)}`;
    return `${[
      HEAD,
      part('1. Packages', packages, '\n'),
      part('2. Libraries inside compiled files, and data', libraries, '\n\n'),
      part('3. Texts of single packages and libraries', own, '\n\n'),
      part('4. Texts that many share', standard, '\n\n'),
    ].join('\n\n')}\n`;
  }

  #packageEntry(one: LockedPackage): string {
    const notice = merge(noticesIn(one));
    return this.#entry(`${one.name} ${one.version}`, one.licence!, notice);
  }

  #libraryEntries(one: LockedPackage): string[] {
    const contents = contentsOf(one.name);
    const name = platformIndependent(one.name);
    // The packages of all platforms contain the same.
    if (!contents || this.#shown.has(name)) return [];
    this.#shown.add(name);
    const entries = librariesOf(contents, one.path).map((library) => this.#libraryEntry(library));
    return entries.length === 0 ? [] : [`Inside ${name} ${one.version}:\n\n${entries.join('\n')}`];
  }

  #libraryEntry({ name, version, licence, copyright = [], source, text, notice: section }: ListedLibrary): string {
    const found = text ?? (section === undefined ? undefined : this.#magick.get(section));
    const notice = merge([{ copyright, standard: [], own: undefined }, ...(found ? [readNotice(found)] : [])]);
    return this.#entry(version ? `${name} ${version}` : name, licence!, notice, source);
  }

  #entry(name: string, licence: string, { copyright, standard, own }: Notice, source?: string): string {
    const ids = idsOf(parseLicence(licence)!);
    // A notice has the text of its licence, but not of terms that we name ourselves. Most packages without one are MIT.
    const missing = standard.length === 0 && own === undefined ? ids : ids.filter((id) => id.startsWith('LicenseRef-'));
    const shared = [...new Set([...standard, ...missing.flatMap(standardIdsOf)])];
    for (const id of shared) this.#standard.add(id);
    const texts = [...(own === undefined ? [] : [`the text of ${this.#ownerOf(own, name)}`]), ...shared];
    return [
      `${name} (${licence})`,
      ...copyright.map((line) => `    ${line}`),
      ...(source ? [`    Source code: ${source}`] : []),
      ...(texts.length > 0 ? [`    See ${texts.join(', ')}.`] : []),
    ].join('\n');
  }

  /** The first package or library that has a text: others refer to it. */
  #ownerOf(text: string, name: string): string {
    const key = keyOf(text);
    const known = this.#texts.get(key) ?? { owner: name, text };
    this.#texts.set(key, known);
    return known.owner;
  }
}

/** The notices that a package contains; where it contains none, its author. */
function noticesIn({ path, name, isForOnePlatform }: LockedPackage): Notice[] {
  // Those of another platform are not installed here.
  if (isForOnePlatform) return [];
  const isOwnInventory = contentsOf(name)?.inventory !== undefined;
  const files = readdirSync(path)
    .filter((file) => NOTICE_FILE.test(file))
    // What the inventory reads is among the libraries.
    .filter((file) => !(isOwnInventory && /^(?:notice|third)/i.test(file)))
    .sort();
  if (files.length > 0) return files.map((file) => readNotice(readFileSync(`${path}/${file}`, 'utf8')));
  const { author } = JSON.parse(readFileSync(`${path}/package.json`, 'utf8')) as { author?: string | { name: string } };
  const maker = typeof author === 'object' ? author.name : author;
  return maker ? [{ copyright: [`Copyright ${maker}`], standard: [], own: undefined }] : [];
}

function merge(notices: readonly Notice[]): Notice {
  const own = notices.flatMap((notice) => notice.own ?? []);
  return {
    copyright: [...new Set(notices.flatMap(({ copyright }) => copyright))],
    standard: [...new Set(notices.flatMap(({ standard }) => standard))],
    own: own.length > 0 ? own.join('\n\n') : undefined,
  };
}
