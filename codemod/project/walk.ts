/** Lists the files of a project, and the skipped ones with the reason (docs/spec/shapes.md, section 18.4, safety 2). */
import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../base/failure.ts';
import { IgnoreRules } from './git-ignore.ts';
import type { ProjectFile, SkippedFile, SkipReason } from './project-file.ts';
import type { OpenFolder, ProjectRoot } from './root.ts';
import { editReason, isImageName, isSourceName, skipFolder, skipName, skipText } from './rules.ts';

export type { EditReason, ProjectFile, SkippedFile, SkipReason } from './project-file.ts';

/** In bytes. */
export const MAX_SOURCE_BYTES = 2_000_000;
const MAX_IGNORE_FILE_BYTES = 200_000;
const MAX_DEPTH = 200;

/**
 * Lists the files in the order of their paths, folder by folder. Links are not followed: targets inside the root are
 * listed under their own names. Files that disappear during the walk are omitted.
 */
export async function* walkProject(root: ProjectRoot, signal: AbortSignal): AsyncGenerator<ProjectFile | SkippedFile> {
  // In a worktree, `.git` is a file that points elsewhere; then this file is not found.
  const exclude = await textOf(root, '.git/info/exclude', MAX_IGNORE_FILE_BYTES);
  const rules = exclude === undefined ? IgnoreRules.none : IgnoreRules.none.with('', exclude);
  yield* new Walk(root, signal, false).folder('', rules, 0);
}

/**
 * Lists the sources in a folder that {@link walkProject} skips as `ignored` or `built`. They are read but never edited.
 * All other skip rules still apply.
 */
export async function* walkSkipped(
  root: ProjectRoot,
  folder: string,
  signal: AbortSignal,
): AsyncGenerator<ProjectFile> {
  for await (const file of new Walk(root, signal, true).folder(folder, IgnoreRules.none, 0))
    if ('kind' in file && file.kind === 'source') yield file;
}

class Walk {
  readonly #root: ProjectRoot;
  readonly #signal: AbortSignal;
  /** Whether build output is included. */
  readonly #built: boolean;

  constructor(root: ProjectRoot, signal: AbortSignal, built: boolean) {
    this.#root = root;
    this.#signal = signal;
    this.#built = built;
  }

  async *folder(path: string, outer: IgnoreRules, depth: number): AsyncGenerator<ProjectFile | SkippedFile> {
    this.#signal.throwIfAborted();
    const held = depth > MAX_DEPTH ? undefined : await this.#root.hold(path).catch(ignoreUnreadable);
    try {
      const entries = await held?.use((folder) => readdir(folder, { withFileTypes: true })).catch(ignoreUnreadable);
      if (held && entries) yield* this.#entries(path, held, entries, outer, depth);
      else yield { path, skipped: depth > MAX_DEPTH ? 'too_deep' : 'unreadable', folder: true };
    } finally {
      await held?.close();
    }
  }

  async *#entries(
    path: string,
    held: OpenFolder,
    entries: readonly Dirent[],
    outer: IgnoreRules,
    depth: number,
  ): AsyncGenerator<ProjectFile | SkippedFile> {
    const hasRules = !this.#built && entries.some((entry) => entry.name === '.gitignore' && entry.isFile());
    const patterns = hasRules ? await textOf(this.#root, inside(path, '.gitignore'), MAX_IGNORE_FILE_BYTES) : undefined;
    const rules = patterns === undefined ? outer : outer.with(path, patterns);
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      this.#signal.throwIfAborted();
      const entryPath = inside(path, entry.name);
      if (entry.isDirectory()) yield* this.#subfolder(entryPath, rules, depth);
      else yield* this.#file(entryPath, held, entry, rules);
    }
  }

  async *#subfolder(path: string, rules: IgnoreRules, depth: number): AsyncGenerator<ProjectFile | SkippedFile> {
    const named = skipFolder(path);
    const skipped =
      this.#built && named === 'built' ? undefined : (named ?? (rules.ignores(path, true) ? 'ignored' : undefined));
    if (skipped) yield { path, skipped, folder: true };
    else yield* this.folder(path, rules, depth + 1);
  }

  async *#file(
    path: string,
    held: OpenFolder,
    entry: Dirent,
    rules: IgnoreRules,
  ): AsyncGenerator<ProjectFile | SkippedFile> {
    const skipped = await this.#skip(path, entry, rules);
    if (skipped) {
      yield { path, skipped, folder: false };
      return;
    }
    const facts = await held.use((folder) => lstat(join(folder, entry.name))).catch(ignoreUnreadable);
    if (!facts?.isFile()) return;
    if (isImageName(path)) yield { path, kind: 'image', bytes: facts.size };
    if (isSourceName(path)) yield await this.#source(path, held, entry.name);
  }

  async #skip(path: string, entry: Dirent, rules: IgnoreRules): Promise<SkipReason | undefined> {
    if (entry.isSymbolicLink()) return 'link';
    if (!entry.isFile()) return 'special';
    // A name that is not valid UTF-8 was decoded with replacement characters and cannot be opened.
    if (entry.name.includes('\ufffd')) return 'unreadable';
    const named = skipName(path);
    if (named) return named;
    if (rules.ignores(path, false)) return 'ignored';
    return isImageName(path) || isSourceName(path) ? undefined : 'unknown_kind';
  }

  async #source(path: string, held: OpenFolder, name: string): Promise<ProjectFile | SkippedFile> {
    let data: Buffer;
    try {
      data = await held.read(name, path, MAX_SOURCE_BYTES);
    } catch (error) {
      ignoreUnreadable(error);
      const isLarge = error instanceof Failure && error.code === 'file_too_large';
      return { path, skipped: isLarge ? 'too_large' : 'unreadable', folder: false };
    }
    const text = textOfBytes(data);
    const skipped = text === undefined ? 'binary' : skipText(text);
    // Build output is usually minified, so this is not a reason to skip it.
    if (text === undefined || (skipped && !(this.#built && skipped === 'minified')))
      return { path, skipped: skipped ?? 'binary', folder: false };
    const reason = editReason(path, text);
    return { path, kind: 'source', bytes: data.length, ...(reason ? { reason } : {}) };
  }
}

const DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @returns undefined if the bytes are not valid UTF-8 */
export function textOfBytes(bytes: Uint8Array): string | undefined {
  try {
    return DECODER.decode(bytes);
  } catch {
    return undefined;
  }
}

const inside = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);

async function textOf(root: ProjectRoot, path: string, most: number): Promise<string | undefined> {
  try {
    return (await root.read(path, most)).toString('utf8');
  } catch (error) {
    return ignoreUnreadable(error);
  }
}

/** Ignores system errors: files may disappear or be unreadable. @throws all other errors */
function ignoreUnreadable(error: unknown): undefined {
  if (error instanceof Failure || (error instanceof Error && 'code' in error && 'syscall' in error)) return undefined;
  throw error;
}
