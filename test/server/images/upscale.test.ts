/** POST /api/v1/upscale over HTTP: input of the engine, cost and errors. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { modelMissing } from '../../../models/errors.ts';
import { issueKey } from '../../../server/account/keys.ts';
import { testServiceEngine } from '../../support/engine.ts';
import { type TestService, withService } from '../../support/service.ts';
import { decode, difference, pattern, png, sharpOf } from '../../support/test-images.ts';
import { verifies } from '../../support/verifies.ts';

const PATH = '/api/v1/upscale';
const BODY = 'any bytes';

/** Creates another key of an account of `withService`, with the scope `ai`. */
async function keyOf({ services: { database } }: TestService, name: 'anna' | 'ben', mode: 'live' | 'test' = 'live') {
  const account = await database.accounts.findByName(name);
  const { key } = await issueKey(database.keys, {
    accountId: account!.id,
    name: 'models',
    mode,
    scopes: ['ai'],
    monthlyLimit: null,
    expiresAt: null,
  });
  return { authorization: `Bearer ${key}` };
}

const post = (
  { call }: TestService,
  query: string,
  headers: Record<string, string>,
  body: string | Buffer<ArrayBuffer> = BODY,
) => call(`${PATH}?${query}`, { method: 'POST', body, headers });

const errorOf = async (answer: Response) =>
  ((await answer.json()) as { error: { code: string; message: string; param?: string } }).error;

/** Makes the engine return an image of double size. */
function answerWithDoubledImage({ engine }: TestService): void {
  engine.behave = async () => ({ format: 'png', width: 16, height: 12, dpi: 300, outcome: 'done', warnings: [] });
}

describe('POST /api/v1/upscale', () => {
  it('returns the image, for one AI request', async () => {
    verifies('upscale.endpoint', 'limits.credit.ai-only');
    await withService(async (service) => {
      answerWithDoubledImage(service);
      const headers = await keyOf(service, 'anna');
      const answer = await post(service, 'filename=cat.png&page=2', headers);
      assert.equal(answer.status, 200);
      const expected = {
        'content-type': 'image/png',
        'x-ic-width': '16',
        'x-ic-height': '12',
        'x-ic-format': 'png',
        'x-ic-outcome': 'done',
        'x-quota-meter': 'ai',
      };
      assert.deepEqual(
        Object.fromEntries(Object.keys(expected).map((name) => [name, answer.headers.get(name)])),
        expected,
      );
      assert.equal(await answer.text(), BODY);
      const usage = (await (await service.call('/api/v1/usage', { headers })).json()) as {
        requests: { used: number };
        ai: { used: number };
      };
      assert.deepEqual([usage.requests.used, usage.ai.used], [0, 1]);
    });
  });

  it('passes its parameters to the engine, with the defaults', async () => {
    verifies('upscale.scale', 'upscale.format');
    await withService(async (service) => {
      const headers = await keyOf(service, 'anna');
      await post(service, '', headers);
      for (const format of ['auto', 'jpeg', 'png', 'webp', 'avif', 'gif', 'tiff'])
        await post(service, `scale=2&format=${format}`, headers);
      const given = service.engine.calls.map(({ name, input }) => ({ name, params: input.params }));
      assert.deepEqual(given.at(0), { name: 'upscale', params: { scale: '2', format: 'auto' } });
      assert.deepEqual(
        given.slice(1).map(({ params }) => params.format),
        ['auto', 'jpeg', 'png', 'webp', 'avif', 'gif', 'tiff'],
      );
    });
  });

  it('rejects other values before any work', async () => {
    verifies('upscale.scale', 'upscale.format');
    await withService(async (service) => {
      const headers = await keyOf(service, 'anna');
      for (const [query, param] of [
        ['scale=1', 'scale'],
        ['scale=4', 'scale'],
        ['scale=2.0', 'scale'],
        ['scale=', 'scale'],
        ['format=bmp', 'format'],
        ['format=PNG', 'format'],
        ['width=100', 'width'],
        ['output=base64', 'output'],
      ] as const) {
        const answer = await post(service, query, headers);
        const { code, param: found } = await errorOf(answer);
        assert.deepEqual([answer.status, code, found], [400, 'invalid_parameter', param], query);
      }
      assert.equal(service.engine.calls.length, 0);
    });
  });

  it('stores the result with output=json', async () => {
    verifies('upscale.output-json');
    await withService(async (service) => {
      answerWithDoubledImage(service);
      const headers = await keyOf(service, 'anna');
      const answer = await post(service, 'output=json', headers);
      const record = (await answer.json()) as Record<string, unknown>;
      assert.deepEqual([record.width, record.height, record.dpi, record.outcome], [16, 12, 300, 'done']);
      const file = await service.call(new URL(record.url as string).pathname);
      assert.equal(await file.text(), BODY);
    });
  });

  it('passes the pixel limit of the plan to the engine, also for test keys', async () => {
    verifies('limits.upscale-input.free', 'limits.upscale-input.pro');
    await withService(async (service) => {
      for (const headers of [
        await keyOf(service, 'anna'),
        await keyOf(service, 'ben'),
        await keyOf(service, 'anna', 'test'),
        await keyOf(service, 'ben', 'test'),
      ])
        assert.equal((await post(service, '', headers)).status, 200);
      assert.deepEqual(
        service.engine.calls.map(({ input }) => (input as unknown as { maxPixels: number }).maxPixels),
        [1_000_000, 2_250_000, 1_000_000, 2_250_000],
      );
    });
  });

  it('needs the scope ai', async () => {
    verifies('auth.scope.ai');
    await withService(async (service) => {
      const answer = await post(service, '', {});
      assert.equal(answer.status, 403);
      const { code, message } = await errorOf(answer);
      assert.equal(code, 'scope_required');
      assert.match(message, /\bai\b/);
      assert.equal(service.engine.calls.length, 0);
    });
  });

  it('is free when it fails', async () => {
    await withService(async (service) => {
      service.engine.behave = async () => {
        throw modelMissing('upscale');
      };
      const headers = await keyOf(service, 'anna');
      const answer = await post(service, '', headers);
      assert.equal(answer.status, 503);
      assert.ok(answer.headers.get('retry-after'));
      assert.equal((await errorOf(answer)).code, 'model_unavailable');
      const usage = (await (await service.call('/api/v1/usage', { headers })).json()) as { ai: { used: number } };
      assert.equal(usage.ai.used, 0);
    });
  });

  it('doubles an image with the engine of the service', async () => {
    verifies('upscale.endpoint');
    await withService(async (service) => {
      service.services.engine = await testServiceEngine();
      const headers = await keyOf(service, 'anna');
      const answer = await post(service, 'format=png', headers, Buffer.from(await png(pattern(30, 20))));
      assert.equal(answer.status, 200);
      const reference = await sharpOf(pattern(30, 20)).resize(60, 40, { kernel: 'cubic' }).png().toBuffer();
      const { mean } = difference(await decode(Buffer.from(await answer.arrayBuffer())), await decode(reference));
      assert.ok(mean < 4, `mean difference ${mean}`);
    });
  });
});
