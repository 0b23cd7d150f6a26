/** The service behind nginx and Caddy with the given configurations: large uploads, event streams, hidden metrics. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { withFolder } from '../support/folder.ts';
import { withServer } from '../support/http-server.ts';
import { withServed } from '../support/serve-process.ts';
import { eventsOf } from '../support/server-sent-events.ts';
import { flat, png, sharpOf } from '../support/test-images.ts';
import { findProgram, skipWithout } from '../support/tool.ts';

/** Encodes an uncompressed image, so that 30 MB are transferred. */
const largeImage = () =>
  sharpOf(flat(4000, 2500, 10, 200, 30))
    .tiff({ compression: 'none' })
    .toBuffer();

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** @param backend host and port of the service, such as `127.0.0.1:8080` */
type StartProxy = (folder: string, port: number, backend: string) => Promise<ChildProcess>;

const startNginx: StartProxy = async (folder, port, backend) => {
  const site = readFileSync('deploy/nginx.conf', 'utf8')
    .replace('listen 443 ssl http2;', `listen 127.0.0.1:${port};`)
    .replace('listen [::]:443 ssl http2;', '')
    .replace(/^\s*ssl_certificate.*$/gm, '')
    .replace('127.0.0.1:8080', backend);
  assert.ok(site.includes(`:${port}`) && site.includes(backend));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, 'temp', name)};`,
  );
  await mkdir(join(folder, 'temp'));
  const config = join(folder, 'nginx.conf');
  const http = `http { access_log off; ${temporary.join(' ')}\n${site}\n}`;
  await writeFile(config, `daemon off; pid ${folder}/pid; error_log ${folder}/error.log warn; events {}\n${http}`);
  return spawn(findProgram('nginx')!, ['-c', config, '-p', folder], { stdio: 'inherit' });
};

const startCaddy: StartProxy = async (folder, port, backend) => {
  const site = readFileSync('deploy/Caddyfile', 'utf8')
    .replace('images.example.com {', `http://127.0.0.1:${port} {`)
    .replace('127.0.0.1:8080', backend);
  const config = join(folder, 'Caddyfile');
  await writeFile(config, `{\n\tadmin off\n}\n${site}`);
  const env = { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
  return spawn(findProgram('caddy')!, ['run', '--adapter', 'caddyfile', '--config', config], { stdio: 'ignore', env });
};

async function answers(address: string, proxy: ChildProcess): Promise<void> {
  while (proxy.exitCode === null) {
    const answer = await fetch(`${address}/healthz`).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail('The proxy has ended.');
}

/** Runs `work` with the address of a proxy in front of a service, and with the first key of the service. */
function behind(
  start: StartProxy,
  work: (address: string, key: string, folder: string) => Promise<void>,
): Promise<void> {
  return withFolder((folder) =>
    withServed(
      join(folder, 'data'),
      async ({ address: backend, key }) => {
        const port = await freePort();
        const proxy = await start(folder, port, new URL(backend).host);
        const ended = once(proxy, 'exit');
        try {
          const address = `http://127.0.0.1:${port}`;
          await answers(address, proxy);
          await work(address, key, folder);
        } finally {
          proxy.kill('SIGTERM');
          await ended;
        }
      },
      { IC_ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8' },
    ),
  );
}

for (const [name, start] of [
  ['nginx', startNginx],
  ['caddy', startCaddy],
] as const) {
  describe(`behind ${name}`, { skip: skipWithout(name) }, () => {
    it('takes large uploads, returns its own errors, sends events at once, and keeps the metrics private', () =>
      behind(start, async (address, key, folder) => {
        const headers = { Authorization: `Bearer ${key}` };
        const body = new Uint8Array(await largeImage());
        assert.ok(body.length > 30_000_000);
        const inspected = await fetch(`${address}/api/v1/inspect`, { method: 'POST', headers, body });
        assert.equal(inspected.status, 200, await inspected.clone().text());
        // nginx logs a warning when it buffers a body or response on its disk.
        if (name === 'nginx') assert.equal(await readFile(join(folder, 'error.log'), 'utf8'), '');

        const refused = await fetch(`${address}/api/v1/inspect`, {
          method: 'POST',
          headers,
          body: new Uint8Array(randomBytes(2_000_000)),
        });
        assert.equal(refused.status, 415);
        assert.equal(((await refused.json()) as { error: { code: string } }).error.code, 'unsupported_format');

        assert.equal((await fetch(`${address}/metrics`)).status, 404);
        await followsJob(address, headers);
      }));
  });
}

/** Checks that the first event of a job arrives while its source image is not yet served. */
async function followsJob(address: string, headers: Record<string, string>): Promise<void> {
  const image = await png(flat(16, 16, 1, 2, 3));
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await withServer(
    (_, res) => void held.then(() => res.writeHead(200, { 'Content-Type': 'image/png' }).end(image)),
    async ({ origin }) => {
      const made = await fetch(`${address}/api/v1/jobs`, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: JSON.stringify({ inputs: [{ url: `${origin}/one.png` }], preset: 'web' }),
      });
      assert.equal(made.status, 202, await made.clone().text());
      const { id } = (await made.json()) as { id: string };
      const events: string[] = [];
      for await (const { name } of eventsOf(await fetch(`${address}/api/v1/jobs/${id}/events`, { headers }))) {
        if (events.length === 0) release();
        events.push(name);
      }
      assert.ok(events.length > 1, events.join());
    },
  );
}
