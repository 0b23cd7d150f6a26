/** Operations with a model over HTTP: scope, quota, clients that disconnect, concurrent requests. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Cancelled } from '../../../engine/errors.ts';
import { issueKey } from '../../../server/account/keys.ts';
import { monthOf } from '../../../server/account/period.ts';
import { discImage } from '../../engine/remove-background/support.ts';
import { testServiceEngine } from '../../support/engine.ts';
import { MODELS_FOLDER, modelsSkipReason } from '../../support/models.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { type TestService, withService } from '../../support/service.ts';
import { openSocket, sendRaw } from '../../support/socket.ts';
import { decode, difference, pattern, png } from '../../support/test-images.ts';
import { verifies } from '../../support/verifies.ts';

/** Endpoints with the parameters that make them run a model. */
const PATHS = [
  '/api/v1/remove-background',
  '/api/v1/upscale',
  '/api/v1/faces',
  '/api/v1/blur-faces',
  '/api/v1/ocr',
  '/api/v1/id-photo?preset=us_visa&remove_background=true',
] as const;
const [REMOVE_BACKGROUND] = PATHS;
/** The parameters decide the price, and they may come with the body. */
const isPricedByBody = (path: string) => /blur-faces|id-photo/.test(path);

const AI_REQUESTS = 100;

/** Creates another key of the free account. */
async function keyOf({ services: { database } }: TestService, scopes: readonly 'ai'[] = ['ai']): Promise<string> {
  const account = await database.accounts.findByName('anna');
  const options = { accountId: account!.id, name: 'models', mode: 'live' as const, monthlyLimit: null };
  return (await issueKey(database.keys, { ...options, scopes: [...scopes], expiresAt: null })).key;
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

async function codeOf(answer: Response): Promise<string> {
  return ((await answer.json()) as { error: { code: string } }).error.code;
}

async function aiUsed({ call }: TestService): Promise<number> {
  return ((await (await call('/api/v1/usage')).json()) as { ai: { used: number } }).ai.used;
}

interface RealService extends TestService {
  key: string;
  /** Resolves when a worker has started the next task. */
  begun(): Promise<void>;
  /** The result or the error of each task that has ended. */
  ended: unknown[];
}

/**
 * Runs `work` with a service that uses the real engine.
 * @param modelsFolder undefined: without installed models
 */
async function withEngine(
  modelsFolder: string | undefined,
  work: (service: RealService) => Promise<void>,
): Promise<void> {
  const engine = await testServiceEngine(modelsFolder);
  const waiting: (() => void)[] = [];
  const ended: unknown[] = [];
  await withService(async (service) => {
    service.services.engine = {
      ...service.services.engine,
      run: async (name, input, options = {}) => {
        const onStart = (waitedMs: number) => {
          options.onStart?.(waitedMs);
          for (const begin of waiting.splice(0)) begin();
        };
        const running = engine.run(name, input, { ...options, onStart });
        ended.push(await running.catch((error: unknown) => error));
        return running;
      },
    };
    const begun = () => new Promise<void>((resolve) => waiting.push(resolve));
    await work({ ...service, key: await keyOf(service), begun, ended });
  });
}

describe('an operation with a model', () => {
  it('needs the scope ai, before any work', async () => {
    verifies('auth.scope.ai');
    await withService(async (service) => {
      const headers = bearer(await keyOf(service, []));
      for (const path of PATHS) {
        const answer = await service.call(path, { method: 'POST', body: 'any bytes', headers });
        assert.deepEqual([answer.status, await codeOf(answer)], [403, 'scope_required'], path);
        assert.equal(answer.headers.get('x-quota-meter'), 'none');
      }
      assert.equal(service.engine.calls.length, 0);
    });
  });

  it('is rejected when the AI allowance is used up, before any work and if possible before the body', async () => {
    verifies('limits.ai-month.free', 'limits.credit.ai-only');
    await withService(async (service) => {
      const { database } = service.services;
      const key = await keyOf(service);
      const account = (await database.accounts.findByName('anna'))!;
      const meter = { subject: account.id, period: monthOf(Date.now()).id };
      await database.meters.settle(meter, { requests: 0, ai: AI_REQUESTS - 1 }, false);
      const last = await service.call(REMOVE_BACKGROUND, { method: 'POST', body: 'any bytes', headers: bearer(key) });
      assert.deepEqual([last.status, service.engine.calls.length], [200, 1]);
      for (const path of PATHS) {
        const answer = await service.call(path, { method: 'POST', body: 'any bytes', headers: bearer(key) });
        assert.deepEqual([answer.status, await codeOf(answer)], [429, 'quota_exceeded'], path);
        assert.ok(Number(answer.headers.get('retry-after')) > 0);
        if (isPricedByBody(path)) continue;
        const head = [`POST ${path} HTTP/1.1`, 'Host: a', `Authorization: Bearer ${key}`, 'Content-Length: 1000000'];
        const { status } = await sendRaw(service.port, `${head.join('\r\n')}\r\nExpect: 100-continue\r\n\r\n`);
        assert.equal(status, 429, path);
      }
      assert.deepEqual([service.engine.calls.length, await aiUsed(service)], [1, AI_REQUESTS]);
      // The quota of ordinary requests is separate.
      const headers = bearer(key);
      const covered = await service.call('/api/v1/blur-faces?boxes=1,1,5,5', {
        method: 'POST',
        body: 'bytes',
        headers,
      });
      assert.deepEqual([covered.status, covered.headers.get('x-quota-meter')], [200, 'requests']);
    });
  });
});

describe('remove-background with the engine of the service', () => {
  const { photo, mask } = discImage({ width: 240, height: 180 });

  it('is stopped when its client disconnects, free of charge, and the next request succeeds', {
    skip: modelsSkipReason || nightlyOnly,
  }, async () => {
    const body = await png(photo);
    await withEngine(MODELS_FOLDER, async (service) => {
      const { port, key, begun, ended, http, logged, call, services } = service;
      const socket = await openSocket(port);
      const head = [
        `POST ${REMOVE_BACKGROUND} HTTP/1.1`,
        'Host: a',
        `Authorization: Bearer ${key}`,
        `Content-Length: ${body.length}`,
      ];
      const started = begun();
      socket.write(`${head.join('\r\n')}\r\n\r\n`);
      socket.write(body);
      await started;
      socket.destroy();
      const next = await call(REMOVE_BACKGROUND, { method: 'POST', body: new Uint8Array(body), headers: bearer(key) });
      assert.equal(next.status, 200);
      const { data } = await decode(Buffer.from(await next.arrayBuffer()));
      assert.deepEqual([data[3], data[4 * (90 * 240 + 120) + 3]], [0, 255]);
      assert.ok(ended[0] instanceof Cancelled, String(ended[0]));
      assert.equal(await aiUsed(service), 1);
      await http.drain(10_000);
      assert.equal(services.uploads.heldBytes, 0);
      assert.deepEqual(
        logged()
          .filter(({ operation }) => operation === 'remove-background')
          .map(({ status }) => status)
          .sort(),
        [200, 499],
      );
    });
  });

  it('handles four simultaneous requests without mixing them up', {
    skip: modelsSkipReason || nightlyOnly,
  }, async () => {
    const bodies = await Promise.all(
      [0.2, 0.35].map(async (radius) => png(discImage({ width: 240, height: 180, radius }).photo)),
    );
    await withEngine(MODELS_FOLDER, async (service) => {
      const post = async (body: Uint8Array) => {
        const answer = await service.call(REMOVE_BACKGROUND, {
          method: 'POST',
          body: new Uint8Array(body),
          headers: bearer(service.key),
        });
        assert.equal(answer.status, 200);
        return await decode(Buffer.from(await answer.arrayBuffer()));
      };
      const together = await Promise.all([...bodies, ...bodies].map(post));
      for (const [index, body] of bodies.entries()) {
        const alone = await post(body);
        for (const one of [together[index]!, together[index + bodies.length]!])
          assert.equal(difference(one, alone).max, 0, `${index}`);
      }
      assert.equal(await aiUsed(service), 6);
    });
  });

  it('needs no model if a mask is sent', async () => {
    verifies('remove-background.mask.sent');
    const form = new FormData();
    form.append('image', new Blob([new Uint8Array(await png(photo))]), 'photo.png');
    form.append('mask', new Blob([new Uint8Array(await png(mask))]), 'mask.png');
    await withEngine(undefined, async ({ call, key }) => {
      const image = new Uint8Array(await png(pattern(40, 30)));
      const without = await call(REMOVE_BACKGROUND, { method: 'POST', body: image, headers: bearer(key) });
      assert.deepEqual([without.status, await codeOf(without)], [503, 'model_unavailable']);
      const answer = await call(`${REMOVE_BACKGROUND}?feather=0`, { method: 'POST', body: form, headers: bearer(key) });
      assert.equal(answer.status, 200);
      const { data } = await decode(Buffer.from(await answer.arrayBuffer()));
      assert.ok(data.every((sample, at) => at % 4 !== 3 || Math.abs(sample - mask.data[(at - 3) / 4]!) <= 1));
    });
  });
});
