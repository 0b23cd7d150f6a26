/** Makes plans: what would be changed in which file, which images would be added, and what is left alone and why. */
import { posix } from 'node:path';
import ignore from 'ignore';
import { groupBy } from '../../../../base/group-by.ts';
import { newId } from '../../../../base/id.ts';
import type { Call } from '../../tool.ts';
import { stateOf } from '../files.ts';
import type { ReplacementPackage } from '../package/package.ts';
import type { ProjectRoot } from '../project/root.ts';
import { nameOf } from '../references/address.ts';
import { type Found, findReferences, type Source } from '../references/find.ts';
import type { Reference } from '../references/reference.ts';
import { Destinations } from './destinations.ts';
import { fileDiff } from './diff.ts';
import { editsFor, type Wanted } from './edits.ts';
import type { Plan, RemovedImage, SkippedReference, SkipReason, Strategy } from './plan.ts';
import { spliced } from './spliced.ts';

export interface PreviewOptions {
  strategy: Strategy;
  /** Paths, folders or patterns as in `.gitignore`: only these files are edited, tests and generated ones too. */
  include: readonly string[];
  /** These are not. */
  exclude: readonly string[];
  keepOriginals: boolean;
}

export interface Preview {
  plan: Plan;
  /** Of all files, as `git apply` reads it. */
  diff: string;
}

export async function makePlan(
  root: ProjectRoot,
  source: ReplacementPackage,
  options: PreviewOptions,
  { signal, progress }: Pick<Call, 'signal' | 'progress'>,
): Promise<Preview> {
  const found = await findReferences(root, source, { signal, progress });
  const { wanted, skipped } = await choose(root, source, found, options);
  const plan: Plan = {
    id: newId('plan'),
    packageId: source.id,
    createdAt: new Date().toISOString(),
    strategy: options.strategy,
    files: [],
    added: [],
    removed: [],
    skipped,
    replaced: new Map(),
    notDone: [],
    status: 'previewed',
    backupId: null,
  };
  const diffs: string[] = [];
  for (const [path, own] of groupBy(wanted.items, ({ reference }) => reference.file)) {
    const file = found.sources.get(path)!;
    const { edits, left } = editsFor(file, own, options.strategy);
    plan.skipped.push(...left.map((reference) => skippedOf(file, reference, 'ambiguous')));
    if (edits.length === 0) continue;
    plan.files.push({ path, before: file.state, edits });
    diffs.push(fileDiff(path, file.text, spliced(file.text, edits)));
    for (const { reference } of own.filter((each) => !left.includes(each.reference))) {
      const { seq, from, from_bytes: fromBytes, to_bytes: toBytes } = reference.line;
      plan.replaced.set(seq, { from, fromBytes, toBytes });
    }
  }
  const targets = new Set(plan.files.flatMap(({ edits }) => edits.map(({ target }) => target)));
  plan.added = wanted.destinations.added.filter(({ path }) => targets.has(path));
  if (!options.keepOriginals && options.strategy === 'swap') {
    plan.removed = await removable(root, found, plan, wanted.items, signal);
  }
  plan.notDone = notDone(source, found, plan);
  return { plan, diff: diffs.join('') };
}

/** References that are edited, with the places of the new files; and those that are not, with the reason. */
async function choose(root: ProjectRoot, source: ReplacementPackage, found: Found, options: PreviewOptions) {
  const includes = patterns(options.include);
  const excludes = patterns(options.exclude);
  const destinations = new Destinations(root, source);
  const items: Wanted[] = [];
  const skipped: SkippedReference[] = [];
  const reasonOf = ({ file, reason, isFileReason }: Reference): SkipReason | undefined => {
    if (excludes?.(file) || (includes && !includes(file))) return 'excluded';
    return isFileReason && includes ? undefined : reason;
  };
  for (const reference of found.references) {
    const { file, line, image } = reference;
    const reason = reasonOf(reference);
    if (reason === undefined && image !== undefined) {
      items.push({ reference, target: await destinations.of(line, image) });
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

function patterns(paths: readonly string[]): ((path: string) => boolean) | undefined {
  if (paths.length === 0) return undefined;
  const rules = ignore().add(paths.map((path) => path.replace(/^\.\//, '/')));
  return (path) => rules.ignores(path);
}

/** Files that may name an image although nothing is edited in them. */
const MOST_BYTES_SEARCHED = 50_000_000;

/** Originals that nothing in the project names after the edits, by whatever way: their names are searched as plain text. */
async function removable(
  root: ProjectRoot,
  found: Found,
  plan: Plan,
  wanted: readonly Wanted[],
  signal: AbortSignal,
): Promise<RemovedImage[]> {
  let open = [...new Set(wanted.flatMap(({ reference }) => reference.image ?? []))];
  const edits = new Map(plan.files.map((file) => [file.path, file.edits]));
  const looked = found.project.skipped.filter(({ skipped, folder }) => !folder && SEARCHED.has(skipped));
  const paths = [...found.project.sources.map(({ path }) => path), ...looked.map(({ path }) => path)];
  for (const path of paths) {
    if (open.length === 0) return [];
    signal.throwIfAborted();
    const bytes = await root.read(path, MOST_BYTES_SEARCHED).catch(() => undefined);
    // What cannot be read may name all of them.
    if (!bytes) return [];
    const text = spliced(bytes.toString('utf8'), edits.get(path) ?? []);
    open = open.filter((image) => image === path || !mentions(text, nameOf(image)));
  }
  const removed: RemovedImage[] = [];
  for (const path of open.sort()) {
    const before = await stateOf(root, path);
    if (before) removed.push({ path, before });
  }
  return removed;
}

const SEARCHED: ReadonlySet<string> = new Set(['minified', 'too_large', 'lock_file', 'ignored', 'unknown_kind']);

/** Also without its extension, which a program may add. */
function mentions(text: string, name: string): boolean {
  const stem = posix.parse(name).name;
  const ends = ['"', "'", '`'];
  return (
    text.includes(name) ||
    text.includes(encodeURIComponent(name)) ||
    ends.some((end) => text.includes(end + stem + end) || text.includes(`/${stem}${end}`))
  );
}

/** Images of the package for which nothing is edited. */
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
