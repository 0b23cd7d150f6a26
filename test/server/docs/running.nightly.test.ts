/** Runs the code of the guides as a service shows it. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SECTIONS } from '../../../server/docs/contents.ts';
import { repositoryFile } from '../../support/repository.ts';
import { skipWithout } from '../../support/tool.ts';
import { type ServedDocs, withServedDocs } from './served-docs.ts';
import { blocksOf, LANGUAGES, runShown } from './shown-code.ts';

const pages = SECTIONS.flatMap(({ pages }) => pages);

describe('the code of the guides', () => {
  it('runs', (test) =>
    withServedDocs(async (served) => {
      await cp(repositoryFile('docs/examples/sources/'), served.folder, { recursive: true });
      let count = 0;
      for (const page of pages) {
        const markdown = await (await fetch(`${served.address}/docs/${page}.md`)).text();
        for (const one of LANGUAGES) {
          const { language, skip } = one;
          const blocks = blocksOf(markdown, language, 'run');
          if (blocks.length === 0) continue;
          count += blocks.length;
          await test.test(`${page}, ${language}`, { skip }, async () => {
            // The shell blocks of a page continue each other, so they run as one script.
            const codes = language === 'sh' ? [blocks.join('\n')] : blocks;
            for (const code of codes) await runShown(served, one, code);
          });
        }
      }
      assert.ok(count > 15, `${count}`);
      assert.ok((await stat(join(served.folder, 'photo.webp'))).size < 100_000);
    }));

  it('receives each webhook once, and rejects forged ones', (test) =>
    withServedDocs(
      async (served) => {
        const page = await (await fetch(`${served.address}/docs/webhooks.md`)).text();
        for (const [language, command, skip] of [
          ['js', process.execPath, false],
          ['python', 'python3', skipWithout('python3')],
        ] as const)
          await test.test(language, { skip }, async () => {
            const [code] = blocksOf(page, language, 'receiver');
            const file = join(served.folder, language === 'js' ? 'receiver.mjs' : 'receiver.py');
            await writeFile(file, code!);
            await receive(served, command, file);
          });
      },
      { IC_ALLOW_HTTP_WEBHOOKS: 'true', IC_ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8' },
    ));
});

async function receive({ address, key }: ServedDocs, command: string, file: string): Promise<void> {
  const headers = { Authorization: `Bearer ${key}` };
  const { secret } = await (await fetch(`${address}/api/v1/webhook-secret`, { headers })).json();
  const port = await freePort();
  const receiver = spawn(command, [file], {
    env: { PATH: process.env.PATH, PORT: `${port}`, WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const url = `http://127.0.0.1:${port}/hook`;
    const forged = await untilAnswered(url, receiver);
    assert.equal(forged.status, 401);
    const form = new FormData();
    form.set('image', new File([DOT], 'dot.svg'));
    form.set('pipeline', '{"steps": [{"op": "convert", "params": {"format": "png"}}]}');
    form.set('webhook_url', url);
    const job = await (await fetch(`${address}/api/v1/jobs`, { method: 'POST', headers, body: form })).json();
    const [line] = await once(receiver.stdout, 'data');
    assert.equal(`${line}`.trim(), `job.finished ${job.id} done`);
    // A webhook that is delivered again is accepted but ignored.
    let more = '';
    receiver.stdout.on('data', (text) => {
      more += text;
    });
    await fetch(`${address}/api/v1/jobs/${job.id}/redeliver`, { method: 'POST', headers });
    await untilDelivered(`${address}/api/v1/jobs/${job.id}/deliveries`, headers, 2);
    assert.equal(more, '');
  } finally {
    receiver.kill('SIGKILL');
  }
}

const DOT = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><circle r="4"/></svg>';

async function untilDelivered(url: string, headers: Record<string, string>, count: number): Promise<void> {
  for (;;) {
    const { deliveries } = await (await fetch(url, { headers })).json();
    if (deliveries.length >= count) {
      for (const { status } of deliveries) assert.equal(status, 204);
      return;
    }
    await sleep(50);
  }
}

/** Sends forged webhooks until one is answered, because a receiver prints nothing when it starts. */
async function untilAnswered(url: string, receiver: ChildProcess): Promise<Response> {
  const forged = {
    method: 'POST',
    body: '{}',
    headers: {
      'webhook-id': 'msg_1',
      'webhook-timestamp': `${Math.floor(Date.now() / 1000)}`,
      'webhook-signature': 'v1,AAAA',
    },
  };
  for (;;) {
    assert.equal(receiver.exitCode, null);
    const answer = await fetch(url, forged).catch(() => undefined);
    if (answer) return answer;
    await sleep(50);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}
