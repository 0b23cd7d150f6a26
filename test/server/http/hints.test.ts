import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { monthOf } from '../../../server/account/period.ts';
import { withService } from '../../support/service.ts';

const NOW = Date.UTC(2026, 10, 21);
const JSON_TYPE = { 'content-type': 'application/json' };

describe('error.hint', () => {
  it('says the next step after what is refused', async () => {
    await withService(
      async ({ call, keys, services }) => {
        const hintAfter = async (code: string, path: string, init: RequestInit = {}) => {
          const response = await call(`/api/v1/${path}`, { method: 'POST', body: 'x', ...init });
          const { error } = (await response.json()) as { error: Record<string, string> };
          assert.equal(error.code, code, path);
          return error.hint!;
        };
        const pro = { authorization: `Bearer ${keys.pro}` };
        assert.match(await hintAfter('missing_image', 'compress', { body: null }), /^Send the image as the body/);
        assert.equal(await hintAfter('invalid_parameter', 'compress?widht=5'), 'Did you mean width?');
        assert.equal(
          await hintAfter('invalid_parameter', 'compress', {
            headers: JSON_TYPE,
            body: '{"url": "https://example.com/a.jpg", "qualty": 5}',
          }),
          'Did you mean quality?',
        );
        assert.match(
          await hintAfter('invalid_pipeline', 'pipeline', {
            headers: { ...JSON_TYPE, ...pro },
            body: '{"url": "https://example.com/a.jpg", "pipeline": {"steps": [{"op": "resize", "params": {"widht": 5}}]}}',
          }),
          /^Did you mean width[?]$/,
        );
        assert.match(await hintAfter('scope_required', 'faces'), /^Create a key with the scope ai/);
        assert.match(await hintAfter('upgrade_required', 'pipeline'), /a plan with the feature pipelines/);
        assert.match(
          await hintAfter('preset_not_found', 'pipeline?preset=none', { headers: pro }),
          /^GET \/api\/v1\/pipelines lists/,
        );
        assert.match(
          await hintAfter('missing_key', 'compress', { headers: { authorization: '' } }),
          /^Send the header `Authorization: Bearer`/,
        );
        const account = (await services.database.accounts.findByName('anna'))!;
        const meter = { subject: account.id, period: monthOf(NOW).id };
        await services.database.meters.settle(meter, { requests: 1000, ai: 0 }, false);
        assert.equal(
          await hintAfter('quota_exceeded', 'compress'),
          'It resets on December 1; a higher plan allows more.',
        );
      },
      { now: () => NOW },
    );
  });

  it('says how long to wait when a minute’s requests are used up', async () => {
    await withService(
      async ({ call }) => {
        for (let used = 0; used < 120; used++) await call('/api/v1/formats').then((response) => response.arrayBuffer());
        const response = await call('/api/v1/usage');
        const { error } = (await response.json()) as { error: { code: string; hint: string } };
        assert.equal(error.code, 'rate_limited');
        assert.match(error.hint, /^Wait \d+ s, or ask the operator/);
      },
      { now: () => NOW },
    );
  });
});
