/** Makes plans: the edits per file, the images to add, and what is skipped and why. */
import { posix } from 'node:path';
import ignore from 'ignore';
import { groupBy } from '../../base/group-by.ts';
import type { Call } from '../../mcp/tool.ts';
import { stateOf } from '../files.ts';
import type { ReplacementPackage } from '../package/package.ts';
import type { ProjectRoot } from '../project/root.ts';
import { isSourceName } from '../project/rules.ts';
import { textOfBytes } from '../project/walk.ts';
import { nameOf } from '../references/address.ts';
import { type Found, findReferences } from '../references/find.ts';
import type { Reference } from '../references/reference.ts';
import type { Source } from '../references/source.ts';
import { Destinations } from './destinations.ts';
import { fileDiff } from './diff.ts';
import { editsFor, type ReferenceToEdit } from './edits.ts';
import { PictureFallbacks } from './picture-fallbacks.ts';
import {
  applyEdits,
  newPlan,
  type Plan,
  type RemovedImage,
  type SkippedReference,
  type SkipReason,
  type Strategy,
  type UnscannedSource,
} from './plan.ts';
import { avifLine, isResized, ScannedPages, unresizedLine } from './scanned-pages.ts';

export interface FileSelection {
  /** Paths, folders or `.gitignore` patterns. Only these files are edited, including tests and generated files. */
  include: readonly string[];
  /** Files that are not edited, in the same form. */
  exclude: readonly string[];
}

interface PreviewOptions extends FileSelection {
  strategy: Strategy;
  keepOriginals: boolean;
}

export interface Preview {
  plan: Plan;
  /** Of all files, in the format of `git apply`. */
  diff: string;
}

export async function makePlan(
  root: ProjectRoot,
  source: ReplacementPackage,
  options: PreviewOptions,
  { signal, progress }: Pick<Call, 'signal' | 'progress'>,
): Promise<Preview> {
  const { found, unseen, unscanned } = withFileForEach(
    source,
    await findReferences(root, source, { signal, progress }),
  );
  const { wanted, skipped } = await selectReferences(root, source, found, unseen, options);
  const plan: Plan = { ...newPlan(source.id, options.strategy), skipped, unscanned };
  const diffs: string[] = [];
  const edited = new Set<Reference>();
  const layout =
    options.strategy === 'picture'
      ? await PictureFallbacks.read(root, found.project, source.domain, signal)
      : undefined;
  for (const [path, own] of groupBy(wanted.items, ({ reference }) => reference.file)) {
    const file = found.sources.get(path)!;
    const { edits, left, fallbacks } = editsFor(file, own, options.strategy, (image) =>
      layout?.of(path, file.text, image),
    );
    plan.skipped.push(...left.map((reference) => skippedOf(file, reference, 'ambiguous')));
    for (const { reference, fallback } of fallbacks) {
      const { candidate } = reference;
      plan.fallbacks.push({ file: path, line: file.places.at(candidate.start).line, raw: candidate.raw, ...fallback });
    }
    if (edits.length === 0) continue;
    plan.files.push({ path, before: file.state, edits });
    diffs.push(fileDiff(path, file.text, applyEdits(file.text, edits)));
    for (const { reference } of own.filter((each) => !left.includes(each.reference))) {
      const { seq, from, from_bytes: fromBytes, to_bytes: toBytes } = reference.line;
      // Count the larger of two files, so that the savings are not overstated.
      const before = plan.replaced.get(seq)?.toBytes ?? 0;
      plan.replaced.set(seq, { from, fromBytes, toBytes: Math.max(before, toBytes) });
      edited.add(reference);
    }
  }
  plan.added = wanted.destinations.addedFor(plan.files);
  if (!options.keepOriginals && options.strategy === 'swap') {
    plan.removed = await removable(root, found, plan, edited, signal);
  }
  plan.notDone = notDone(source, found, plan);
  return { plan, diff: diffs.join('') };
}

/**
 * Chooses for each reference the file that suits its page.
 * @returns `unseen`: the references without a suitable file
 */
function withFileForEach(source: ReplacementPackage, found: Found) {
  const scanned = new ScannedPages(source, found.project.framework);
  const unseen = new Set<Reference>();
  const counts = new Map<string, number>();
  const references = found.references.map((reference) => {
    const { file, line } = reference;
    if (!isResized(line) || scanned.hasSeen(file, line)) return reference;
    counts.set(file, (counts.get(file) ?? 0) + 1);
    const whole = unresizedLine(line);
    if (whole) return { ...reference, line: whole };
    unseen.add(reference);
    return reference;
  });
  const unscanned = [...counts].map(
    ([file, count]): UnscannedSource => ({ file, page: scanned.pageOf(file), references: count }),
  );
  return { found: { ...found, references }, unseen, unscanned };
}

/** Splits references into those to edit, with the paths of the new files, and those to skip, with the reason. */
async function selectReferences(
  root: ProjectRoot,
  source: ReplacementPackage,
  found: Found,
  unseen: ReadonlySet<Reference>,
  options: PreviewOptions,
) {
  const files = [...found.project.sources, ...found.project.skipped].map(({ path }) => path);
  const includes = selection(options.include, files);
  const excludes = selection(options.exclude, files);
  const destinations = new Destinations(root, source);
  const items: ReferenceToEdit[] = [];
  const skipped: SkippedReference[] = [];
  const reasonOf = (reference: Reference): SkipReason | undefined => {
    const { file, reason, isFileReason } = reference;
    if (excludes?.(file) || (includes && !includes(file))) return 'excluded';
    const own = isFileReason && includes ? undefined : reason;
    return own ?? (unseen.has(reference) ? 'page_not_scanned' : undefined);
  };
  for (const reference of found.references) {
    const { file, line, image } = reference;
    const reason = reasonOf(reference);
    if (reason === undefined && image !== undefined) {
      const target = await destinations.of(line, image);
      const avif = options.strategy === 'picture' ? avifLine(line) : undefined;
      items.push({ reference, target, ...(avif && { avifTarget: await destinations.of(avif, image) }) });
      continue;
    }
    skipped.push(skippedOf(found.sources.get(file)!, reference, reason ?? 'original_missing'));
  }
  return { wanted: { items, destinations }, skipped };
}

function skippedOf({ path, places }: Source, { candidate, line }: Reference, reason: SkipReason): SkippedReference {
  const { line: row } = places.at(candidate.start);
  return { file: path, line: row, raw: candidate.raw, reason, seq: line.seq };
}

/**
 * Returns a function that tests whether a file is selected. An existing path is taken literally even if it looks like a
 * pattern: `pages/[slug].html`.
 * @param files of the project
 */
export function selection(asked: readonly string[], files: readonly string[]): ((path: string) => boolean) | undefined {
  if (asked.length === 0) return undefined;
  const patterns: string[] = [];
  const names: string[] = [];
  for (const each of asked) {
    const name = each.replace(/^\.?\//, '').replace(/\/$/, '');
    if (files.some((file) => isWithin(file, name))) names.push(name);
    else patterns.push(each.replace(/^\.\//, '/'));
  }
  const rules = ignore({ ignorecase: false }).add(patterns);
  return (path) => names.some((name) => isWithin(path, name)) || rules.ignores(path);
}

/** Whether a file is the path itself or in that folder. */
const isWithin = (file: string, path: string): boolean => file === path || file.startsWith(`${path}/`);

/** Maximum size of a file that is searched for names of originals. */
const MAX_SEARCHED_BYTES = 50_000_000;

/** Originals that the project no longer mentions after the edits. Their names are searched for as plain text. */
async function removable(
  root: ProjectRoot,
  found: Found,
  plan: Plan,
  edited: ReadonlySet<Reference>,
  signal: AbortSignal,
): Promise<RemovedImage[]> {
  // A skipped place may write the name in a form that the search does not find.
  const kept = new Set(found.references.filter((reference) => !edited.has(reference)).map(({ image }) => image));
  let open = [...new Set([...edited].flatMap(({ image }) => image ?? []))].filter((image) => !kept.has(image));
  const edits = new Map(plan.files.map((file) => [file.path, file.edits]));
  const { skipped: all } = found.project;
  // Unreadable files might mention any image.
  if (all.some(({ skipped }) => skipped === 'unreadable' || skipped === 'too_deep')) return [];
  const looked = all.filter(
    ({ path, skipped, folder }) => !folder && (SEARCHED.has(skipped) || (skipped === 'binary' && isSourceName(path))),
  );
  const paths = [...found.project.sources.map(({ path }) => path), ...looked.map(({ path }) => path)];
  for (const path of paths) {
    if (open.length === 0) return [];
    signal.throwIfAborted();
    const bytes = await root.read(path, MAX_SEARCHED_BYTES).catch(() => undefined);
    if (!bytes) return [];
    const text = applyEdits(bytes.toString('utf8'), edits.get(path) ?? []);
    // For a file that is not UTF-8, search other encodings too.
    const texts =
      textOfBytes(bytes) === undefined ? [text, bytes.toString('latin1'), bytes.toString('utf16le')] : [text];
    open = open.filter((image) => image === path || !texts.some((each) => mentions(each, nameOf(image))));
  }
  const removed: RemovedImage[] = [];
  for (const path of open.sort()) {
    const before = await stateOf(root, path);
    if (before) removed.push({ path, before });
  }
  return removed;
}

const SEARCHED: ReadonlySet<string> = new Set(['minified', 'too_large', 'lock_file', 'ignored', 'unknown_kind']);

/** Also searches for the name without extension, since a program may add it. */
function mentions(text: string, name: string): boolean {
  const stem = posix.parse(name).name;
  const ends = ['"', "'", '`'];
  return (
    text.includes(name) ||
    text.includes(encodeURIComponent(name)) ||
    ends.some((end) => text.includes(end + stem + end) || text.includes(`/${stem}${end}`))
  );
}

/** Images of the package without any edit. */
function notDone({ lines }: ReplacementPackage, found: Found, plan: Plan): Plan['notDone'] {
  const reasons = new Map(plan.skipped.map(({ seq, reason }) => [seq, reason]));
  const built = new Map(found.unmatched.map(({ line, builtFile }) => [line.seq, builtFile]));
  return lines
    .filter(({ seq }) => !plan.replaced.has(seq))
    .map(({ seq, from }) => {
      const reason = reasons.get(seq) ?? (built.get(seq) ? 'only_in_built_file' : 'no_reference');
      return { seq, from, reason };
    });
}
