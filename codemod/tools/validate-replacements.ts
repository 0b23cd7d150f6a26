import { z } from 'zod';
import { tool } from '../../mcp/tool.ts';
import { checkRendered } from '../apply/rendered.ts';
import { backupOf, CHECKS, problemSchema, validatePlan } from '../apply/validate.ts';
import type { LocalContext } from '../context.ts';
import { planId } from './arguments.ts';

const input = z.object({ plan_id: planId });
const output = z.object({
  plan_id: z.string(),
  ok: z.boolean(),
  checks: z.array(z.object({ name: z.enum([...CHECKS, 'rendered']), ok: z.boolean(), details: z.string() })),
  problems: z.array(problemSchema),
});

export const validateReplacements = tool<LocalContext, typeof input, typeof output>({
  name: 'validate_replacements',
  title: 'Validate replacements',
  description:
    'Looks at the project after an apply: new images are there, references lead to files, none of the old ones is left but those that were skipped, sources are as sound as before, nothing has changed since. Where Chromium is installed, pages of plain HTML are rendered before and after at three widths: boxes of images, heights and pixels are compared. Reads only; it does not run the build or tests of the project.',
  input,
  output,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async run({ plan_id: id }, context, call) {
    const plan = context.appliedPlan(id);
    const source = await context.package(plan.packageId);
    const { checks, problems } = await validatePlan(context.root, plan, source, call);
    const rendered = await checkRendered(context.root, plan, await backupOf(context.root, plan), context.env, call);
    const all = [...problems, ...rendered.problems];
    const { details } = rendered.check;
    const outcome = all.length === 0 ? 'All checks pass.' : `${all.length} problems.`;
    return {
      structured: { plan_id: plan.id, ok: all.length === 0, checks: [...checks, rendered.check], problems: all },
      text: details.startsWith('not rendered') ? `${outcome} The pages were ${details}` : outcome,
    };
  },
});
