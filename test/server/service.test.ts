import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import sharp from 'sharp';
import { createFirstAccount } from '../../server/account/first-start.ts';
import { loadConfig } from '../../server/config.ts';
import { createLog } from '../../server/log.ts';
import { type Service, startService } from '../../server/service.ts';
import { openDatabase } from '../../storage/sqlite/database.ts';
import { failureOf } from '../support/failure.ts';
import { withFolder } from '../support/folder.ts';
import { withServer } from '../support/http-server.ts';
import { verifies } from '../support/verifies.ts';
import { waitUntil } from '../support/wait-until.ts';

const silent = createLog('silent');

/** Encodes an image with detail, so that a lower quality makes a smaller file. */
async function photo(width = 320, height = 240): Promise<Uint8Array<ArrayBuffer>> {
  const data = Buffer.alloc(width * height * 3);
  for (let at = 0; at < data.length; at += 3) {
    const [x, y] = [(at / 3) % width, Math.floor(at / 3 / width)];
    data[at] = (x * 255) / width;
    data[at + 1] = 128 + 100 * Math.sin(x / 7) * Math.cos(y / 5);
    data[at + 2] = (x * y) % 256;
  }
  return new Uint8Array(
    await sharp(data, { raw: { width, height, channels: 3 } })
      .jpeg({ quality: 95 })
      .toBuffer(),
  );
}

/** Creates the first account, as the command `serve` does, and returns its key as a header. */
async function firstAuthorization(path: string): Promise<string> {
  const database = await openDatabase(path);
  const first = await createFirstAccount(database).finally(() => database.close());
  return `Bearer ${first?.key}`;
}

describe('the whole service', () => {
  let folder: string;
  let done: () => void;
  let removed: Promise<void>;
  let service: Service;
  let authorization: string;

  before(async () => {
    await new Promise<void>((started, failed) => {
      removed = withFolder(async (path) => {
        folder = path;
        const finished = new Promise<void>((resolve) => {
          done = resolve;
        });
        authorization = await firstAuthorization(path);
        service = await startService(loadConfig({ IC_DATA_DIR: path, IC_PORT: '0', IC_WORKERS: '1' }), silent);
        started();
        await finished;
      });
      removed.catch(failed);
    });
  });

  after(async () => {
    await service.close();
    done();
    await removed;
  });

  const compress = (query: string, body: BodyInit, headers: Record<string, string> = {}) =>
    fetch(`${service.address}/api/v1/compress${query}`, {
      method: 'POST',
      body,
      headers: { authorization, ...headers },
    });

  it('is ready', async () => {
    assert.equal((await fetch(`${service.address}/readyz`)).status, 200);
  });

  it('makes an image smaller', async () => {
    verifies('compress.endpoint', 'service.one-image-per-request');
    const source = await photo();
    const answer = await compress('?format=webp&width=160&quality=60&filename=beach.jpg', source);
    assert.equal(answer.status, 200);
    const bytes = Buffer.from(await answer.arrayBuffer());
    const { format, width, height } = await sharp(bytes).metadata();
    assert.deepEqual([format, width, height], ['webp', 160, 120]);
    const header = (name: string) => answer.headers.get(name);
    assert.equal(header('content-type'), 'image/webp');
    assert.deepEqual([header('x-ic-width'), header('x-ic-height'), header('x-ic-format')], ['160', '120', 'webp']);
    assert.equal(header('x-ic-original-bytes'), String(source.byteLength));
    assert.equal(header('x-ic-bytes'), String(bytes.length));
    assert.equal(header('x-ic-outcome'), 'reduced');
    assert.match(header('content-disposition') ?? '', /filename="beach\.webp"/);
  });

  it('draws a logo that was sent in a form', async () => {
    verifies('compress.watermark-image', 'input.multipart');
    const logo = await sharp({ create: { width: 50, height: 50, channels: 3, background: '#ff0000' } })
      .png()
      .toBuffer();
    const plain = await sharp({ create: { width: 100, height: 100, channels: 3, background: '#ffffff' } })
      .png()
      .toBuffer();
    const form = new FormData();
    form.append('image', new Blob([new Uint8Array(plain)]), 'plain.png');
    form.append('watermark_image', new Blob([new Uint8Array(logo)]), 'logo.png');
    form.append('watermark_opacity', '100');
    form.append('watermark_position', 'c');
    const answer = await compress('', form);
    assert.equal(answer.status, 200);
    const { data } = await sharp(Buffer.from(await answer.arrayBuffer()))
      .removeAlpha()
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true });
    const [red = 0, green = 0] = data.subarray((50 * 100 + 50) * 3);
    assert.ok(red > 200 && green < 60, `${red}, ${green}`);
  });

  it('stores a result for an hour and returns it', async () => {
    verifies('output.json', 'files.download');
    const answer = await compress('?output=json&format=png', await photo(40, 30));
    const stored = (await answer.json()) as { url: string; sha256: string; width: number };
    assert.equal(stored.width, 40);
    assert.ok(stored.url.startsWith(`${service.address}/api/v1/files/file_`));
    const file = Buffer.from(await (await fetch(stored.url, { headers: { authorization } })).arrayBuffer());
    assert.equal(createHash('sha256').update(file).digest('hex'), stored.sha256);
    assert.equal((await sharp(file).metadata()).format, 'png');
  });

  it('never writes an upload to disk', async () => {
    verifies('service.uploads-never-stored');
    const before = await readdir(join(folder, 'files'));
    assert.equal((await compress('', await photo())).status, 200);
    assert.deepEqual(await readdir(join(folder, 'files')), before);
  });

  const refusals: [string, string, BodyInit, number, string][] = [
    ['a text', '', 'This is not an image.', 415, 'unsupported_format'],
    ['one byte', '', 'x', 415, 'unsupported_format'],
    ['a format without lossless', '?format=gif&mode=lossless', '', 422, 'unsupported_output'],
  ];
  for (const [what, query, body, status, code] of refusals) {
    it(`rejects ${what}`, async () => {
      const answer = await compress(query, body || (await photo(20, 20)));
      const { error } = (await answer.json()) as { error: { code: string } };
      assert.deepEqual([answer.status, error.code], [status, code]);
    });
  }

  it('rejects a truncated image and continues', async () => {
    const cut = (await photo()).slice(0, 30);
    assert.equal((await compress('', cut)).status, 422);
    assert.equal((await compress('', await photo(20, 20))).status, 200);
  });

  it('includes the engine in the metrics', async () => {
    const text = await (await fetch(`${service.address}/metrics`)).text();
    assert.match(text, /^ic_tasks_total\{task="compress",outcome="done"\} [1-9]/m);
    assert.match(text, /^ic_workers 1$/m);
    assert.match(text, /^ic_memory_bytes\{kind="wasm"\} [1-9]/m);
  });
});

describe('starting and stopping', () => {
  it('finishes a running request, then releases everything, and keeps accounts and results', async () => {
    await withFolder(async (path) => {
      const config = loadConfig({ IC_DATA_DIR: path, IC_PORT: '0', IC_WORKERS: '1' });
      const headers = { authorization: await firstAuthorization(path) };
      const service = await startService(config, silent);
      const compress = (query: string, body: Uint8Array<ArrayBuffer>) =>
        fetch(`${service.address}/api/v1/compress?${query}`, { method: 'POST', body, headers });
      const { id } = (await (await compress('output=json', await photo(20, 20))).json()) as { id: string };
      const metrics = async () => await (await fetch(`${service.address}/metrics`)).text();
      const running = compress('format=webp&mode=smart', await photo(400, 300));
      await waitUntil(async () => /^ic_workers_busy 1$/m.test(await metrics()));
      await Promise.all([service.close(), service.close()]);
      assert.equal((await running).status, 200);
      await assert.rejects(fetch(`${service.address}/healthz`));
      const next = await startService(config, silent);
      assert.equal((await fetch(`${next.address}/api/v1/files/${id}`, { headers })).status, 200);
      await next.close();
    });
  });

  it('reports that it cannot listen, and leaves nothing open; rejects a data folder that another server uses', async () => {
    await withFolder(async (path) => {
      const configFor = (port: number) => loadConfig({ IC_DATA_DIR: path, IC_PORT: String(port), IC_WORKERS: '1' });
      await withServer(
        () => {},
        ({ port }) => assert.rejects(startService(configFor(port), silent), { code: 'EADDRINUSE' }),
      );
      const service = await startService(configFor(0), silent);
      try {
        const { message } = await failureOf('internal_error', () => startService(configFor(0), silent));
        assert.match(message, /^Expected a folder that no other server uses for IC_DATA_DIR/);
      } finally {
        await service.close();
      }
    });
  });
});
