/** Tests the tools for one image with the real engine: pixels, bytes, stored files, credits. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { Cancelled } from '../../../engine/errors.ts';
import { discImage } from '../../engine/remove-background/support.ts';
import { withServer } from '../../support/http-server.ts';
import { MODELS_FOLDER, modelsSkipReason } from '../../support/models.ts';
import { isNightly, nightlyOnly } from '../../support/nightly.ts';
import { decode, difference, flat, jpeg, pattern, pixel, png } from '../../support/test-images.ts';
import { verifies } from '../../support/verifies.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type Agent, createDeferred, type Result, withAgents, withEngine } from './agents.ts';

const base64 = (data: Uint8Array) => Buffer.from(data).toString('base64');

interface Stored {
  id: string;
  url: string;
  filename: string;
  content_type: string;
  format: string;
  bytes: number;
  width: number;
  height: number;
  sha256: string;
  original_format: string;
  quota_meter: string;
  test_mode: boolean;
}

const resultOf = ({ structuredContent }: Result) => structuredContent.result as Stored;

/** Downloads the file of a result with a key. */
async function fileOf({ origin }: { origin: string }, { id }: Stored, key: string): Promise<Buffer> {
  const answer = await fetch(`${origin}/api/v1/files/${id}`, { headers: { authorization: `Bearer ${key}` } });
  assert.equal(answer.status, 200);
  return Buffer.from(await answer.arrayBuffer());
}

/** Runs `work` with the address of an image on a local server. */
async function withImageUrl<T>(image: Buffer, work: (url: string) => Promise<T>): Promise<T> {
  return await withServer(
    (_req, res) => res.setHeader('content-type', 'image/png').end(image),
    ({ origin }) => work(`${origin}/pictures/hero.png`),
  );
}

const LOCAL = { env: { IC_ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8' } };

describe('compress_image', { timeout: 300_000 }, () => {
  it('stores the same result as the REST API, and links to it', async () => {
    verifies('mcp.compress-image');
    await withEngine(async (agents) => {
      const { agent, key, used, call } = agents;
      const photo = await jpeg(pattern(320, 240), 95);
      const answer = await (await agent()).call('compress_image', {
        data_base64: base64(photo),
        filename: 'beach.jpg',
        format: 'webp',
        quality: 60,
        width: 160,
      });
      const result = resultOf(answer);
      assert.deepEqual(
        [result.filename, result.format, result.width, result.height, result.original_format, result.quota_meter],
        ['beach.webp', 'webp', 160, 120, 'jpeg', 'requests'],
      );
      assert.equal(result.url, `https://images.example.com/api/v1/files/${result.id}`);
      assert.deepEqual(answer.content.slice(1), [
        { type: 'resource_link', uri: result.url, name: 'beach.webp', mimeType: 'image/webp', size: result.bytes },
      ]);
      for (const said of ['beach.webp', 'width 160, height 120', result.url, String(photo.length)])
        assert.ok(answer.text.includes(said), `${said} in ${answer.text}`);
      const stored = await fileOf(agents, result, key);
      assert.deepEqual(
        [stored.length, createHash('sha256').update(stored).digest('hex')],
        [result.bytes, result.sha256],
      );
      const rest = await call('/api/v1/compress?format=webp&quality=60&width=160', {
        method: 'POST',
        body: Uint8Array.from(photo),
      });
      assert.deepEqual(stored, Buffer.from(await rest.arrayBuffer()));
      assert.deepEqual(await used(), { requests: 2, ai: 0, failed: 0 });
    });
  });

  it('shows a small result if requested, and no large one', async () => {
    await withEngine(async ({ agent, key, ...agents }) => {
      const one = await agent();
      const red = await png(flat(20, 10, 200, 30, 30));
      const small = await one.call('compress_image', { data_base64: base64(red), include_image: true });
      const [, link, image] = small.content;
      assert.ok(link?.type === 'resource_link' && image?.type === 'image');
      assert.equal(image.mimeType, 'image/png');
      const shown = Buffer.from(image.data, 'base64');
      assert.deepEqual(shown, await fileOf(agents, resultOf(small), key));
      assert.deepEqual(pixel(await decode(shown), 5, 5).slice(0, 3), [200, 30, 30]);
      const noise = { ...flat(700, 500, 0, 0, 0), data: randomBytes(700 * 500 * 3) };
      const large = await one.call('compress_image', {
        data_base64: base64(await png(noise)),
        mode: 'lossless',
        include_image: true,
      });
      assert.ok(resultOf(large).bytes >= 1_000_000);
      assert.equal(difference(await decode(await fileOf(agents, resultOf(large), key)), noise).max, 0);
      assert.deepEqual(
        large.content.map(({ type }) => type),
        ['text', 'resource_link'],
      );
      await agents.http.drain(60_000);
      assert.equal(agents.services.uploads.heldBytes, 0);
    });
  });

  it('fetches a URL, but no private one', async () => {
    const image = await png(pattern(64, 48));
    await withImageUrl(image, async (url) => {
      await withEngine(async ({ agent, key, logged, ...agents }) => {
        const one = await agent();
        const result = resultOf(await one.call('compress_image', { url, mode: 'lossless', format: 'webp' }));
        assert.equal(result.filename, 'hero.webp');
        const stored = await decode(await fileOf(agents, result, key));
        assert.equal(difference(stored, pattern(64, 48)).max, 0);
        assert.equal(
          await one.codeOf('compress_image', { url: `${new URL(url).origin.replace('127.0.0.1', '10.0.0.1')}/` }),
          'url_not_allowed',
        );
        assert.ok(logged().some(({ source_host }) => source_host === new URL(url).host));
      }, LOCAL);
      await withAgents(async ({ agent, engine, used }) => {
        const one = await agent();
        for (const address of [
          url,
          'http://localhost/a.png',
          'http://169.254.169.254/latest/meta-data',
          'http://[::1]/',
        ])
          assert.equal(await one.codeOf('compress_image', { url: address }), 'url_not_allowed', address);
        assert.deepEqual([engine.calls.length, await used()], [0, { requests: 0, ai: 0, failed: 0 }]);
      });
    });
  });

  it('refuses more than 4 MB, and data that is no image, free of charge', async () => {
    await withEngine(async ({ agent, used, issue }) => {
      const one = await agent(await issue([], 'ben'));
      const codeOf = (data: Uint8Array) => one.codeOf('compress_image', { data_base64: base64(data) });
      assert.equal(await codeOf(Buffer.alloc(4_000_001, 'a')), 'file_too_large');
      assert.equal(await codeOf(Buffer.alloc(4_000_000, 'a')), 'unsupported_format');
      assert.equal(await codeOf((await png(pattern(40, 30))).subarray(0, 60)), 'corrupt_image');
      for (const data_base64 of [
        'a'.repeat(1_000_001),
        `${'a'.repeat(999_999)}!`,
        `${'a'.repeat(999_000)}=${'a'.repeat(999)}`,
      ])
        assert.equal(await one.codeOf('compress_image', { data_base64 }), 'invalid_parameter');
      assert.equal(
        await one.codeOf('compress_image', {
          data_base64: base64(await png(pattern(9, 9))),
          mode: 'lossless',
          format: 'jpeg',
        }),
        'unsupported_output',
      );
      assert.deepEqual(await used(), { requests: 0, ai: 0, failed: 0 });
    });
  });

  it('handles twenty calls at once without mixing them up', { skip: nightlyOnly }, async () => {
    await withEngine(async ({ agent, key, used, ...agents }) => {
      const one = await agent();
      const shades = Array.from({ length: 20 }, (_, index) => index * 12);
      const results = await Promise.all(
        shades.map(async (shade) => {
          const data = base64(await png(flat(30, 20, shade, 255 - shade, 90)));
          return resultOf(await one.call('compress_image', { data_base64: data, format: 'png', mode: 'lossless' }));
        }),
      );
      for (const [index, shade] of shades.entries()) {
        const stored = await decode(await fileOf(agents, results[index]!, key));
        assert.deepEqual(pixel(stored, 3, 3).slice(0, 3), [shade, 255 - shade, 90]);
      }
      assert.equal(new Set(results.map(({ id }) => id)).size, 20);
      assert.deepEqual(await used(), { requests: 20, ai: 0, failed: 0 });
      await agents.http.drain(60_000);
      assert.equal(agents.services.uploads.heldBytes, 0);
    });
  });
});

describe('convert_image', { timeout: 300_000 }, () => {
  it('converts to the requested format, with the background in place of transparency', async () => {
    verifies('mcp.convert-image');
    await withEngine(async ({ agent, key, ...agents }) => {
      const one = await agent();
      const data_base64 = base64(await png(flat(24, 16, 0, 0, 0, 0)));
      const made = async (args: object) => {
        const result = resultOf(await one.call('convert_image', { data_base64, ...args }));
        return { result, file: await fileOf(agents, result, key) };
      };
      const { result, file } = await made({ format: 'jpeg', quality: 95, background: '#20c040' });
      assert.deepEqual([result.format, result.content_type, result.filename], ['jpeg', 'image/jpeg', 'image.jpg']);
      const [red, green, blue] = pixel(await decode(file), 12, 8);
      assert.ok(Math.abs(red! - 32) < 4 && Math.abs(green! - 192) < 4 && Math.abs(blue! - 64) < 4);
      const pdf = await made({ format: 'pdf' });
      assert.equal(pdf.file.subarray(0, 5).toString(), '%PDF-');
      assert.equal(await one.codeOf('convert_image', { data_base64, format: 'png', page: 2 }), 'page_out_of_range');
      // A PDF cannot be an image block.
      const shown = await one.call('convert_image', { data_base64, format: 'pdf', include_image: true });
      assert.deepEqual(
        shown.content.map(({ type }) => type),
        ['text', 'resource_link'],
      );
    });
  });
});

describe('remove_background', { timeout: 300_000 }, () => {
  const { photo } = discImage({ width: 240, height: 180 });

  it('removes the background, as one AI request', { skip: modelsSkipReason || nightlyOnly }, async () => {
    verifies('mcp.remove-background');
    await withEngine(
      async ({ agent, key, used, ...agents }) => {
        const one = await agent();
        const data_base64 = base64(await png(photo));
        const result = resultOf(await one.call('remove_background', { data_base64 }));
        const { data } = await decode(await fileOf(agents, result, key));
        assert.deepEqual([data[3], data[4 * (90 * 240 + 120) + 3]], [0, 255]);
        assert.equal(result.quota_meter, 'ai');
        const green = resultOf(
          await one.call('remove_background', { data_base64, background: '#00ff00', frame: '100x80' }),
        );
        assert.deepEqual([green.width, green.height], [100, 80]);
        assert.deepEqual(pixel(await decode(await fileOf(agents, green, key)), 1, 1).slice(0, 3), [0, 255, 0]);
        assert.deepEqual(await used(), { requests: 0, ai: 2, failed: 0 });
      },
      { modelsFolder: MODELS_FOLDER },
    );
  });

  it('requires the scope ai, the model and the allowance', async () => {
    await withEngine(async ({ agent, issue, used, ended, services }) => {
      const data_base64 = base64(await png(photo));
      const codeOf = async (key: string) => await (await agent(key)).codeOf('remove_background', { data_base64 });
      assert.equal(await codeOf(await issue(['sites'])), 'scope_required');
      assert.equal(ended.length, 0);
      const key = await issue(['ai']);
      assert.equal(await codeOf(key), 'model_unavailable');
      assert.deepEqual(await used(), { requests: 0, ai: 0, failed: 1 });
      const { account, key: record } = await services.authenticate(`Bearer ${key}`);
      const all = await services.ledger.reserve({ account, key: record }, 'ocr', { requests: 0, ai: 100 });
      assert.equal(await codeOf(key), 'quota_exceeded');
      await all.release(0);
    });
  });
});

describe('an image tool', { timeout: 300_000 }, () => {
  /** The response is JSON without progress, and a stream of events with it. */
  const WITH_PROGRESS = isNightly ? [undefined, () => {}] : [() => {}];
  const slow = async () => ({
    data_base64: base64(await jpeg(pattern(800, 600))),
    format: 'avif',
    mode: 'lossless',
  });

  it('stops in the engine when its client cancels the call, free of charge', async () => {
    await withEngine(async ({ agent, begun, ended, used, services, http }) => {
      // Two clients with the same key use the same request ids.
      const [one, other] = [await agent(), await agent()];
      assert.notEqual(one.transport.sessionId, other.transport.sessionId);
      const args = await slow();
      for (const onprogress of WITH_PROGRESS) {
        const stop = new AbortController();
        const begins = begun();
        const cancelled = one.call('compress_image', args, { signal: stop.signal, ...(onprogress && { onprogress }) });
        const small = base64(await png(pattern(30, 20)));
        await begins;
        stop.abort('enough');
        await assert.rejects(cancelled, /enough/);
        assert.ok(resultOf(await other.call('compress_image', { data_base64: small })).bytes > 0);
      }
      const times = WITH_PROGRESS.length;
      assert.deepEqual(await waitForReleased(used, times), { requests: times, ai: 0, failed: times });
      assert.deepEqual([ended.length, ended.filter((end) => end instanceof Cancelled).length], [2 * times, times]);
      await http.drain(60_000);
      assert.equal(services.uploads.heldBytes, 0);
    });
  });

  it('stops in the engine when its client disconnects, free of charge', async () => {
    await withEngine(async ({ agent, begun, ended, used, services, http, logged }) => {
      const one = await agent();
      const begins = begun();
      const running = one.call('compress_image', await slow());
      const left = assert.rejects(running);
      await begins;
      await one.client.close();
      await left;
      assert.deepEqual(await waitForReleased(used, 1), { requests: 0, ai: 0, failed: 1 });
      assert.ok(ended[0] instanceof Cancelled);
      await http.drain(60_000);
      assert.equal(services.uploads.heldBytes, 0);
      assert.ok(logged().some(({ operation, status }) => operation === 'compress' && status === 499));
    });
  });

  it('ignores cancellations of other requests', async () => {
    await withAgents(async ({ agent, engine, post }) => {
      const one = await agent();
      const [begins, leave] = [createDeferred(), createDeferred()];
      engine.behave = async () => {
        begins.open();
        await leave.opened;
        return {};
      };
      const running = one.call('compress_image', { data_base64: base64(Buffer.from('any')) });
      await begins.opened;
      for (let requestId = 0; requestId < 10; requestId += 1)
        for (const client of ['', 'another'])
          assert.equal(
            (
              await post(
                { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } },
                { 'mcp-session-id': client },
              )
            ).status,
            202,
          );
      assert.equal(engine.calls[0]?.options.signal?.aborted, false);
      leave.open();
      assert.equal((await running).isError, undefined);
    });
  });

  it('reports progress on request', async () => {
    await withEngine(async ({ agent }) => {
      const reports: unknown[] = [];
      const args = { data_base64: base64(await png(pattern(30, 20))) };
      await (await agent()).call('compress_image', args, {
        onprogress: ({ progress, total }) => reports.push([progress, total]),
      });
      assert.deepEqual(reports, [
        [1, 3],
        [2, 3],
      ]);
    });
  });

  it('uses the allowances and limits of its key', async () => {
    await withAgents(async ({ agent, issue, keys, used, engine }) => {
      const call = (one: Agent, bytes = 10) =>
        one.call('compress_image', { data_base64: base64(Buffer.alloc(bytes, 1)) });
      const limited = await agent(await issue([], 'anna', 1));
      assert.equal((await call(limited)).isError, undefined);
      assert.equal((await call(limited)).structuredContent.error?.code, 'key_limit_exceeded');
      const test = await agent(keys.test);
      const { test_mode, quota_meter } = resultOf(await call(test));
      assert.deepEqual([test_mode, quota_meter], [true, 'none']);
      assert.equal((await call(test, 1_000_001)).structuredContent.error?.code, 'file_too_large');
      for (const name of ['optimize_website', 'list_website_scans'])
        assert.match(
          (await test.codeOf(name, name === 'optimize_website' ? { url: 'https://example.com' } : {}))!,
          /test_key_not_allowed/,
        );
      assert.deepEqual([engine.calls.length, await used()], [2, { requests: 1, ai: 0, failed: 0 }]);
    });
  });

  it('fits into the memory for uploads, or is refused', async () => {
    await withAgents(
      async ({ agent, engine, services, http }) => {
        const [one, begins, leave] = [await agent(), createDeferred(), createDeferred()];
        engine.behave = async () => {
          begins.open();
          await leave.opened;
          return {};
        };
        const data_base64 = base64(Buffer.alloc(3_900_000, 1));
        const first = one.call('compress_image', { data_base64 });
        await begins.opened;
        const second = await one.client.callTool({ name: 'compress_image', arguments: { data_base64 } }).catch(String);
        assert.match(String(second), /overloaded/);
        leave.open();
        assert.equal((await first).isError, undefined);
        await http.drain(60_000);
        assert.equal(services.uploads.heldBytes, 0);
      },
      { env: { IC_UPLOAD_BYTES: '6000000' } },
    );
  });
});

/**
 * Waits until this many tasks have failed, then returns the usage. A cancelled task is released only after its
 * response.
 */
async function waitForReleased(used: () => Promise<{ failed: number }>, failed: number): Promise<unknown> {
  await waitUntil(async () => (await used()).failed >= failed);
  return await used();
}
