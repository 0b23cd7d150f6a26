/** Validates a project after an apply with five checks (docs/spec/shapes.md, section 18.8). */

import { posix } from 'node:path';
import { z } from 'zod';
import { groupBy } from '../../base/group-by.ts';
import type { Call } from '../../mcp/tool.ts';
import { planNotFound } from '../errors.ts';
import { sha256Of, stateOf } from '../files.ts';
import { mapInParallel } from '../in-parallel.ts';
import type { ReplacementPackage } from '../package/package.ts';
import type { Edit, Plan, PlannedFile } from '../plan/plan.ts';
import type { ProjectRoot } from '../project/root.ts';
import type { Candidate } from '../readers/candidate.ts';
import { readCandidates } from '../readers/read.ts';
import { decodedPath, nameOf, parseAddress } from '../references/address.ts';
import { type Found, findReferences } from '../references/find.ts';
import { pixelSizeOf } from '../references/images.ts';
import { absolutePathOf, mayBeAbsolute, type SitePaths } from '../references/site-paths.ts';
import { type Backup, readBackup, storedPath } from './backup.ts';
import { syntaxError } from './syntax.ts';

export const CHECKS = [
  'files_present',
  'references_resolve',
  'no_old_references',
  'syntax',
  'unchanged_since_apply',
] as const;
export type CheckName = (typeof CHECKS)[number];

const PROBLEMS = [
  'file_missing',
  'file_differs',
  'reference_broken',
  'old_reference',
  'syntax_broken',
  'changed_since_apply',
  'layout_changed',
  'looks_different',
] as const;

export const problemSchema = z.object({
  file: z.string(),
  /** From 1; null if the problem is not about a line. */
  line: z.int().nullable(),
  code: z.enum(PROBLEMS),
  message: z.string(),
});
export type Problem = z.output<typeof problemSchema>;

export interface Validation {
  ok: boolean;
  checks: { name: CheckName; ok: boolean; details: string }[];
  problems: Problem[];
}

/** @param plan a plan that was applied */
export async function validatePlan(
  root: ProjectRoot,
  plan: Plan,
  source: ReplacementPackage,
  call: Pick<Call, 'signal' | 'progress'>,
): Promise<Validation> {
  const backup = await backupOf(root, plan);
  const edited = await readEdited(root, plan);
  const there = await existingTargets(root, plan);
  const now = await referencesNow(root, plan, source, there, call);
  const found: Record<CheckName, Problem[]> = {
    files_present: await missingFiles(root, plan),
    references_resolve: [...missingTargets(plan, there), ...changedAddresses(backup, edited, there, now.paths)],
    no_old_references: oldReferences(plan, now),
    syntax: await brokenSyntax(root, backup, edited),
    unchanged_since_apply: await changedFiles(root, backup),
  };
  const problems = CHECKS.flatMap((name) => found[name]);
  const checks = CHECKS.map((name) => {
    const ok = found[name].length === 0;
    return { name, ok, details: ok ? DETAILS[name](plan) : `${found[name].length} problems` };
  });
  return { ok: problems.length === 0, checks, problems };
}

/** @throws Failure `plan_not_found` */
export async function backupOf(root: ProjectRoot, plan: Plan): Promise<Backup> {
  const backup = plan.backupId === null ? undefined : await readBackup(root, plan.backupId);
  if (!backup) throw planNotFound('a plan whose backup is there', plan.id);
  return backup;
}

const DETAILS: Record<CheckName, (plan: Plan) => string> = {
  files_present: ({ added }) => `${added.length} new images, each with its hash and size`,
  references_resolve: ({ files }) => `${files.reduce((sum, { edits }) => sum + edits.length, 0)} references`,
  no_old_references: ({ skipped }) => `none but the ${skipped.length} that were left`,
  syntax: ({ files }) => `${files.length} files`,
  unchanged_since_apply: ({ files }) => `${files.length} files`,
};

interface EditedFile {
  file: PlannedFile;
  text: string;
}

/** Reads the edited files that still exist. */
async function readEdited(root: ProjectRoot, { files }: Plan): Promise<EditedFile[]> {
  const read = await mapInParallel(files, async (file) => {
    const bytes = await root.read(file.path).catch(() => undefined);
    return bytes && { file, text: bytes.toString('utf8') };
  });
  return read.filter((each) => each !== undefined);
}

/** A problem that is not about a line. */
const ofFile = (file: string, code: Problem['code'], message: string): Problem => ({ file, line: null, code, message });

async function missingFiles(root: ProjectRoot, { added }: Plan): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const { path, sha256, width, height } of added) {
    const state = await stateOf(root, path).catch(() => undefined);
    if (!state) {
      problems.push(ofFile(path, 'file_missing', 'The new image is not there.'));
      continue;
    }
    const size = await pixelSizeOf(root, path);
    if (state.sha256 === sha256 && (!size || (size.width === width && size.height === height))) continue;
    problems.push(ofFile(path, 'file_differs', 'The new image is not that of the package.'));
  }
  return problems;
}

/** The target images of the edits that exist. */
async function existingTargets(root: ProjectRoot, { files }: Plan): Promise<Set<string>> {
  const targets = [...new Set(files.flatMap(({ edits }) => edits.flatMap((edit) => edit.targets)))];
  const states = await mapInParallel(targets, (target) => stateOf(root, target).catch(() => undefined));
  return new Set(targets.filter((_, index) => states[index] !== undefined));
}

/** Finds the current references to the images that the plan replaced. */
async function referencesNow(
  root: ProjectRoot,
  { replaced }: Plan,
  source: ReplacementPackage,
  there: ReadonlySet<string>,
  { signal, progress }: Pick<Call, 'signal' | 'progress'>,
): Promise<Found> {
  const lines = source.lines.filter(({ seq }) => replaced.has(seq));
  return await findReferences(root, { lines, mapsSocial: source.mapsSocial }, { signal, progress, more: there });
}

function missingTargets({ files }: Plan, there: ReadonlySet<string>): Problem[] {
  return files.flatMap(({ path, edits }) =>
    edits.flatMap((edit) =>
      edit.targets
        .filter((target) => !there.has(target))
        .map((target) => broken(path, edit, target, 'which is not there')),
    ),
  );
}

const broken = (file: string, { line }: Edit, target: string, fault: string): Problem => ({
  file,
  line,
  code: 'reference_broken',
  message: `It is for ${target}, ${fault}.`,
});

/**
 * Finds edited places whose address no longer leads to the target. Files changed since the apply are skipped: their
 * offsets differ.
 */
function changedAddresses(
  backup: Backup,
  edited: readonly EditedFile[],
  there: ReadonlySet<string>,
  paths: SitePaths,
): Problem[] {
  const written = new Map(backup.files.map((file) => [file.path, file.after_sha256]));
  const problems: Problem[] = [];
  for (const { file, text } of edited) {
    if (sha256Of(Buffer.from(text)) !== written.get(file.path)) continue;
    const candidates = readCandidates(file.path, text);
    let shift = 0;
    for (const edit of file.edits) {
      const [start, end] = [edit.start + shift, edit.start + shift + edit.after.length];
      shift += edit.after.length - (edit.end - edit.start);
      // A `type` attribute has no address. A picture element also contains the original.
      const own = candidates.filter((each) => each.start >= start && each.end <= end);
      for (const target of own.length === 0 ? [] : edit.targets) {
        if (!there.has(target) || own.some((each) => leadsTo(paths, file.path, each, target))) continue;
        problems.push(broken(file.path, edit, target, 'but its address does not lead there'));
      }
    }
  }
  return problems;
}

function leadsTo(paths: SitePaths, file: string, { address: text, kind }: Candidate, target: string): boolean {
  const address = parseAddress(text);
  if (!address) return false;
  const path = decodedPath(address.path);
  const isNamed = [path, address.path].some((each) => nameOf(each) === posix.basename(target));
  // The paths on other hosts are not known here.
  if (address.host !== undefined) return isNamed;
  const found = paths.targetOf(file, address.path, kind);
  if (found) return found.path === target;
  if (mayBeAbsolute(file, path) && paths.leads(absolutePathOf(path), target)) return true;
  // The address may be relative to a page that is built from this source.
  return !path.startsWith('/') && isNamed;
}

/** Finds references to originals that the plan neither edited nor reported. */
function oldReferences({ skipped, strategy }: Plan, found: Found): Problem[] {
  const left = new Map<string, number>();
  const keyOf = ({ file, raw }: { file: string; raw: string }) => `${file}\n${raw}`;
  for (const [key, same] of groupBy(skipped, keyOf)) left.set(key, same.length);
  const problems: Problem[] = [];
  for (const { file, candidate } of found.references) {
    const { raw, image, start } = candidate;
    // In a picture element the original is the fallback for browsers without the new format.
    const isFallback = strategy === 'picture' && image?.hasPicture === true;
    if (isFallback) continue;
    const count = left.get(keyOf({ file, raw })) ?? 0;
    left.set(keyOf({ file, raw }), count - 1);
    if (count > 0) continue;
    const { line } = found.sources.get(file)!.places.at(start);
    problems.push({ file, line, code: 'old_reference', message: 'It still leads to the original.' });
  }
  return problems;
}

async function brokenSyntax(root: ProjectRoot, backup: Backup, edited: readonly EditedFile[]): Promise<Problem[]> {
  const stored = new Map(backup.files.map((file) => [file.path, storedPath(backup, file)]));
  const befores = await mapInParallel(edited, ({ file }) =>
    root.read(stored.get(file.path) ?? '').catch(() => undefined),
  );
  const problems: Problem[] = [];
  for (const [index, { file, text }] of edited.entries()) {
    const before = befores[index];
    const fault = before && syntaxError(file.path, before.toString('utf8'), text);
    if (fault === undefined) continue;
    problems.push(ofFile(file.path, 'syntax_broken', `After the edits ${fault}.`));
  }
  return problems;
}

async function changedFiles(root: ProjectRoot, { files }: Backup): Promise<Problem[]> {
  const states = await mapInParallel(files, ({ path }) => stateOf(root, path).catch(() => undefined));
  return files
    .filter(({ after_sha256: after }, index) => (states[index]?.sha256 ?? null) !== after)
    .map(({ path }) => ofFile(path, 'changed_since_apply', 'It has been changed since the apply.'));
}
