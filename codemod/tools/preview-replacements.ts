import { z } from 'zod';
import { tool } from '../../mcp/tool.ts';
import type { LocalContext } from '../context.ts';
import { planNotFound } from '../errors.ts';
import { FALLBACK_REASONS } from '../plan/picture-fallbacks.ts';
import { STRATEGIES, type Strategy } from '../plan/plan.ts';
import { makePlan } from '../plan/preview.ts';
import { packageId } from './arguments.ts';
import { diffArguments, keepPlan, planFields, planResult, planText } from './plan-result.ts';

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
      'swap: the address of the new file in place of the old. picture: a <picture> around plain images of HTML, where no style sheet can change the layout because of it.',
  }),
  keep_originals: z.boolean().default(true).meta({
    description: 'false, with strategy swap: originals that nothing names any more are removed.',
  }),
  ...diffArguments,
});

const MAX_FALLBACKS = 500;

const output = z.object({
  ...planFields,
  package_id: z.string(),
  strategy: z.enum(STRATEGIES),
  picture_fallbacks: z
    .array(
      z.object({
        file: z.string(),
        line: z.int(),
        raw: z.string(),
        reason: z.enum(FALLBACK_REASONS),
        because: z.string(),
      }),
    )
    .meta({
      description: 'Images whose address is swapped although strategy is picture, as their layout could change.',
    }),
});

export const previewReplacements = tool<LocalContext, typeof input, typeof output>({
  name: 'preview_replacements',
  title: 'Preview replacements',
  description:
    'Makes a plan: the exact edits as a unified diff, the images to add, and what is left alone and why. Changes nothing. Show the diff to the person; apply_replacements needs their yes. A diff of more than 20,000 bytes comes in parts: call again with plan_id and diff_offset. The plan lives as long as this process; the whole diff also lies in .ic/plans.',
  input,
  output,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async run(
    { package_id: id, keep_originals: keepOriginals, plan_id: planId, diff_offset: offset, ...asked },
    context,
    { signal, progress },
  ) {
    let plan = planId === undefined ? undefined : context.plan(planId);
    if (plan?.markup) throw planNotFound('a plan of preview_replacements', planId);
    if (!plan) {
      const source = await context.package(id);
      const preview = await makePlan(context.root, source, { ...asked, keepOriginals }, { signal, progress });
      await keepPlan(context, 'preview_replacements', preview);
      plan = preview.plan;
    }
    const result = planResult(context, plan, offset);
    return {
      structured: {
        ...result,
        package_id: plan.packageId,
        strategy: plan.strategy as Strategy,
        picture_fallbacks: plan.fallbacks.slice(0, MAX_FALLBACKS),
      },
      text: planText(plan, result.next_diff_offset),
    };
  },
});
