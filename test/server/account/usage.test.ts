import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withService } from '../../support/service.ts';
import { verifies } from '../../support/verifies.ts';

const NOW = Date.UTC(2026, 10, 21, 5, 20, 30);
const COMPRESS = '/api/v1/compress';

describe('GET /api/v1/usage', () => {
  it('returns what was used, what is left and what is allowed', async () => {
    verifies('usage.month', 'usage.limits');
    await withService(
      async ({ call, engine, services }) => {
        const send = () => call(COMPRESS, { method: 'POST', body: 'image' });
        assert.equal((await send()).status, 200);
        engine.behave = async () => {
          throw new Error('broken');
        };
        assert.equal((await send()).status, 500);
        const answer = await call('/api/v1/usage');
        assert.equal(answer.status, 200);
        assert.equal(answer.headers.get('x-quota-meter'), 'none');
        assert.equal(answer.headers.get('cache-control'), 'no-store');
        const { account, key, ...usage } = (await answer.json()) as Record<string, Record<string, unknown>>;
        const anna = await services.database.accounts.findByName('anna');
        assert.deepEqual(account, { id: anna?.id, name: 'anna', plan: 'free' });
        assert.match(String(key?.id), /^key_/);
        assert.deepEqual(
          { ...key, id: '' },
          { id: '', name: 'live', mode: 'live', scopes: [], used: 1, limit: null, remaining: null },
        );
        assert.deepEqual(usage, {
          period: { start: '2026-11-01T00:00:00.000Z', end: '2026-12-01T00:00:00.000Z' },
          requests: { used: 1, limit: 1000, remaining: 999 },
          ai: { used: 0, limit: 100, remaining: 100 },
          test: { used_today: 0, limit_per_day: 50, resets_at: '2026-11-22T00:00:00.000Z' },
          rate: { per_minute: 120, remaining: 117, resets_at: '2026-11-21T05:21:30.000Z' },
          limits: {
            file_bytes: 20_000_000,
            upscale_pixels: 1_000_000,
            optimize_pages: 5,
            scan_pages: 5,
            websites: 1,
            job_images_json: 100,
            job_images_multipart: 20,
            result_seconds: 3600,
          },
          features: [],
          by_operation: [{ operation: 'compress', requests: 1, ai: 0, bytes_in: 10, bytes_out: 5, failed: 1 }],
          notices: [],
        });
      },
      { now: () => NOW },
    );
  });

  it('counts requests with test keys per day, and shows the features of the plan', async () => {
    await withService(
      async ({ call, keys }) => {
        const test = { headers: { authorization: `Bearer ${keys.test}` } };
        assert.equal((await call(COMPRESS, { method: 'POST', body: 'image', ...test })).status, 200);
        const ofTest = (await (await call('/api/v1/usage', test)).json()) as Record<string, Record<string, unknown>>;
        assert.deepEqual([ofTest.requests?.used, ofTest.test?.used_today, ofTest.key?.used], [0, 1, 1]);
        assert.deepEqual([ofTest.key?.mode, ofTest.limits?.file_bytes, ofTest.by_operation], ['test', 1_000_000, []]);
        const pro = { headers: { authorization: `Bearer ${keys.pro}` } };
        const ofPro = (await (await call('/api/v1/usage', pro)).json()) as Record<string, unknown>;
        assert.deepEqual(ofPro.features, ['pipelines', 'jobs', 'background_image', 'watermark_image']);
      },
      { now: () => NOW },
    );
  });

  it('shows the notices of the month, without pending ones', async () => {
    await withService(
      async ({ call, services: { database } }) => {
        const anna = await database.accounts.findByName('anna');
        const id = { accountId: anna!.id, month: '2026-11', meter: 'ai' as const };
        const at = '2026-11-20T00:00:00.000Z';
        for (const threshold of [80, 100])
          await database.notices.create({ ...id, threshold, used: threshold, limit: 100, createdAt: at });
        await database.notices.markSent({ ...id, threshold: 80 }, at, 'email');
        const { notices } = (await (await call('/api/v1/usage')).json()) as { notices: unknown };
        assert.deepEqual(notices, [{ meter: 'ai', threshold: 80, sent_at: at, channel: 'email' }]);
      },
      { now: () => NOW },
    );
  });

  it('counts only this month, and accepts no parameters', async () => {
    await withService(async ({ call, services }) => {
      assert.equal((await call('/api/v1/usage?month=2026-10')).status, 400);
      const anna = await services.database.accounts.findByName('anna');
      await services.database.meters.settle({ subject: anna!.id, period: '1999-01' }, { requests: 5, ai: 0 }, false);
      const { requests } = (await (await call('/api/v1/usage')).json()) as { requests: { used: number } };
      assert.equal(requests.used, 0);
    });
  });
});
