/**
 * Tests `imagecrew mcp`: the standard output contains only the protocol, and the process ends when the client leaves.
 */
import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import { withFolder, writeFiles } from '../support/folder.ts';
import { nightlyOnly } from '../support/nightly.ts';
import { packageFiles, photo, snapshot, zipped } from './desk.ts';
import { COMMAND, type LocalProcess, withLocalProcess } from './process.ts';

const PAGES = 12;

/** Runs `work` with a project that contains pages and a package. */
async function withSite<T>(work: (root: string) => Promise<T>): Promise<T> {
  return await withFolder(async (folder) => {
    const root = join(folder, 'project');
    await mkdir(root);
    const data = await photo(1);
    await writeFiles(root, {
      'a.jpg': data,
      'p.zip': zipped(await packageFiles([{ at: '/a.jpg', data }])),
      ...Object.fromEntries(Array.from({ length: PAGES }, (_, n) => [`page-${n}.html`, `<img src="/a.jpg"> ${n}`])),
    });
    return await work(root);
  });
}

function start(...args: string[]): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [...COMMAND, ...args]);
}

async function outcome(child: ChildProcessWithoutNullStreams): Promise<{ code: unknown; out: string; err: string }> {
  const [out, err, [code]] = await Promise.all([textOf(child.stdout), textOf(child.stderr), once(child, 'exit')]);
  return { code, out, err };
}

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return text;
}

const message = (id: number, method: string, params: object) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
const HELLO = message(1, 'initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
});

describe('imagecrew mcp', { timeout: 600_000 }, () => {
  it('responds line by line and continues after invalid input', async () => {
    await withSite(async (root) => {
      const child = start('--root', root);
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      const next = async () => JSON.parse((await lines.next()).value as string);
      child.stdin.write(HELLO);
      assert.equal((await next()).result.serverInfo.name, 'imagecrew-local');
      child.stdin.write('not JSON\n{"jsonrpc":"2.0"}\n');
      child.stdin.write(message(2, 'tools/list', {}));
      const { result, id } = await next();
      assert.equal(id, 2);
      assert.deepEqual(
        (result.tools as { name: string }[]).map(({ name }) => name),
        [
          'load_replacement_package',
          'find_references',
          'preview_replacements',
          'preview_markup_fixes',
          'apply_replacements',
          'validate_replacements',
          'replacement_report',
          'rollback',
        ],
      );
      const exited = once(child, 'exit');
      child.stdin.end();
      assert.deepEqual(await exited, [0, null]);
      // No tool was called, so nothing was written.
      assert.ok(!(await readdir(root)).includes('.ic'));
    });
  });

  it('serves clients of revision 2026-07-28, and keeps what they have loaded', async () => {
    await withSite(async (root) => {
      const work = async (local: LocalProcess) => {
        const loaded = await local.call('load_replacement_package', { path: 'p.zip' });
        const found = await local.call('find_references');
        assert.deepEqual([found.package_id, found.total], [loaded.package_id, PAGES]);
      };
      await withLocalProcess(root, work, { revision: '2026-07-28' });
    });
  });

  it('exits on a signal, with its work either done or not started', { skip: nightlyOnly }, async () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const)
      await withSite(async (root) => {
        const old = await snapshot(root);
        const child = start('--root', root);
        const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
        const call = async (id: number, name: string, args: object) => {
          child.stdin.write(message(id, 'tools/call', { name, arguments: args }));
          return JSON.parse((await lines.next()).value as string).result.structuredContent;
        };
        child.stdin.write(HELLO);
        await lines.next();
        await call(2, 'load_replacement_package', { path: 'p.zip' });
        const { plan_id } = await call(3, 'preview_replacements', {});
        child.stdin.write(
          message(4, 'tools/call', { name: 'apply_replacements', arguments: { plan_id, approved: true } }),
        );
        const exited = once(child, 'exit');
        child.kill(signal);
        assert.deepEqual(await exited, [0, null]);
        const now = await snapshot(root);
        const changed = Object.keys(now).filter((path) => now[path] !== old[path]).length;
        assert.ok(changed === 0 || changed === PAGES + 1, `${changed} changed`);
      });
  });

  it('refuses folders that are not a project', { skip: nightlyOnly }, async () => {
    for (const [root, sentence] of [
      ['/', /not \/ or a home folder/],
      [homedir(), /not \/ or a home folder/],
      ['/no/such/folder', /an existing folder/],
    ] as const) {
      const { code, out, err } = await outcome(start('--root', root));
      assert.deepEqual([code, out], [1, ''], root);
      assert.match(err, sentence);
    }
    const { code, out } = await outcome(start());
    assert.deepEqual([code, out], [2, '']);
  });

  it('lets only one of two processes change a file', { skip: nightlyOnly }, async () => {
    await withSite(async (root) => {
      await withLocalProcess(root, async (one) => {
        await withLocalProcess(root, async (other) => {
          const both = [one, other];
          const plans: unknown[] = [];
          for (const each of both) {
            await each.call('load_replacement_package', { path: 'p.zip' });
            plans.push((await each.call('preview_replacements')).plan_id);
          }
          const answers = await Promise.all(
            both.map((each, index) => each.send('apply_replacements', { plan_id: plans[index], approved: true })),
          );
          const codes = answers.map(
            ({ structuredContent }) => (structuredContent as { error?: { code: string } }).error?.code,
          );
          assert.deepEqual(codes.sort(), ['file_changed', undefined]);
          const now = await snapshot(root);
          assert.equal(Object.keys(now).filter((path) => path.endsWith('.webp')).length, 1);
        });
      });
    });
  });
});
