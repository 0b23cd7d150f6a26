/** Chooses the paths of results. */
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { expected, Failure, invalidParameter } from '../../base/failure.ts';
import { groupBy } from '../../base/group-by.ts';
import { extensionOf } from '../../codecs/file-extension.ts';
import { FORMATS, type FormatId, INPUT_FORMATS } from '../../codecs/formats/registry.ts';
import { MAX_STEM_LENGTH, type NamedFile, resultFilename, sourceStem } from '../../engine/file-name.ts';
import { exists } from '../files.ts';
import { type Inputs, type Source, STDIO } from './inputs.ts';

export type Destination =
  | { kind: 'beside' }
  | { kind: 'folder'; folder: string }
  | { kind: 'file'; path: string }
  | { kind: 'stdout' }
  | { kind: 'in-place' };

/** Whether `output` is meant as a folder: it ends in a slash, or the folder exists. */
async function isFolder(output: string): Promise<boolean> {
  if (/[/\\]$/.test(output)) return true;
  return (await stat(output).catch(() => undefined))?.isDirectory() ?? false;
}

/** @throws Failure `conflicting_parameters` or `invalid_parameter` */
export async function resolveDestination(
  inputs: Inputs,
  { output, inPlace }: { output: string | undefined; inPlace: boolean },
): Promise<Destination> {
  const fromInput = inputs.sources.some(({ file }) => file === STDIO);
  if (inPlace) {
    if (output !== undefined) throw conflict('Expected --in-place without --output but received both.');
    if (fromInput) throw conflict('Expected files for --in-place but received the standard input.');
    return { kind: 'in-place' };
  }
  if (output === undefined) {
    if (fromInput && inputs.sources.length > 1)
      throw invalidParameter('a folder, as there are several inputs,', '--output', undefined);
    return fromInput ? { kind: 'stdout' } : { kind: 'beside' };
  }
  if (output === STDIO) {
    if (!inputs.single)
      throw conflict('Expected one input for --output - but received several, a folder or a pattern.');
    return { kind: 'stdout' };
  }
  if (await isFolder(output)) return { kind: 'folder', folder: output };
  const isThere = await exists(output);
  // A new name without an extension is a folder, even for one input.
  if (inputs.single && (isThere || extensionOf(output) !== '')) return { kind: 'file', path: output };
  if (isThere) throw invalidParameter('a folder, as there are several inputs,', '--output', output);
  return { kind: 'folder', folder: output };
}

const conflict = (sentence: string) => new Failure('conflicting_parameters', sentence, { param: 'output' });

/** The formats that use a path's extension. */
function formatsNamed(path: string): FormatId[] {
  const extension = extensionOf(path);
  return INPUT_FORMATS.filter((id) => (FORMATS[id].extensions as readonly string[]).includes(extension));
}

/**
 * Returns the name of a result. If its format matches the source's extension, that extension is kept as written:
 * `x.jpeg` stays `x.jpeg` and does not become `x.jpg`.
 * @param source name of the source, if it has one
 */
export function targetFilename(source: string | undefined, file: NamedFile): string {
  const { format } = file;
  const written = extensionOf(source);
  const { extensions, equivalentExtensions = [] } = FORMATS[format];
  const isKept = written === extensions[0] || equivalentExtensions.includes(written);
  return isKept ? `${sourceStem(source)}${extname(source!)}` : resultFilename(source, file);
}

/**
 * Returns the format that an output file's extension asks for, or undefined if the extension is unknown.
 * @param offered formats that the operation can write
 * @param kept formats that the operation only keeps from the source, which cannot be requested
 * @throws Failure `invalid_parameter` for the extension of a format that the operation does not write
 */
export function formatOfName(
  path: string,
  offered: readonly string[],
  kept: readonly FormatId[] = [],
): string | undefined {
  const formats = formatsNamed(path);
  if (formats.length === 0 || formats.some((format) => kept.includes(format))) return undefined;
  const format = offered.find((name) => (formats as readonly string[]).includes(name));
  if (format !== undefined) return format;
  const what = `a name with the extension of one of ${offered.filter((name) => name !== 'auto').join(', ')}`;
  throw invalidParameter(what, '--output', path);
}

interface Named {
  /** @param source name of the source, if it has one */
  filename(source: string | undefined, alone: boolean): string;
}

/** Normalizes case and accents. Many file systems treat names as equal that differ only in these. */
const normalizedPath = (path: string): string => path.normalize('NFC').toLowerCase();

/** Chooses the result paths of a run. No two sources get the same path, and no result overwrites another source. */
export class Targets {
  readonly #place: Destination;
  readonly #alone: boolean;
  /** Number of sources whose results would have the same name, by folder and name. */
  readonly #claims = new Map<string, number>();
  /** Position of each source, from 1, among the sources with indistinguishable names. */
  readonly #ranks = new Map<Source, number>();
  /** Existing sources by path. */
  readonly #sources: ReadonlyMap<string, readonly Source[]>;
  readonly #reserved = new Set<string>();

  constructor(place: Destination, sources: readonly Source[]) {
    this.#place = place;
    this.#alone = sources.length === 1;
    const ranked = new Map<string, number>();
    const next = (counts: Map<string, number>, key: string): number => {
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      return count;
    };
    for (const source of sources) {
      next(this.#claims, this.#claimOf(source));
      const whole = normalizedPath(join(this.#folderOf(source), sourceStem(`${source.name}.`)));
      this.#ranks.set(source, next(ranked, whole));
    }
    const existing = sources.filter(({ real }) => real !== undefined);
    this.#sources = groupBy(existing, ({ real }) => normalizedPath(real!));
  }

  #folderOf({ file, folder }: Source): string {
    return this.#place.kind === 'folder' ? join(this.#place.folder, folder) : dirname(file);
  }

  #claimOf(source: Source): string {
    return normalizedPath(join(this.#folderOf(source), sourceStem(source.name)));
  }

  /**
   * Returns the path of a result; undefined for standard output.
   * @param made undefined if the name is not known yet. Then only an explicitly named file has a path.
   */
  pathFor(source: Source, made: Named | undefined): string | undefined {
    switch (this.#place.kind) {
      case 'stdout':
        return undefined;
      case 'file':
        return this.#place.path;
      case 'in-place':
        return source.file;
      default:
        return made && join(this.#folderOf(source), this.#filename(source, made));
    }
  }

  #filename(source: Source, made: Named): string {
    const { name } = source;
    const suggested = made.filename(name, this.#alone);
    if (name === undefined || this.#claims.get(this.#claimOf(source)) === 1) return suggested;
    // Of a.jpg and a.png converted to JPEG, only the one that keeps its extension keeps its name: a.jpg, a.png.jpg.
    const rank = this.#ranks.get(source)!;
    if (suggested === basename(source.file) && (rank === 1 || this.#place.kind === 'beside')) return suggested;
    return made.filename(rank === 1 ? `${name}.` : numbered(name, rank), this.#alone);
  }

  /**
   * Reserves a path for the result of a source.
   * @throws Failure `invalid_state` if the path is another source or already has another result
   */
  async take(path: string, source: Source): Promise<void> {
    const folder = await realpath(dirname(path)).catch(() => resolve(dirname(path)));
    const place = join(folder, basename(path));
    const key = normalizedPath(place);
    const near = this.#sources.get(key) ?? [];
    const owner = near.find(({ real }) => real === place) ?? near[0];
    if (owner !== undefined && owner !== source) throw nameTaken('source', path);
    // Two existing sources are distinct files, even if their names differ only in case.
    if (owner !== undefined) return;
    if (this.#reserved.has(key)) throw nameTaken('result', path);
    this.#reserved.add(key);
  }
}

const nameTaken = (by: 'source' | 'result', path: string) =>
  new Failure('invalid_state', expected(`a name that no other ${by} of this run has`, 'the result', path));

/** Appends a number to a name. Shortens the name first, so that the number is not cut off. */
function numbered(name: string, rank: number): string {
  const suffix = `-${rank}`;
  return `${[...name].slice(0, MAX_STEM_LENGTH - suffix.length).join('')}${suffix}.`;
}

/** The format of a result, as far as options and names show. Undefined if it depends on the image. */
export function expectedFormat(
  source: Source,
  format: FormatId | undefined,
  offered: readonly string[],
): FormatId | undefined {
  if (format !== undefined) return format;
  const [own] = formatsNamed(source.file);
  return own !== undefined && offered.includes(own) ? own : undefined;
}
