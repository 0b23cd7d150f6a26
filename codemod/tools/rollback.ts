import { z } from 'zod';
import { described } from '../../base/described.ts';
import { tool } from '../../mcp/tool.ts';
import { type Backup, findBackup } from '../apply/backup.ts';
import { KEPT_REASONS } from '../apply/restore.ts';
import { rollBack } from '../apply/rollback.ts';
import type { LocalContext } from '../context.ts';
import { approvalRequired, declined } from '../errors.ts';
import { withProjectLock } from '../lock.ts';
import { approved } from './arguments.ts';

const input = z
  .object({
    backup_id: described(z.string().max(64).optional(), 'Default: the latest that has not been rolled back.'),
    approved,
    force: z.boolean().default(false).meta({
      description: 'Also files that have changed since the apply; they are backed up first.',
    }),
  })
  .meta({ required: ['approved'] });
const output = z.object({
  backup_id: z.string(),
  rolled_back_at: z.string(),
  restored: z.array(z.string()),
  removed: z.array(z.string()),
  kept: z.array(z.object({ path: z.string(), reason: z.enum(KEPT_REASONS) })),
  safety_backup_id: z.string().nullable().meta({ description: 'Of the files that force has written over.' }),
});

export const rollback = tool<LocalContext, typeof input, typeof output>({
  name: 'rollback',
  title: 'Roll back',
  description:
    'Takes an apply back from its backup, also one of an earlier or interrupted process: every file gets its bytes back, images that were added go. What has changed since is kept as it is, unless force is true. Ask the person first.',
  input,
  output,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  async run({ backup_id: id, approved: flag, force }, context, call) {
    if (flag !== true) throw approvalRequired(flag);
    const backup = await findBackup(context.root, id);
    const { backup_id: chosen } = backup;
    if (call.ask && !(await call.ask(questionOf(backup, force)))) throw declined();
    const done = await withProjectLock(context.root, call.signal, async () => {
      return await rollBack(context.root, await findBackup(context.root, chosen), force);
    });
    const { restored, removed, kept, safetyBackupId } = done;
    const plan = context.planOfBackup(chosen);
    if (plan && kept.length === 0) plan.status = 'rolled_back';
    await context.log({
      tool: 'rollback',
      backup_id: chosen,
      restored: restored.length,
      removed: removed.length,
      kept: kept.length,
    });
    return {
      structured: {
        backup_id: chosen,
        rolled_back_at: new Date().toISOString(),
        restored,
        removed,
        kept,
        safety_backup_id: safetyBackupId,
      },
      text: `Restored ${restored.length} files, removed ${removed.length}, kept ${kept.length} as they are.`,
    };
  },
});

function questionOf({ backup_id: id, files, created }: Backup, force: boolean): string {
  const since = force ? ', also those that have changed since' : '';
  return `Take the backup ${id} back? ${files.length} files get the bytes that they had${since}${namesOf(files)}. ${created.length} files are removed${namesOf(created)}.`;
}

const MAX_NAMES = 10;

/** Lists the first names as JSON: a path may contain any character, even line ends. */
function namesOf(files: readonly { path: string }[]): string {
  if (files.length === 0) return '';
  const names = files.slice(0, MAX_NAMES).map(({ path }) => JSON.stringify(path));
  const rest = files.length - names.length;
  return `: ${names.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
