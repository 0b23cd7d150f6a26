import { z } from 'zod';
import { tool } from '../../mcp/tool.ts';
import type { LocalContext } from '../context.ts';
import { bytesOf, countBy, markdownOf, summaryOf, summarySchema } from '../plan/report.ts';
import { planId } from './arguments.ts';

/** Maximum items per list of the result. */
const MAX_LISTED = 500;

const input = z.object({ plan_id: planId });
const output = z.object({
  plan_id: z.string(),
  status: z.enum(['previewed', 'applied', 'rolled_back']),
  backup_id: z.string().nullable(),
  summary: summarySchema,
  by_file: z.array(z.object({ path: z.string(), edits: z.int() })),
  by_reason: z.record(z.string(), z.int()),
  bytes_before: z.int(),
  bytes_after: z.int(),
  bytes_saved: z.int(),
  not_done: z.array(z.object({ seq: z.int(), from: z.string(), reason: z.string() })),
  markdown: z.string(),
});

export const replacementReport = tool<LocalContext, typeof input, typeof output>({
  name: 'replacement_report',
  title: 'Report of the replacements',
  description:
    'Says what a plan has changed or would change, what was left and why, with a text in Markdown for a pull request. Reads only.',
  input,
  output,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async run({ plan_id: id }, context) {
    const plan = context.plan(id);
    const { before, after } = bytesOf(plan);
    const markdown = markdownOf(plan);
    return {
      structured: {
        plan_id: plan.id,
        status: plan.status,
        backup_id: plan.backupId,
        summary: summaryOf(plan),
        by_file: plan.files.slice(0, MAX_LISTED).map(({ path, edits }) => ({ path, edits: edits.length })),
        by_reason: countBy(plan.skipped, ({ reason }) => reason),
        bytes_before: before,
        bytes_after: after,
        bytes_saved: before - after,
        not_done: plan.notDone.slice(0, MAX_LISTED),
        markdown,
      },
      text: `The plan ${plan.id} is ${plan.status}.`,
    };
  },
});
