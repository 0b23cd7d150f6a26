import { z } from 'zod';
import { tool } from '../../tool.ts';
import { CHECKS, validatePlan } from '../apply/validate.ts';
import type { LocalContext } from '../context.ts';
import { problemSchema } from './apply-replacements.ts';
import { planId } from './arguments.ts';

const input = z.object({ plan_id: planId });
const output = z.object({
  plan_id: z.string(),
  ok: z.boolean(),
  checks: z.array(z.object({ name: z.enum(CHECKS), ok: z.boolean(), details: z.string() })),
  problems: z.array(problemSchema),
});

export const validateReplacements = tool<LocalContext, typeof input, typeof output>({
  name: 'validate_replacements',
  title: 'Validate replacements',
  description:
    'Looks at the project after an apply: new images are there, references lead to files, none of the old ones is left but those that were skipped, sources are as sound as before, nothing has changed since. Reads only; it does not run the build or tests of the project.',
  input,
  output,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async run({ plan_id: id }, context, call) {
    const plan = context.appliedPlan(id);
    const source = await context.package(plan.packageId);
    const validation = await validatePlan(context.root, plan, source, call);
    return {
      structured: { plan_id: plan.id, ...validation },
      text: validation.ok ? 'All checks pass.' : `${validation.problems.length} problems.`,
    };
  },
});
