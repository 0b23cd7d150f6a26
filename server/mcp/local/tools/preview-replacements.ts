import { z } from 'zod';
import { tool } from '../../tool.ts';
import type { LocalContext } from '../context.ts';
import { Staging } from '../files.ts';
import { STRATEGIES } from '../plan/plan.ts';
import { makePlan } from '../plan/preview.ts';
import { summaryOf } from '../plan/report.ts';
import { ensureStateFolder } from '../state-folder.ts';
import { packageId } from './arguments.ts';

/** Characters; the file of the plan has all of it. */
const LONGEST_DIFF = 200_000;
/** Of the answer. */
const MOST_LISTED = 500;

const paths = z.array(z.string().min(1).max(1024)).max(200);

const input = z.object({
  package_id: packageId,
  include: paths.default([]).meta({
    description:
      'Paths or patterns as in .gitignore: only these files are edited, also tests and generated ones among them.',
  }),
  exclude: paths.default([]).meta({ description: 'Paths or patterns of files that are not edited.' }),
  strategy: z.enum(STRATEGIES).default('swap').meta({
    description:
      'swap: the address of the new file in place of the old. picture: a <picture> around plain images of HTML.',
  }),
  keep_originals: z.boolean().default(true).meta({
    description: 'false, with strategy swap: originals that nothing names any more are removed.',
  }),
});

export const summarySchema = z.object({
  files_changed: z.int(),
  edits: z.int(),
  images_added: z.int(),
  images_removed: z.int(),
  skipped: z.int(),
  bytes_saved: z.int(),
});

const output = z.object({
  plan_id: z.string(),
  package_id: z.string(),
  created_at: z.string(),
  strategy: z.enum(STRATEGIES),
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
          seq: z.int(),
          confidence: z.number(),
        }),
      ),
    }),
  ),
  images: z.array(
    z.object({ path: z.string(), action: z.enum(['add', 'remove']), bytes: z.int(), sha256: z.string() }),
  ),
  skipped: z.array(z.object({ file: z.string(), line: z.int(), raw: z.string(), reason: z.string() })),
  diff: z.string(),
  diff_truncated: z.boolean(),
});

export const previewReplacements = tool<LocalContext, typeof input, typeof output>({
  name: 'preview_replacements',
  title: 'Preview replacements',
  description:
    'Makes a plan: the exact edits as a unified diff, the images to add, and what is left alone and why. Changes nothing. Show the diff to the person; apply_replacements needs their yes. The plan lives as long as this process; the whole diff also lies in .ic/plans.',
  input,
  output,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async run({ package_id: id, keep_originals: keepOriginals, ...asked }, context, { signal, progress }) {
    const source = await context.package(id);
    const { plan, diff } = await makePlan(context.root, source, { ...asked, keepOriginals }, { signal, progress });
    await keepDiff(context, plan.id, diff);
    context.addPlan(plan);
    const summary = summaryOf(plan);
    await context.log({ tool: 'preview_replacements', plan_id: plan.id, package_id: source.id, ...summary });
    return {
      structured: {
        plan_id: plan.id,
        package_id: source.id,
        created_at: plan.createdAt,
        strategy: plan.strategy,
        summary,
        files: plan.files.slice(0, MOST_LISTED).map(({ path, before, edits }) => ({
          path,
          sha256_before: before.sha256,
          edits: edits.slice(0, MOST_LISTED).map(({ line, column, before, after, seq, confidence }) => ({
            line,
            column,
            before,
            after,
            seq,
            confidence,
          })),
        })),
        images: [
          ...plan.added.map(({ path, bytes, sha256 }) => ({ path, action: 'add' as const, bytes, sha256 })),
          ...plan.removed.map(({ path, before: { bytes, sha256 } }) => ({
            path,
            action: 'remove' as const,
            bytes,
            sha256,
          })),
        ].slice(0, MOST_LISTED),
        skipped: plan.skipped.slice(0, MOST_LISTED).map(({ file, line, raw, reason }) => ({ file, line, raw, reason })),
        diff: diff.slice(0, LONGEST_DIFF),
        diff_truncated: diff.length > LONGEST_DIFF,
      },
      text: `Plan ${plan.id}: ${summary.edits} edits in ${summary.files_changed} files, ${summary.images_added} images added, ${summary.images_removed} removed, ${summary.skipped} references left. Show the diff to the person before apply_replacements.`,
    };
  },
});

async function keepDiff({ root }: LocalContext, planId: string, diff: string): Promise<void> {
  const folder = await ensureStateFolder(root, 'plans');
  await Staging.use(root, async (staging) => {
    const { staged } = await staging.write(Buffer.from(diff), { mode: 0o600 });
    await staging.place(staged, `${folder}/${planId}.diff`, { replace: true });
  });
}
