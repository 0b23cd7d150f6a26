/** Results of the tools that make plans. */
import { z } from 'zod';
import { invalidParameter } from '../../base/failure.ts';
import type { LocalContext } from '../context.ts';
import { Staging } from '../files.ts';
import { diffPart } from '../plan/diff.ts';
import type { Plan } from '../plan/plan.ts';
import { summaryOf, summarySchema } from '../plan/report.ts';
import { ensureStateFolder } from '../state-folder.ts';

/** Maximum items per list of the result. */
const MAX_LISTED = 500;

/** The arguments that continue the diff of a plan instead of making a new plan. */
export const diffArguments = {
  plan_id: z
    .string()
    .max(64)
    .optional()
    .meta({ description: 'Shows this plan again instead of making one, for the rest of its diff.' }),
  diff_offset: z.int().min(0).default(0).meta({ description: 'With plan_id: next_diff_offset of the call before.' }),
};

export const planFields = {
  plan_id: z.string(),
  created_at: z.string(),
  summary: summarySchema,
  files: z.array(
    z.object({
      path: z.string(),
      sha256_before: z.string(),
      edits: z.array(
        z.object({
          line: z.int(),
          column: z.int(),
          before: z.string(),
          after: z.string(),
          seq: z.int().nullable(),
          confidence: z.number(),
        }),
      ),
    }),
  ),
  images: z.array(
    z.object({ path: z.string(), action: z.enum(['add', 'remove']), bytes: z.int(), sha256: z.string() }),
  ),
  skipped: z.array(z.object({ file: z.string(), line: z.int(), raw: z.string(), reason: z.string() })),
  not_scanned: z
    .array(z.object({ file: z.string(), page: z.string().nullable(), references: z.int() }))
    .meta({ description: 'Sources whose pages the scan has not seen: their images are as large as the originals.' }),
  diff: z.string().meta({ description: 'At most 20,000 bytes of it.' }),
  diff_truncated: z.boolean(),
  diff_offset: z.int(),
  next_diff_offset: z.int().nullable().meta({ description: 'Where the next call goes on; null at the end.' }),
};

/** Stores a new plan in memory, and its diff in `.ic/plans`. */
export async function keepPlan(context: LocalContext, tool: string, { plan, diff }: { plan: Plan; diff: string }) {
  const bytes = Buffer.from(diff);
  const folder = await ensureStateFolder(context.root, 'plans');
  await Staging.use(context.root, async (staging) => {
    const { staged } = await staging.write(bytes, { mode: 0o600 });
    await staging.place(staged, `${folder}/${plan.id}.diff`, { replace: true });
  });
  context.addPlan(plan, bytes);
  await context.log({ tool, plan_id: plan.id, package_id: plan.packageId, ...summaryOf(plan) });
}

/** @throws Failure `invalid_parameter` for an offset beyond the end of the diff */
export function planResult(context: LocalContext, plan: Plan, diffOffset: number) {
  const diff = context.diffOf(plan);
  if (diffOffset > diff.length) throw invalidParameter(`an offset up to ${diff.length}`, 'diff_offset', diffOffset);
  const { text, next } = diffPart(diff, diffOffset);
  return {
    plan_id: plan.id,
    created_at: plan.createdAt,
    summary: summaryOf(plan),
    files: plan.files.slice(0, MAX_LISTED).map(({ path, before, edits }) => ({
      path,
      sha256_before: before.sha256,
      edits: edits
        .slice(0, MAX_LISTED)
        .map(({ line, column, before, after, seq, confidence }) => ({ line, column, before, after, seq, confidence })),
    })),
    images: [
      ...plan.added.map(({ path, bytes, sha256 }) => ({ path, action: 'add' as const, bytes, sha256 })),
      ...plan.removed.map(({ path, before: { bytes, sha256 } }) => ({
        path,
        action: 'remove' as const,
        bytes,
        sha256,
      })),
    ].slice(0, MAX_LISTED),
    skipped: plan.skipped.slice(0, MAX_LISTED).map(({ file, line, raw, reason }) => ({ file, line, raw, reason })),
    not_scanned: plan.unscanned.slice(0, MAX_LISTED),
    diff: text,
    diff_truncated: next !== null,
    diff_offset: diffOffset,
    next_diff_offset: next,
  };
}

/** Summarizes a plan and states the next step. */
export function planText(plan: Plan, next: number | null): string {
  const { edits, files_changed } = summaryOf(plan);
  const rest = next === null ? '' : ` The diff goes on: call again with plan_id ${plan.id} and diff_offset ${next}.`;
  return `${edits} edits in ${files_changed} files. Show the diff to the person before apply_replacements.${rest}`;
}
