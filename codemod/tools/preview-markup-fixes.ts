import { z } from 'zod';
import { tool } from '../../mcp/tool.ts';
import type { LocalContext } from '../context.ts';
import { planNotFound } from '../errors.ts';
import { MARKUP_FIX_KINDS } from '../markup/fix.ts';
import { makeMarkupPlan } from '../markup/preview.ts';
import { packageId } from './arguments.ts';
import { diffArguments, keepPlan, planFields, planResult, planText } from './plan-result.ts';

const MAX_ALT_TEXTS = 500;
const MAX_LISTED = 500;

const kind = z.enum(MARKUP_FIX_KINDS);
const paths = z.array(z.string().min(1).max(1024)).max(200);

const input = z.object({
  package_id: packageId,
  kinds: z
    .array(kind)
    .min(1)
    .default([...MARKUP_FIX_KINDS])
    .meta({ description: 'What is repaired. Default: all.' }),
  words: z
    .array(z.object({ image: z.string().min(1).max(2048), words: z.string().max(1000) }))
    .max(MAX_ALT_TEXTS)
    .default([])
    .meta({
      description:
        'For missing_alt: what each image of needs_words shows, in the language of the page; "" for mere decoration. Look at the image first.',
    }),
  include: paths.default([]).meta({ description: 'As of preview_replacements.' }),
  exclude: paths.default([]).meta({ description: 'As of preview_replacements.' }),
  ...diffArguments,
});

const { plan_id, created_at, summary, files, images, diff, diff_truncated, diff_offset, next_diff_offset } = planFields;

const output = z.object({
  plan_id,
  package_id: z.string(),
  created_at,
  kinds: z.array(kind),
  summary,
  files,
  images,
  needs_words: z
    .array(z.object({ image: z.string(), page: z.string(), places: z.array(z.string()) }))
    .meta({ description: 'Images without alt: call again with words for them.' }),
  unused_words: z.array(z.string()).meta({ description: 'No place lacks the words for these.' }),
  skipped: z.array(
    z.object({
      file: z.string(),
      line: z.int(),
      raw: z.string(),
      kind: kind.nullable(),
      reason: z.string(),
      because: z.string().nullable(),
    }),
  ),
  diff,
  diff_truncated,
  diff_offset,
  next_diff_offset,
});

export const previewMarkupFixes = tool<LocalContext, typeof input, typeof output>({
  name: 'preview_markup_fixes',
  title: 'Preview repairs of markup',
  description:
    'Makes a plan that adds to <img> tags what the scan found missing: width and height, loading="lazy", alt in your words, srcset and sizes with the copies that the package has (scan with settings.variants_widths). Changes nothing; apply_replacements carries the plan out after a yes to its diff, as one of preview_replacements. Only tags that are certain are edited: HTML, templates like it, JSX with literal attributes; what could change a layout is skipped with its reason.',
  input,
  output,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async run({ package_id: id, plan_id: planId, diff_offset: offset, ...asked }, context, { signal, progress }) {
    let plan = planId === undefined ? undefined : context.plan(planId);
    if (plan && !plan.markup) throw planNotFound('a plan of preview_markup_fixes', planId);
    if (!plan) {
      const source = await context.package(id);
      const preview = await makeMarkupPlan(context.root, source, asked, { signal, progress });
      await keepPlan(context, 'preview_markup_fixes', preview);
      plan = preview.plan;
    }
    const { kinds, needsWords, unusedWords } = plan.markup!;
    const { not_scanned: _, ...result } = planResult(context, plan, offset);
    const asks = needsWords.length === 0 ? '' : ` ${needsWords.length} images need words.`;
    return {
      structured: {
        ...result,
        package_id: plan.packageId,
        kinds: [...kinds],
        needs_words: needsWords.slice(0, MAX_LISTED),
        unused_words: unusedWords,
        skipped: plan.skipped
          .slice(0, MAX_LISTED)
          .map(({ file, line, raw, kind: own = null, reason, because = null }) => ({
            file,
            line,
            raw,
            kind: own,
            reason,
            because,
          })),
      },
      text: planText(plan, result.next_diff_offset) + asks,
    };
  },
});
