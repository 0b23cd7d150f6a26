import { z } from 'zod';
import { tool } from '../../mcp/tool.ts';
import { applyPlan } from '../apply/apply.ts';
import { problemSchema, validatePlan } from '../apply/validate.ts';
import type { LocalContext } from '../context.ts';
import { approvalRequired, declined, nothingToDo, planAlreadyApplied, planNotFound } from '../errors.ts';
import { withProjectLock } from '../lock.ts';
import { editsOf, type Plan } from '../plan/plan.ts';
import { approved } from './arguments.ts';

const input = z.object({ plan_id: z.string().max(64), approved }).meta({ required: ['plan_id', 'approved'] });

const output = z.object({
  plan_id: z.string(),
  backup_id: z.string(),
  applied_at: z.string(),
  files_changed: z.array(z.object({ path: z.string(), sha256_before: z.string(), sha256_after: z.string() })),
  images_added: z.array(z.string()),
  images_removed: z.array(z.string()),
  edits: z.int(),
  validation: z.object({ ok: z.boolean(), problems: z.array(problemSchema) }),
});

export const applyReplacements = tool<LocalContext, typeof input, typeof output>({
  name: 'apply_replacements',
  title: 'Apply replacements',
  description:
    'Carries out a plan that a preview tool of this process has shown, after the person has said yes to its diff. Every file is backed up first and written as a whole; a file that has changed since the preview stops it before anything is written. rollback takes it back.',
  input,
  output,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  async run({ plan_id: id, approved: flag }, context, call) {
    if (flag !== true) throw approvalRequired(flag);
    const plan = context.plan(id);
    assertApplicable(plan);
    if (call.ask && !(await call.ask(approvalQuestion(plan)))) throw declined();
    const { backup, appliedAt } = await withProjectLock(context.root, call.signal, async () => {
      // Another call may have applied the plan while the user was asked.
      assertApplicable(plan);
      const applied = await applyPlan(context.root, plan, call.signal);
      plan.status = 'applied';
      plan.backupId = applied.backup.backup_id;
      return applied;
    });
    await context.log({
      tool: 'apply_replacements',
      plan_id: plan.id,
      backup_id: backup.backup_id,
      edits: editsOf(plan),
    });
    const source = await context.package(plan.packageId);
    // The changes are done, so validate and report even if the client has cancelled the call.
    const { ok, problems } = await validatePlan(context.root, plan, source, {
      ...call,
      signal: new AbortController().signal,
    });
    const files = backup.files.flatMap(({ path, before, after_sha256: after }) =>
      after === null ? [] : [{ path, sha256_before: before.sha256, sha256_after: after }],
    );
    return {
      structured: {
        plan_id: plan.id,
        backup_id: backup.backup_id,
        applied_at: appliedAt,
        files_changed: files,
        images_added: backup.created.map(({ path }) => path),
        images_removed: plan.removed.map(({ path }) => path),
        edits: editsOf(plan),
        validation: { ok, problems },
      },
      text: `Applied: ${editsOf(plan)} edits in ${files.length} files, ${backup.created.length} images added. ${ok ? 'All checks pass.' : `${problems.length} problems.`} Backup: ${backup.backup_id}.`,
    };
  },
});

function assertApplicable(plan: Plan): void {
  if (plan.status === 'applied') throw planAlreadyApplied(plan.id);
  if (plan.status !== 'previewed') throw planNotFound('a plan that has not been rolled back', plan.id);
  if (editsOf(plan) === 0) throw nothingToDo();
}

function approvalQuestion(plan: Plan): string {
  const { added, removed, files, markup } = plan;
  if (markup)
    return `Change this project by the plan ${plan.id}? Attributes are added to ${editsOf(plan)} img elements in ${files.length} files, and ${added.length} images. Every file is backed up.`;
  return `Change this project by the plan ${plan.id}? ${editsOf(plan)} references in ${files.length} files are edited, ${added.length} images added, ${removed.length} removed. Every file is backed up.`;
}
