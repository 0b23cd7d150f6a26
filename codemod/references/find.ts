/** Finds the references of a project to the images of a package. Only reads files. */
import { rolesWithUse } from '../../base/reference-roles.ts';
import type { Replacement } from '../../replacement-package/replacement.ts';
import { LineIndex } from '../../web-documents/source-text.ts';
import { eachInOrder } from '../in-parallel.ts';
import type { ReplacementPackage } from '../package/package.ts';
import type { Framework } from '../project/framework.ts';
import type { ProjectRoot } from '../project/root.ts';
import { isSourceName } from '../project/rules.ts';
import { type ProjectFile, type SkippedFile, walkSkipped } from '../project/walk.ts';
import type { Candidate } from '../readers/candidate.ts';
import { readCandidates } from '../readers/read.ts';
import { nameOf } from './address.ts';
import { ProjectImages } from './images.ts';
import { ReplacementIndex } from './lines.ts';
import { type Matched, Matcher } from './match.ts';
import { otherTexts } from './other-texts.ts';
import { type Project, readProject } from './project.ts';
import { MIN_CONFIDENCE, type Reason, type Reference } from './reference.ts';
import { SitePaths } from './site-paths.ts';
import { readSource, type Source } from './source.ts';
import { candidateOf, isReadBy, OriginalNames } from './text-hits.ts';

export interface Found {
  project: Project;
  images: ProjectImages;
  /** Includes all addresses found in the project. */
  paths: SitePaths;
  references: Reference[];
  /** The sources that have references, by path. */
  sources: Map<string, Source>;
  /** ReplacementIndex without a reference, and the built file that has one, if any. Built files are not edited. */
  unmatched: { line: Replacement; builtFile: string | null }[];
}

export interface FindOptions {
  signal: AbortSignal;
  progress?(done: number, total: number): void;
  /** Additional images that addresses may lead to, although the walk does not list them. */
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
  const matcher = new Matcher(new ReplacementIndex(lines), images, paths);
  const names = new OriginalNames(lines, images);
  const all: MatchedPlace[] = [];
  const sources = new Map<string, Source>();
  const keepAll = (source: Omit<Source, 'places'>, places: readonly MatchedPlace[]) => {
    all.push(...places);
    if (places.length > 0) sources.set(source.path, { ...source, places: new LineIndex(source.text) });
  };
  const read = (file: ProjectFile) => readSource(root, file.path);
  const keep = async (file: ProjectFile, source: Awaited<ReturnType<typeof read>>, index: number) => {
    progress?.(index, project.sources.length);
    if (source)
      keepAll(source, await placesIn(file, source.text, readCandidates(file.path, source.text), names, matcher));
  };
  await eachInOrder(project.sources, read, keep, signal);
  for await (const source of otherTexts(root, project.skipped, signal)) {
    const file = { path: source.path, kind: 'source' as const, bytes: source.state.bytes };
    keepAll(source, await placesIn(file, source.text, [], names, matcher));
  }
  const references = all.map(({ file, candidate, matched }) =>
    referenceOf(file, candidate, matcher.settled(matched), { mapsSocial, ...project.framework }),
  );
  const seen = new Set(references.map(({ line }) => line.seq));
  const missing = lines.filter(({ seq }) => !seen.has(seq));
  const built = await inBuiltFiles(root, project.skipped, missing, signal);
  const unmatched = missing.map((line) => ({ line, builtFile: built.get(line.seq) ?? null }));
  return { project, images, paths, references, sources, unmatched };
}

interface MatchedPlace {
  file: ProjectFile;
  candidate: Candidate;
  matched: Matched;
}

/** Combines what a reader found in a text with other mentions of images, in order. */
async function placesIn(
  file: ProjectFile,
  text: string,
  candidates: readonly Candidate[],
  names: OriginalNames,
  matcher: Matcher,
): Promise<MatchedPlace[]> {
  const places: MatchedPlace[] = [];
  const match = async (candidate: Candidate) => {
    const matched = await matcher.match(file.path, candidate);
    if (matched) places.push({ file, candidate, matched });
    return matched !== undefined;
  };
  const read: { candidate: Candidate; isMatched: boolean }[] = [];
  for (const candidate of candidates) read.push({ candidate, isMatched: await match(candidate) });
  let first = 0;
  for (const hit of names.in(text)) {
    while (first < read.length && read[first]!.candidate.end <= hit.start) first += 1;
    let isRead = false;
    let around: Candidate | undefined;
    for (let index = first; index < read.length && read[index]!.candidate.start < hit.end; index += 1) {
      const { candidate, isMatched } = read[index]!;
      isRead ||= isReadBy(hit, candidate, isMatched);
      if (candidate.reason) around = candidate;
    }
    if (!isRead) await match(candidateOf(text, hit, around));
  }
  return places.sort((one, other) => one.candidate.start - other.candidate.start);
}

const CRAWLED: ReadonlySet<string> = new Set(rolesWithUse('crawled'));

function referenceOf(
  { path: file, reason: ofFile }: ProjectFile,
  candidate: Candidate,
  { line, match, confidence, image, isAmbiguous, isLiteral = false }: Matched,
  circumstances: ProjectOptions,
): Reference {
  const reason = reasonOf(candidate, line, circumstances);
  const doubt = uncertaintyOf(confidence, isAmbiguous, image);
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

interface ProjectOptions extends Pick<Framework, 'optimizesImages'> {
  mapsSocial: boolean;
}

/**
 * The reason not to edit a place. Images for crawlers are only replaced in the same format, unless the scan allows
 * others.
 */
function reasonOf(
  { reason, kind }: Candidate,
  line: Replacement,
  { mapsSocial, optimizesImages }: ProjectOptions,
): Reason | undefined {
  if (reason === 'framework_optimizes' && !optimizesImages) return undefined;
  if (reason !== undefined && reason !== 'social_image') return reason;
  const isCrawled = reason === 'social_image' || CRAWLED.has(kind);
  return isCrawled && !mapsSocial && line.from_format !== line.to_format ? 'social_image' : undefined;
}

function uncertaintyOf(confidence: number, isAmbiguous: boolean, image: string | undefined): Reason | undefined {
  if (isAmbiguous) return 'ambiguous';
  if (confidence < MIN_CONFIDENCE) return 'low_confidence';
  return image === undefined ? 'original_missing' : undefined;
}

/** Reasons of skipped files that are searched only to report where a name occurs. */
const SEARCHED_SKIP_REASONS: ReadonlySet<SkippedFile['skipped']> = new Set(['ignored', 'built', 'minified']);
const MAX_BUILT_FILES = 1000;
const MAX_BUILT_FILE_BYTES = 2_000_000;
/** Total bytes of all files. */
const MAX_TOTAL_BUILT_BYTES = 50_000_000;

/** For lines without a reference: the first skipped file that contains their path. */
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
    if (open.length === 0 || files > MAX_BUILT_FILES || bytes > MAX_TOTAL_BUILT_BYTES) break;
    signal.throwIfAborted();
    const text = await root.read(path, MAX_BUILT_FILE_BYTES).then(
      (bytes) => bytes.toString('latin1'),
      () => '',
    );
    bytes += text.length;
    // Comparing words first avoids a search of the text for most names.
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

/** The words of a text: runs of letters, digits, `_`, `%` and `-`. */
const wordsOf = (text: string): string[] => text.match(/[\w%-]+/g) ?? [];

async function* builtFiles(
  root: ProjectRoot,
  skipped: readonly SkippedFile[],
  signal: AbortSignal,
): AsyncGenerator<string> {
  for (const { path, skipped: why, folder } of skipped) {
    if (!SEARCHED_SKIP_REASONS.has(why)) continue;
    if (folder) for await (const file of walkSkipped(root, path, signal)) yield file.path;
    else if (isSourceName(path)) yield path;
  }
}
