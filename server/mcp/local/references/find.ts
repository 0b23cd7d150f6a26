/** Finds the references of a project to the images of a package. Reads only. */
import { rolesThatAre } from '../../../../base/reference-roles.ts';
import { Places } from '../../../../engine/documents/source-text.ts';
import type { Replacement } from '../../../sites/package/mapping.ts';
import { type FileState, sha256Of, withFile } from '../files.ts';
import { eachInOrder } from '../in-parallel.ts';
import type { ReplacementPackage } from '../package/package.ts';
import type { ProjectRoot } from '../project/root.ts';
import { isSourceName } from '../project/rules.ts';
import { type ProjectFile, type SkippedFile, textOfBytes, walkSkipped } from '../project/walk.ts';
import type { Candidate } from '../readers/candidate.ts';
import { readCandidates } from '../readers/read.ts';
import { nameOf } from './address.ts';
import { ProjectImages } from './images.ts';
import { Lines } from './lines.ts';
import { type Matched, Matcher } from './match.ts';
import { type Project, readProject } from './project.ts';
import { LEAST_CONFIDENCE, type Reason, type Reference } from './reference.ts';
import { SitePaths } from './site-paths.ts';

export interface Source {
  path: string;
  text: string;
  state: FileState;
  places: Places;
}

export interface Found {
  project: Project;
  images: ProjectImages;
  /** With all addresses of the project noted. */
  paths: SitePaths;
  references: Reference[];
  /** Of the sources with references, by path. */
  sources: Map<string, Source>;
  /** Lines without a reference, and the built file that has one, which is not edited. */
  unmatched: { line: Replacement; builtFile: string | null }[];
}

export interface FindOptions {
  signal: AbortSignal;
  progress?(done: number, total: number): void;
  /** Images that addresses may lead to although the walk leaves them out. */
  more?: Iterable<string>;
}

export async function findReferences(
  root: ProjectRoot,
  { lines, mapsSocial }: Pick<ReplacementPackage, 'lines' | 'mapsSocial'>,
  { signal, progress, more = [] }: FindOptions,
): Promise<Found> {
  const project = await readProject(root, signal);
  const images = await ProjectImages.match(root, project.images, lines, signal);
  const paths = new SitePaths([...project.images.keys(), ...more], project.framework);
  const matcher = new Matcher(new Lines(lines), images, paths);
  const all: { file: ProjectFile; candidate: Candidate; matched: Matched }[] = [];
  const sources = new Map<string, Source>();
  const read = (file: ProjectFile) => readSource(root, file.path);
  const keep = async (file: ProjectFile, source: Awaited<ReturnType<typeof read>>, index: number) => {
    progress?.(index, project.sources.length);
    if (!source) return;
    for (const candidate of readCandidates(file.path, source.text)) {
      const matched = await matcher.match(file.path, candidate);
      if (!matched) continue;
      all.push({ file, candidate, matched });
      if (!sources.has(file.path)) sources.set(file.path, { ...source, places: new Places(source.text) });
    }
  };
  await eachInOrder(project.sources, read, keep, signal);
  const references = all.map(({ file, candidate, matched }) =>
    referenceOf(file, candidate, matcher.settled(matched), mapsSocial),
  );
  const seen = new Set(references.map(({ line }) => line.seq));
  const missing = lines.filter(({ seq }) => !seen.has(seq));
  const built = await inBuiltFiles(root, project.skipped, missing, signal);
  const unmatched = missing.map((line) => ({ line, builtFile: built.get(line.seq) ?? null }));
  return { project, images, paths, references, sources, unmatched };
}

/** A source that is still there; one that has just gone is none. */
async function readSource(root: ProjectRoot, path: string): Promise<Omit<Source, 'places'> | undefined> {
  return await withFile(root, path, async (file) => {
    const bytes = await file.readFile();
    const mode = (await file.stat()).mode & 0o7777;
    const text = textOfBytes(bytes);
    if (text === undefined) return undefined;
    return { path, text, state: { sha256: sha256Of(bytes), bytes: bytes.length, mode } };
  });
}

const CRAWLED: ReadonlySet<string> = new Set(rolesThatAre('crawled'));

function referenceOf(
  { path: file, reason: ofFile }: ProjectFile,
  candidate: Candidate,
  { line, match, confidence, image, isAmbiguous, isLiteral = false }: Matched,
  mapsSocial: boolean,
): Reference {
  const reason = reasonOf(candidate, line, mapsSocial);
  const doubt = doubtOf(confidence, isAmbiguous, image);
  return {
    file,
    candidate,
    line,
    match,
    confidence,
    image,
    isLiteral,
    reason: reason ?? ofFile ?? doubt,
    isFileReason: reason === undefined && doubt === undefined && ofFile !== undefined,
  };
}

/** What the place says. Crawlers take a file of the same format as before, and others where the scan was told so. */
function reasonOf({ reason, kind }: Candidate, line: Replacement, mapsSocial: boolean): Reason | undefined {
  if (reason !== undefined && reason !== 'social_image') return reason;
  const isCrawled = reason === 'social_image' || CRAWLED.has(kind);
  return isCrawled && !mapsSocial && line.from_format !== line.to_format ? 'social_image' : undefined;
}

function doubtOf(confidence: number, isAmbiguous: boolean, image: string | undefined): Reason | undefined {
  if (isAmbiguous) return 'ambiguous';
  if (confidence < LEAST_CONFIDENCE) return 'low_confidence';
  return image === undefined ? 'original_missing' : undefined;
}

/** Files that a build has written are looked into only to say where a name stands. */
const LOOKED_INTO: ReadonlySet<SkippedFile['skipped']> = new Set(['ignored', 'built', 'minified']);
const MOST_BUILT_FILES = 1000;
const MOST_BUILT_BYTES = 2_000_000;
/** Of all of them. */
const MOST_BUILT_BYTES_IN_ALL = 50_000_000;

/** Of lines without a reference: the first of the skipped files in which their paths stand. */
async function inBuiltFiles(
  root: ProjectRoot,
  skipped: readonly SkippedFile[],
  lines: readonly Replacement[],
  signal: AbortSignal,
): Promise<Map<number, string>> {
  const found = new Map<number, string>();
  let open = lines.map((line) => ({ line, name: nameOf(line.from_path), words: wordsOf(nameOf(line.from_path)) }));
  let [files, bytes] = [0, 0];
  for await (const path of builtFiles(root, skipped, signal)) {
    files += 1;
    if (open.length === 0 || files > MOST_BUILT_FILES || bytes > MOST_BUILT_BYTES_IN_ALL) break;
    signal.throwIfAborted();
    const text = await root.read(path, MOST_BUILT_BYTES).then(
      (bytes) => bytes.toString('latin1'),
      () => '',
    );
    bytes += text.length;
    // Most names are known to be absent by their words, without a search of the text for each.
    const known = new Set(wordsOf(text));
    open = open.filter(({ line, name, words }) => {
      if (!words.every((word) => known.has(word)) || !text.includes(name)) return true;
      if (!line.raw.concat(line.from_path).some((raw) => text.includes(raw))) return true;
      found.set(line.seq, path);
      return false;
    });
  }
  return found;
}

/** What no address takes apart. */
function wordsOf(text: string): string[] {
  return text.match(/[\w%-]+/g) ?? [];
}

async function* builtFiles(
  root: ProjectRoot,
  skipped: readonly SkippedFile[],
  signal: AbortSignal,
): AsyncGenerator<string> {
  for (const { path, skipped: why, folder } of skipped) {
    if (!LOOKED_INTO.has(why)) continue;
    if (folder) for await (const file of walkSkipped(root, path, signal)) yield file.path;
    else if (isSourceName(path)) yield path;
  }
}
