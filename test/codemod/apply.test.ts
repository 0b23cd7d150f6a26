import assert from 'node:assert/strict';
import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { ErrorCode } from '../../base/failure.ts';
import { lockFile } from '../../base/file-lock.ts';
import { applyPlan } from '../../codemod/apply/apply.ts';
import { type Backup, findBackup } from '../../codemod/apply/backup.ts';
import { restore } from '../../codemod/apply/restore.ts';
import { rollBack } from '../../codemod/apply/rollback.ts';
import { validatePlan } from '../../codemod/apply/validate.ts';
import { Staging } from '../../codemod/files.ts';
import { openPackage } from '../../codemod/package/load.ts';
import type { AddedImage, Plan } from '../../codemod/plan/plan.ts';
import { makePlan } from '../../codemod/plan/preview.ts';
import { ProjectRoot } from '../../codemod/project/root.ts';
import { ToolFailure } from '../../mcp/tool.ts';
import { failureOf } from '../support/failure.ts';
import { writeFiles } from '../support/folder.ts';
import { MCP_REVISIONS } from '../support/mcp-revisions.ts';
import { verifies } from '../support/verifies.ts';
import {
  type Files,
  type LocalServerClient,
  PACKAGE_ID,
  photo,
  type ScannedImage,
  type Structured,
  sha256,
  snapshot,
  withLoadedPackage,
  withServerOn,
} from './desk.ts';

const APPLY = 'apply_replacements';
const ROLLBACK = 'rollback';

/** Two pages with one image each. */
async function site(): Promise<{ files: Files; images: ScannedImage[] }> {
  const [one, two] = [await photo(1), await photo(2)];
  return {
    files: {
      'img/one.jpg': one,
      'img/two.jpg': two,
      'a.html': '\ufeff<p>\r\n<img src="/img/one.jpg">\r\n',
      'b/c.html': '<img src="../img/two.jpg">',
    },
    images: [
      { at: '/img/one.jpg', data: one },
      { at: '/img/two.jpg', data: two },
    ],
  };
}

type Options = Parameters<typeof withLoadedPackage>[3];

async function withSite<T>(
  work: (desk: LocalServerClient, before: Record<string, string>) => Promise<T>,
  options?: Options,
): Promise<T> {
  const { files, images } = await site();
  return await withLoadedPackage(
    files,
    images,
    async (desk) => {
      await chmod(join(desk.folder, 'a.html'), 0o750);
      return await work(desk, await snapshot(desk.folder));
    },
    options,
  );
}

const planOf = async (desk: LocalServerClient): Promise<Structured & { plan_id: string; approved: true }> => {
  const { plan_id } = await desk.call('preview_replacements');
  return { plan_id: String(plan_id), approved: true };
};

describe('apply_replacements', () => {
  it('makes the planned changes and no others', async () => {
    await withSite(async (desk, before) => {
      const plan = await planOf(desk);
      const { backup_id, applied_at, ...applied } = await desk.call(APPLY, plan);
      const a = '\ufeff<p>\r\n<img src="/img/one.webp">\r\n';
      assert.match(String(backup_id), /^bak_[0-9A-Z]{26}$/);
      assert.ok(Math.abs(Date.parse(String(applied_at)) - Date.now()) < 60_000);
      assert.deepEqual(applied, {
        contract_version: 1,
        plan_id: plan.plan_id,
        files_changed: [
          { path: 'a.html', sha256_before: before['a.html']!.split(' ')[0], sha256_after: sha256(a) },
          {
            path: 'b/c.html',
            sha256_before: before['b/c.html']!.split(' ')[0],
            sha256_after: sha256('<img src="../img/two.webp">'),
          },
        ],
        images_added: ['img/one.webp', 'img/two.webp'],
        images_removed: [],
        edits: 2,
        validation: { ok: true, problems: [] },
      });
      const after = await snapshot(desk.folder);
      assert.deepEqual(after['a.html'], `${sha256(a)} 750`);
      for (const path of ['img/one.jpg', 'img/two.jpg']) assert.equal(after[path], before[path]);
      assert.deepEqual(Object.keys(after).length, Object.keys(before).length + 2);
      assert.deepEqual(await readdir(join(desk.folder, '.ic/tmp')), []);
      // A plan cannot be applied twice.
      await desk.fails('plan_already_applied', APPLY, plan);
    });
  });

  it('keeps the current permissions of a file, not those at the preview', async () => {
    await withSite(async (desk) => {
      const plan = await planOf(desk);
      const file = join(desk.folder, 'a.html');
      await chmod(file, 0o600);
      const modeOf = async () => (await stat(file)).mode & 0o7777;
      await desk.call(APPLY, plan);
      assert.equal(await modeOf(), 0o600);
      await desk.call('rollback', { approved: true });
      assert.equal(await modeOf(), 0o600);
    });
  });

  it('does nothing without approved: true', async () => {
    verifies('mcp.local.approved');
    await withSite(async (desk, before) => {
      const { plan_id } = await planOf(desk);
      for (const approved of [undefined, false, 'true', 1, null, {}, [true]])
        await desk.fails('approval_required', APPLY, { plan_id, ...(approved === undefined ? {} : { approved }) });
      assert.deepEqual(await snapshot(desk.folder), before);
      await desk.call(APPLY, { plan_id, approved: true });
      const after = await snapshot(desk.folder);
      for (const approved of [undefined, false, 'true', 1])
        await desk.fails('approval_required', ROLLBACK, approved === undefined ? {} : { approved });
      assert.deepEqual(await snapshot(desk.folder), after);
    });
  });

  it('uses the answer of the user, if it can ask, instead of the flag', async () => {
    const asked: string[] = [];
    const answers = ['decline', 'cancel', 'accept'] as const;
    for (const [revision, answer] of MCP_REVISIONS.flatMap((each) => answers.map((answer) => [each, answer] as const)))
      await withSite(
        async (desk, before) => {
          const plan = await planOf(desk);
          if (answer === 'accept') {
            await desk.call(APPLY, plan);
            await desk.call(ROLLBACK, { approved: true });
          } else await desk.fails('approval_required', APPLY, plan);
          assert.deepEqual(await snapshot(desk.folder), before);
        },
        {
          revision,
          answer: (question) => {
            asked.push(question);
            return answer;
          },
        },
      );
    assert.equal(asked.length, 4 * MCP_REVISIONS.length);
    assert.match(asked[0]!, /2 references in 2 files are edited, 2 images added, 0 removed/);
  });

  it('accepts only plans that this process has shown', async () => {
    verifies('mcp.local.same-session');
    await withSite(async (desk, before) => {
      const plan = await planOf(desk);
      await withServerOn(desk.folder, async (other) => {
        await other.fails('plan_not_found', APPLY, plan);
        await other.fails('plan_not_found', 'validate_replacements', {});
        await other.fails('plan_not_found', 'replacement_report', {});
        await other.fails('package_not_found', 'preview_replacements', {});
        // A stored package can be named by its id.
        await other.call('preview_replacements', { package_id: PACKAGE_ID });
      });
      await desk.fails('plan_not_found', APPLY, { plan_id: 'plan_x', approved: true });
      await desk.fails('plan_not_found', 'validate_replacements', {});
      assert.deepEqual(await snapshot(desk.folder), before);
    });
  });

  it('writes nothing if a file has changed since the preview', async () => {
    const changes: [string, (folder: string) => Promise<void>, string[]][] = [
      ['edited', (folder) => writeFile(join(folder, 'b/c.html'), '<img src="../img/two.jpg">!'), ['b/c.html']],
      ['removed', (folder) => rm(join(folder, 'b/c.html')), ['b/c.html']],
      ['its folder removed', (folder) => rm(join(folder, 'b'), { recursive: true }), ['b/c.html']],
      ['a new name taken', (folder) => writeFile(join(folder, 'img/two.webp'), 'x'), ['img/two.webp']],
      [
        'two at once',
        async (folder) => {
          await writeFile(join(folder, 'a.html'), '');
          await rm(join(folder, 'b/c.html'));
        },
        ['a.html', 'b/c.html'],
      ],
    ];
    for (const [name, change, files] of changes)
      await withSite(async (desk) => {
        const plan = await planOf(desk);
        await change(desk.folder);
        const before = await snapshot(desk.folder);
        const error = await desk.fails('file_changed', APPLY, plan);
        assert.deepEqual(error.files, files, name);
        assert.deepEqual(await snapshot(desk.folder), before, name);
        assert.deepEqual(await readdir(join(desk.folder, '.ic/backups')).catch(() => []), [], name);
        assert.deepEqual(await readdir(join(desk.folder, '.ic/tmp')), [], name);
      });
  });

  it('does not write through a link created since the preview', async () => {
    const outside = (desk: LocalServerClient) => join(desk.folder, '..', 'outside');
    const changes: [string, (desk: LocalServerClient) => Promise<void>][] = [
      [
        'a file',
        async (desk) => {
          await rename(join(desk.folder, 'b/c.html'), join(outside(desk), 'c.html'));
          await symlink(join(outside(desk), 'c.html'), join(desk.folder, 'b/c.html'));
        },
      ],
      [
        'a folder',
        async (desk) => {
          await rename(join(desk.folder, 'b'), join(outside(desk), 'b'));
          await symlink(join(outside(desk), 'b'), join(desk.folder, 'b'));
        },
      ],
      [
        'the place of a new image',
        (desk) => symlink(join(outside(desk), 'new.webp'), join(desk.folder, 'img/two.webp')),
      ],
      [
        'the folder of the images',
        async (desk) => {
          await rename(join(desk.folder, 'img'), join(outside(desk), 'img'));
          await symlink(join(outside(desk), 'img'), join(desk.folder, 'img'));
        },
      ],
      ['the folder of the backups', async (desk) => await symlink(outside(desk), join(desk.folder, '.ic/backups'))],
    ];
    for (const [name, change] of changes)
      await withSite(async (desk) => {
        await mkdir(outside(desk));
        const plan = await planOf(desk);
        await change(desk);
        const before = [await snapshot(desk.folder), await snapshot(outside(desk))];
        await desk.fails('path_outside_root', APPLY, plan).catch((cause) => {
          throw new Error(name, { cause });
        });
        assert.deepEqual([await snapshot(desk.folder), await snapshot(outside(desk))], before, name);
      });
  });

  it('does not overwrite read-only files', async () => {
    await withSite(async (desk) => {
      const plan = await planOf(desk);
      await chmod(join(desk.folder, 'b/c.html'), 0o444);
      const before = await snapshot(desk.folder);
      const error = await desk.fails('write_failed', APPLY, plan);
      assert.equal(error.rolled_back, true);
      assert.match(String(error.message), /b\/c\.html/);
      assert.deepEqual(await snapshot(desk.folder), before);
    });
  });

  it('undoes everything when it fails halfway', async () => {
    await withSite(async (desk, before) => {
      const root = await ProjectRoot.open(desk.folder);
      const source = await openPackage(root, PACKAGE_ID);
      const { signal } = new AbortController();
      const options = { strategy: 'swap', include: [], exclude: [], keepOriginals: true } as const;
      const { plan } = await makePlan(root, source, options, { signal, progress: () => {} });
      const [one, two] = plan.added as [AddedImage, AddedImage];
      const failing: [ErrorCode, Plan][] = [
        // The first image is in place, so the second one finds its name taken.
        ['write_failed', { ...plan, added: [one, { ...two, path: one.path }] }],
        // All sources are written, so the file to remove is not as the preview saw it.
        ['file_changed', { ...plan, removed: plan.files }],
      ];
      for (const [code, broken] of failing) {
        const failure = await failureOf(code, () => applyPlan(root, broken, signal));
        if (failure instanceof ToolFailure && code === 'write_failed')
          assert.deepEqual(failure.facts, { rolled_back: true });
        assert.deepEqual(await snapshot(desk.folder), before);
        assert.deepEqual(await readdir(join(desk.folder, '.ic/tmp')), []);
        await desk.fails('backup_not_found', ROLLBACK, { approved: true });
      }
      await applyPlan(root, plan, signal);
      assert.notDeepEqual(await snapshot(desk.folder), before);
    });
  });

  it('keeps a backup that could not be fully restored', async () => {
    await withSite(async (desk) => {
      const root = await ProjectRoot.open(desk.folder);
      const source = await openPackage(root, PACKAGE_ID);
      const { signal } = new AbortController();
      const options = { strategy: 'swap', include: [], exclude: [], keepOriginals: true } as const;
      const { plan } = await makePlan(root, source, options, { signal, progress: () => {} });
      const backups = join(desk.folder, '.ic/backups');
      const broken: Plan = {
        ...plan,
        // The file to remove has changed, so the apply fails. By then the backup copies are damaged.
        get removed() {
          const [id] = existsSync(backups) ? readdirSync(backups) : [];
          if (id) writeFileSync(join(backups, id, 'files/1'), 'x');
          return plan.files;
        },
      };
      const failure = await failureOf('write_failed', () => applyPlan(root, broken, signal));
      assert.deepEqual(failure instanceof ToolFailure && failure.facts, { rolled_back: false });
      const { kept } = await desk.call(ROLLBACK, { approved: true });
      assert.deepEqual((kept as { reason: string }[])[0]?.reason, 'backup_damaged');
    });
  });

  it('declares its required arguments', async () => {
    await withSite(async (desk) => {
      const schemas = await desk.schemas();
      assert.deepEqual(schemas.get(APPLY)?.required, ['plan_id', 'approved']);
      assert.deepEqual(schemas.get(ROLLBACK)?.required, ['approved']);
      assert.match(JSON.stringify(schemas.get(APPLY)?.properties), /"approved":\{[^}]*"const":true/);
    });
  });

  it('refuses a package that has changed since it was loaded', async () => {
    await withSite(async (desk, before) => {
      const plan = await planOf(desk);
      const file = join(desk.folder, '.ic/packages', PACKAGE_ID, 'files/img/two.webp');
      await writeFile(file, Buffer.concat([await readFile(file), Buffer.from('x')]));
      await desk.fails('package_hash_mismatch', APPLY, plan);
      assert.deepEqual(await snapshot(desk.folder), before);
    });
  });

  it('runs only once at a time', async () => {
    await withSite(async (desk) => {
      const plan = await planOf(desk);
      const second = await planOf(desk);
      const release = lockFile(join(desk.folder, '.ic/lock'));
      assert.ok(release);
      const applying = Promise.allSettled([desk.call(APPLY, plan), desk.call(APPLY, plan)]);
      release();
      const outcomes = await applying;
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
      const [refused] = outcomes.filter((outcome) => outcome.status === 'rejected');
      assert.match(String(refused?.reason), /plan_already_applied/);
      // The second plan is for the same files and finds them changed.
      await desk.fails('file_changed', APPLY, second);
    });
  });

  it('writes a log without any source text', async () => {
    await withSite(async (desk) => {
      await desk.call(APPLY, await planOf(desk));
      await desk.call(ROLLBACK, { approved: true });
      const lines = (await desk.text('.ic/log.jsonl')).trimEnd().split('\n');
      assert.deepEqual(
        lines.map((line) => (JSON.parse(line) as { tool: string }).tool),
        ['load_replacement_package', 'preview_replacements', APPLY, ROLLBACK],
      );
      assert.ok(!lines.join().includes('<img'));
    });
  });
});

describe('the folder of the local server', () => {
  it('is cleaned of files left by killed processes, after a day', async () => {
    await withSite(async (desk) => {
      const [old, fresh] = ['file_old', 'file_fresh'].map((name) => join(desk.folder, '.ic/tmp', name)) as [
        string,
        string,
      ];
      for (const folder of [old, fresh]) await writeFiles(folder, { '1': 'x' });
      const yesterday = Date.now() / 1000 - 25 * 3600;
      await utimes(old, yesterday, yesterday);
      await desk.call(APPLY, await planOf(desk));
      assert.deepEqual(await readdir(join(desk.folder, '.ic/tmp')), ['file_fresh']);
    });
  });

  it('has no log if a link has its name, and works anyway', async () => {
    await withSite(async (desk, before) => {
      const outside = join(desk.folder, '..', 'log');
      await rm(join(desk.folder, '.ic/log.jsonl'));
      await symlink(outside, join(desk.folder, '.ic/log.jsonl'));
      await desk.call(APPLY, await planOf(desk));
      await desk.call(ROLLBACK, { approved: true });
      assert.deepEqual(await snapshot(desk.folder), before);
      await assert.rejects(readFile(outside), { code: 'ENOENT' });
    });
  });
});

/** Returns a backup that calls `work` when `member` is read after the safety backup has been made. */
function runAfterSafetyBackup<K extends 'files' | 'created'>(
  backup: Backup,
  member: K,
  value: Backup[K],
  folder: string,
  work: () => void,
): Backup {
  let isDone = false;
  return Object.defineProperty({ ...backup }, member, {
    enumerable: true,
    get() {
      if (!isDone && readdirSync(join(folder, '.ic/backups')).length > 1) {
        isDone = true;
        work();
      }
      return value;
    },
  });
}

describe('rollback', () => {
  it('restores every byte, also in another process', async () => {
    verifies('mcp.local.backup');
    await withSite(async (desk, before) => {
      const { backup_id } = await desk.call(APPLY, await planOf(desk));
      await withServerOn(desk.folder, async (other) => {
        const { rolled_back_at, ...done } = await other.call(ROLLBACK, { approved: true });
        assert.ok(Date.parse(String(rolled_back_at)) > 0);
        assert.deepEqual(done, {
          contract_version: 1,
          backup_id,
          restored: ['a.html', 'b/c.html'],
          removed: ['img/one.webp', 'img/two.webp'],
          kept: [],
          safety_backup_id: null,
        });
        assert.deepEqual(await snapshot(desk.folder), before);
        await other.fails('backup_not_found', ROLLBACK, { approved: true });
        await other.fails('backup_not_found', ROLLBACK, { approved: true, backup_id });
        await other.fails('backup_not_found', ROLLBACK, { approved: true, backup_id: '../../etc' });
      });
    });
  });

  it('keeps files changed since, unless forced, and then keeps a copy', async () => {
    await withSite(async (desk, before) => {
      const { backup_id } = await desk.call(APPLY, await planOf(desk));
      await writeFile(join(desk.folder, 'a.html'), 'mine');
      await writeFile(join(desk.folder, 'img/one.webp'), 'mine too');
      await rm(join(desk.folder, 'b'), { recursive: true });
      const gentle = await desk.call(ROLLBACK, { approved: true });
      assert.deepEqual([gentle.restored, gentle.removed], [[], ['img/two.webp']]);
      assert.deepEqual(
        gentle.kept,
        ['a.html', 'b/c.html', 'img/one.webp'].map((path) => ({ path, reason: 'changed_since_apply' })),
      );
      assert.equal(await desk.text('a.html'), 'mine');
      const mine = await snapshot(desk.folder);
      const forced = await desk.call(ROLLBACK, { approved: true, force: true });
      assert.equal(forced.backup_id, backup_id);
      assert.deepEqual(forced.kept, []);
      assert.deepEqual(await snapshot(desk.folder), before);
      // The safety backup restores what the forced rollback has overwritten.
      await desk.call(ROLLBACK, { approved: true, backup_id: forced.safety_backup_id });
      assert.deepEqual(await snapshot(desk.folder), mine);
    });
  });

  it('skips a file that cannot be written, reports it, and continues with the others', async () => {
    await withSite(async (desk, before) => {
      await desk.call(APPLY, await planOf(desk));
      await writeFile(join(desk.folder, 'a.html'), 'mine');
      await rm(join(desk.folder, 'b'), { recursive: true });
      await writeFile(join(desk.folder, 'b'), 'no folder');
      const mine = await snapshot(desk.folder);
      const { kept, restored, removed, safety_backup_id } = await desk.call(ROLLBACK, { approved: true, force: true });
      assert.deepEqual([kept, restored], [[{ path: 'b/c.html', reason: 'write_failed' }], ['a.html']]);
      assert.deepEqual(removed, ['img/one.webp', 'img/two.webp']);
      await desk.call(ROLLBACK, { approved: true, backup_id: safety_backup_id });
      assert.equal(await desk.text('a.html'), 'mine');
      // Once the folder can be created again, the rest can be restored.
      await rm(join(desk.folder, 'b'));
      await desk.call(ROLLBACK, { approved: true, force: true });
      assert.deepEqual(await snapshot(desk.folder), before);
      assert.notDeepEqual(mine, before);
    });
  });

  it('names the copies of overwritten files when it fails', async () => {
    await withSite(async (desk) => {
      const { backup_id } = await desk.call(APPLY, await planOf(desk));
      await writeFile(join(desk.folder, 'a.html'), 'mine');
      const root = await ProjectRoot.open(desk.folder);
      const backup = await findBackup(root, String(backup_id));
      const backups = join(desk.folder, '.ic/backups');
      const { created } = backup;
      // The files are restored, but the backup cannot be marked as rolled back.
      const broken = runAfterSafetyBackup(backup, 'created', created, desk.folder, () =>
        renameSync(join(backups, String(backup_id)), join(desk.folder, '.ic/gone')),
      );
      const failure = await failureOf('write_failed', () => rollBack(root, broken, true));
      assert.ok(failure instanceof ToolFailure);
      const [safety] = await readdir(backups);
      assert.deepEqual(failure.facts, { rolled_back: false, safety_backup_id: safety });
      assert.equal(await readFile(join(backups, String(safety), 'files/1'), 'utf8'), 'mine');
    });
  });

  it('overwrites nothing that has no copy, even when forced', async () => {
    await withSite(async (desk) => {
      const { backup_id } = await desk.call(APPLY, await planOf(desk));
      const files = ['a.html', 'b/c.html', 'img/one.webp', 'img/two.webp'];
      for (const path of files) await writeFile(join(desk.folder, path), 'mine');
      const root = await ProjectRoot.open(desk.folder);
      const backup = await findBackup(root, String(backup_id));
      const edited = runAfterSafetyBackup(backup, 'files', backup.files, desk.folder, () => {
        for (const path of ['b/c.html', 'img/two.webp']) writeFileSync(join(desk.folder, path), 'newer');
      });
      const { kept, restored, removed } = await rollBack(root, edited, true);
      assert.deepEqual([restored, removed], [['a.html'], ['img/one.webp']]);
      assert.deepEqual(
        kept,
        ['b/c.html', 'img/two.webp'].map((path) => ({ path, reason: 'changed_since_apply' })),
      );
      for (const path of ['b/c.html', 'img/two.webp']) assert.equal(await desk.text(path), 'newer');
    });
  });

  it('checks a file again just before it restores the old one', async () => {
    await withSite(async (desk) => {
      const { backup_id } = await desk.call(APPLY, await planOf(desk));
      const root = await ProjectRoot.open(desk.folder);
      const backup = await findBackup(root, String(backup_id));
      const { kept } = await Staging.use(root, async (staging) => {
        const write = staging.write.bind(staging);
        staging.write = async (...args) => {
          const written = await write(...args);
          await writeFile(join(desk.folder, 'a.html'), 'newer');
          return written;
        };
        return await restore(root, staging, backup);
      });
      assert.deepEqual(kept, [{ path: 'a.html', reason: 'changed_since_apply' }]);
      assert.equal(await desk.text('a.html'), 'newer');
    });
  });

  it('removes no image that a kept file refers to', async () => {
    await withSite(async (desk, before) => {
      await desk.call(APPLY, await planOf(desk));
      await writeFile(join(desk.folder, 'a.html'), 'mine <img src="/img/one.webp">');
      const { kept, removed } = await desk.call(ROLLBACK, { approved: true });
      assert.deepEqual(removed, ['img/two.webp']);
      assert.deepEqual(kept, [
        { path: 'a.html', reason: 'changed_since_apply' },
        { path: 'img/one.webp', reason: 'still_referenced' },
      ]);
      await desk.call(ROLLBACK, { approved: true, force: true });
      assert.deepEqual(await snapshot(desk.folder), before);
    });
  });

  it('removes no image that a later apply refers to', async () => {
    await withSite(async (desk, before) => {
      const first = await desk.call(APPLY, await planOf(desk));
      await writeFile(join(desk.folder, 'later.html'), '<img src="/img/one.jpg">');
      const second = await desk.call(APPLY, await planOf(desk));
      assert.deepEqual(second.images_added, []);
      const early = await desk.call(ROLLBACK, { approved: true, backup_id: first.backup_id });
      assert.deepEqual(early.kept, [{ path: 'img/one.webp', reason: 'still_referenced' }]);
      await desk.call(ROLLBACK, { approved: true, backup_id: second.backup_id });
      await desk.call(ROLLBACK, { approved: true, backup_id: first.backup_id });
      await rm(join(desk.folder, 'later.html'));
      assert.deepEqual(await snapshot(desk.folder), before);
    });
  });

  it('skips paths that are no longer regular files', async () => {
    await withSite(async (desk) => {
      await desk.call(APPLY, await planOf(desk));
      await rm(join(desk.folder, 'a.html'));
      await mkdir(join(desk.folder, 'a.html'));
      await rm(join(desk.folder, 'b/c.html'));
      const outside = join(desk.folder, '..', 'outside.html');
      await writeFile(outside, 'x');
      await symlink(outside, join(desk.folder, 'b/c.html'));
      const { kept } = await desk.call(ROLLBACK, { approved: true, force: true });
      assert.deepEqual(
        (kept as { path: string }[]).map(({ path }) => path),
        ['a.html', 'b/c.html'],
      );
      assert.equal(await readFile(outside, 'utf8'), 'x');
    });
  });

  it('restores nothing from a damaged backup', async () => {
    await withSite(async (desk) => {
      const { backup_id } = await desk.call(APPLY, await planOf(desk));
      const after = await snapshot(desk.folder);
      await writeFile(join(desk.folder, '.ic/backups', String(backup_id), 'files/1'), 'x');
      const { kept } = await desk.call(ROLLBACK, { approved: true });
      assert.deepEqual(kept, [
        { path: 'a.html', reason: 'backup_damaged' },
        { path: 'img/one.webp', reason: 'still_referenced' },
      ]);
      assert.equal((await snapshot(desk.folder))['a.html'], after['a.html']);
    });
  });
});

describe('validate_replacements and replacement_report', () => {
  it('pass after an apply', async () => {
    await withSite(async (desk) => {
      const plan = await planOf(desk);
      const report = await desk.call('replacement_report');
      assert.deepEqual([report.plan_id, report.status, report.backup_id], [plan.plan_id, 'previewed', null]);
      const { backup_id } = await desk.call(APPLY, plan);
      const validation = await desk.call('validate_replacements');
      assert.deepEqual(
        (validation.checks as { name: string; ok: boolean }[]).map(({ name, ok }) => [name, ok]),
        ['files_present', 'references_resolve', 'no_old_references', 'syntax', 'unchanged_since_apply', 'rendered'].map(
          (name) => [name, true],
        ),
      );
      const applied = await desk.call('replacement_report', { plan_id: plan.plan_id });
      assert.deepEqual([applied.status, applied.backup_id], ['applied', backup_id]);
      assert.deepEqual(applied.by_file, [
        { path: 'a.html', edits: 1 },
        { path: 'b/c.html', edits: 1 },
      ]);
      assert.equal(Number(applied.bytes_before) - Number(applied.bytes_after), applied.bytes_saved);
      assert.match(String(applied.markdown), /\| `a\.html` \| 1 \|/);
      await desk.call(ROLLBACK, { approved: true });
      assert.equal((await desk.call('replacement_report')).status, 'rolled_back');
      await desk.fails('plan_not_found', APPLY, plan);
    });
  });

  it('find a URL that does not lead to its image', async () => {
    await withSite(async (desk) => {
      const root = await ProjectRoot.open(desk.folder);
      const source = await openPackage(root, PACKAGE_ID);
      const call = { signal: new AbortController().signal, progress: () => {} };
      const options = { strategy: 'swap', include: [], exclude: [], keepOriginals: true } as const;
      const { plan } = await makePlan(root, source, options, call);
      const [edit] = plan.files[0]!.edits;
      edit!.after = '/elsewhere/one.webp';
      plan.backupId = (await applyPlan(root, plan, call.signal)).backup.backup_id;
      const { problems } = await validatePlan(root, plan, source, call);
      assert.deepEqual(
        problems.map(({ file, line, code }) => [file, line, code]),
        [['a.html', 2, 'reference_broken']],
      );
    });
  });

  it('find what was broken since', async () => {
    const { files, images } = await site();
    files['data.json'] = '{"image": "/img/one.jpg"}';
    await withLoadedPackage(files, images, async (desk) => {
      await desk.call(APPLY, await planOf(desk));
      await rm(join(desk.folder, 'img/two.webp'));
      await writeFile(join(desk.folder, 'img/one.webp'), 'x');
      await writeFile(join(desk.folder, 'a.html'), '<div><img src="/img/one.jpg">');
      await writeFile(join(desk.folder, 'data.json'), '{"image": "/img/one.webp"');
      const { ok, checks, problems } = await desk.call('validate_replacements');
      assert.equal(ok, false);
      assert.deepEqual(
        (checks as { ok: boolean }[]).map((check) => check.ok),
        // There is no Chromium, so nothing is rendered.
        [false, false, false, false, false, true],
      );
      assert.deepEqual(
        (problems as { file: string; code: string }[]).map(({ file, code }) => `${file} ${code}`),
        [
          'img/one.webp file_differs',
          'img/two.webp file_missing',
          'b/c.html reference_broken',
          'a.html old_reference',
          'a.html syntax_broken',
          'data.json syntax_broken',
          'a.html changed_since_apply',
          'data.json changed_since_apply',
        ],
      );
    });
  });
});
