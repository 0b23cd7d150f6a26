/** Finds the inputs of a command: files, folders and their contents, patterns, standard input. */
import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { expected, Failure } from '../../base/failure.ts';
import { extensionOf } from '../../codecs/file-extension.ts';
import { FORMATS, INPUT_FORMATS, type InputFormat } from '../../codecs/formats/registry.ts';
import { isSkipped } from '../files.ts';

/** Stands for standard input as an argument and for standard output as a target. */
export const STDIO = '-';

export interface Source {
  /** Path as shown to the user; `-` for standard input. */
  file: string;
  /** Real path of the file, with links resolved. Undefined if there is none. */
  real: string | undefined;
  /** Path from the searched folder or pattern base to the folder of the file. Empty for a file that was named. */
  folder: string;
  /** Name that the result's name is based on. Undefined if the source has no name. */
  name: string | undefined;
}

/** Bytes of a source; 0 for standard input and for files that cannot be read. */
export async function sourceBytes({ file }: Source): Promise<number> {
  if (file === STDIO) return 0;
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}

/** An argument without matching files, or a folder that cannot be read. */
export interface Missing {
  file: string;
  failure: Failure;
}

export interface Inputs {
  sources: Source[];
  missing: Missing[];
  /** Whether the only argument names one file. */
  single: boolean;
}

type Add = (file: string, folder: string) => Promise<void>;

export interface FindOptions {
  /** Skipped when folders are searched; otherwise a second run would process the results of the first. */
  outputFolder: string | undefined;
  /** Whether sources are replaced. If so, links found in folders are skipped, since they may lead anywhere. */
  inPlace: boolean;
  /** Formats whose extensions are searched for in folders and patterns. Default: all readable formats. */
  formats?: readonly InputFormat[];
  /** Whether a folder without images is allowed. */
  mayBeEmpty?: boolean;
}

interface Search {
  /** Path of the folder to skip. */
  without: string | undefined;
  links: boolean;
  isWanted: (name: string) => boolean;
  mayBeEmpty: boolean;
  add: Add;
  missing: Missing[];
}

/**
 * Finds the files of the arguments. Each path is listed once. With `inPlace`, a file that has several paths is listed
 * once too.
 */
export async function findInputs(args: readonly string[], options: FindOptions): Promise<Inputs> {
  const { outputFolder, inPlace, formats, mayBeEmpty = false } = options;
  const found: Inputs = { sources: [], missing: [], single: false };
  const seen = new Set<string>();
  const without = outputFolder === undefined ? undefined : resolve(outputFolder);
  const add: Add = async (file, folder) => {
    const real = file === STDIO ? undefined : await realpath(file).catch(() => undefined);
    const path = file === STDIO ? STDIO : ((inPlace ? real : undefined) ?? resolve(file));
    if (seen.has(path)) return;
    seen.add(path);
    found.sources.push({ file, real, folder, name: file === STDIO ? undefined : basename(file) });
  };
  const isWanted = formats === undefined ? isReadable : hasExtensionOf(formats);
  const search: Search = { without, links: !inPlace, isWanted, mayBeEmpty, add, missing: found.missing };
  for (const arg of args) {
    const kind = await kindOf(arg);
    if (kind === 'file') await add(arg, '');
    else if (kind === 'folder') await walkAll(arg, search);
    else await expand(arg, search);
  }
  found.single = args.length === 1 && found.sources.length === 1 && found.sources[0]!.file === args[0];
  return found;
}

async function kindOf(arg: string): Promise<'file' | 'folder' | undefined> {
  if (arg === STDIO) return 'file';
  const facts = await stat(arg).catch(() => undefined);
  if (!facts) return undefined;
  return facts.isDirectory() ? 'folder' : 'file';
}

const READABLE = new Set(INPUT_FORMATS.flatMap((id) => [...FORMATS[id].extensions]));

/** Checks the extension only: opening every file of a folder would take longer than most commands. */
const isReadable = (name: string): boolean => READABLE.has(extensionOf(name)) || name.toLowerCase().endsWith('.nii.gz');

function hasExtensionOf(formats: readonly InputFormat[]): (name: string) => boolean {
  const extensions: ReadonlySet<string> = new Set(formats.flatMap((id) => [...FORMATS[id].extensions]));
  return (name) => extensions.has(extensionOf(name));
}

async function walkAll(folder: string, search: Search): Promise<void> {
  const { add, missing, mayBeEmpty } = search;
  const before = missing.length;
  let found = 0;
  const count: Add = (file, place) => {
    found += 1;
    return add(file, place);
  };
  await walk(folder, '', { ...search, add: count });
  if (found > 0 || mayBeEmpty || missing.length > before) return;
  const sentence = expected('a folder with images', 'the input', folder);
  missing.push({ file: folder, failure: new Failure('not_found', sentence) });
}

async function walk(root: string, folder: string, search: Search): Promise<void> {
  const { without, links, isWanted, add, missing } = search;
  const path = join(root, folder);
  if (resolve(path) === without && folder !== '') return;
  const entries = await readdir(path, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    missing.push({ file: path, failure: new Failure('not_found', unreadable('a folder', path, error)) });
    return [];
  });
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const { name } = entry;
    if (isSkipped(name)) continue;
    if (entry.isDirectory()) await walk(root, join(folder, name), search);
    else if (isWanted(name) && (entry.isFile() || (links && (await isLinkToFile(entry, join(path, name))))))
      await add(join(path, name), folder);
  }
}

/** Whether an entry is a link to a file. Links to folders are not followed: they may form a loop. */
async function isLinkToFile(entry: { isSymbolicLink(): boolean }, path: string): Promise<boolean> {
  if (!entry.isSymbolicLink()) return false;
  return (await stat(path).catch(() => undefined))?.isFile() ?? false;
}

export const unreadable = (what: string, path: string, error: NodeJS.ErrnoException): string =>
  expected(`${what} that can be read (${error.code})`, 'the input', path);

const WILDCARD = /[*?[\]{}()!+@]/;

async function expand(pattern: string, { without, links, isWanted, add, missing }: Search): Promise<void> {
  const files = WILDCARD.test(pattern) ? await matches(pattern, links) : [];
  const base = fixedPart(pattern);
  // Do not skip the output folder if it contains the pattern's base folder: that would skip every match.
  const left = without === undefined || isWithin(resolve(base), without) ? undefined : without;
  const chosen: string[] = [];
  for (const file of files.filter(isWanted).sort()) {
    if (left !== undefined && isWithin(resolve(file), left)) continue;
    const facts = await lstat(file).catch(() => undefined);
    if (facts && (facts.isFile() || (links && (await isLinkToFile(facts, file))))) chosen.push(file);
  }
  for (const file of chosen) {
    const folder = dirname(relative(base, file));
    await add(file, folder === '.' ? '' : folder);
  }
  if (chosen.length > 0) return;
  const what = WILDCARD.test(pattern) ? 'a pattern that images match' : 'a file, a folder or a pattern';
  missing.push({ file: pattern, failure: new Failure('not_found', expected(what, 'the input', pattern)) });
}

const isWithin = (path: string, folder: string): boolean => join(path, '/').startsWith(join(folder, '/'));

async function matches(pattern: string, links: boolean): Promise<string[]> {
  const { glob } = await import('tinyglobby');
  return glob(pattern, {
    absolute: isAbsolute(pattern),
    expandDirectories: false,
    followSymbolicLinks: links,
    ignore: '**/node_modules/**',
  });
}

/** The folders of a pattern before the first one with a wildcard. */
function fixedPart(pattern: string): string {
  const parts = pattern.split('/');
  const first = parts.findIndex((part) => WILDCARD.test(part));
  return parts.slice(0, first).join('/') || (pattern.startsWith('/') ? '/' : '.');
}
