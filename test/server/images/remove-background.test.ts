/** POST /api/v1/remove-background over HTTP: input of the engine, cost, and requests refused before any work. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { modelMissing } from '../../../models/errors.ts';
import { issueKey } from '../../../server/account/keys.ts';
import { type TestService, withService } from '../../support/service.ts';
import { verifies } from '../../support/verifies.ts';

const PATH = '/api/v1/remove-background';

async function errorOf(answer: Response): Promise<{ code: string; param?: string; message: string }> {
  return ((await answer.json()) as { error: { code: string; param?: string; message: string } }).error;
}

/** Creates a key with the scope `ai`. */
async function withScope({ services }: TestService, name: 'anna' | 'ben'): Promise<Record<string, string>> {
  const account = await services.database.accounts.findByName(name);
  const { key } = await issueKey(services.database.keys, {
    accountId: account!.id,
    name: 'ai',
    mode: 'live',
    scopes: ['ai'],
    monthlyLimit: null,
    expiresAt: null,
  });
  return { authorization: `Bearer ${key}` };
}

function form(parts: Record<string, string>): FormData {
  const data = new FormData();
  for (const [name, text] of Object.entries(parts)) data.append(name, new Blob([text]), `${name}.png`);
  return data;
}

const post = ({ call }: TestService, query: string, headers: Record<string, string>, body: BodyInit = 'any bytes') =>
  call(`${PATH}?${query}`, { method: 'POST', body, headers });

describe('POST /api/v1/remove-background', () => {
  it('is an AI request, even if a mask is sent, and needs the scope ai', async () => {
    await withService(async (service) => {
      const refused = await post(service, '', {});
      assert.deepEqual([refused.status, (await errorOf(refused)).code], [403, 'scope_required']);
      const headers = await withScope(service, 'anna');
      const answer = await post(service, '', headers);
      assert.deepEqual([answer.status, answer.headers.get('x-quota-meter')], [200, 'ai']);
      const sent = await post(service, '', headers, form({ image: 'image', mask: 'mask' }));
      assert.deepEqual([sent.status, sent.headers.get('x-quota-meter')], [200, 'ai']);
      const [plain, masked] = service.engine.calls;
      assert.equal('mask' in plain!.input, false);
      const { mask } = masked!.input as unknown as { mask: { data: ArrayBuffer } };
      assert.equal(Buffer.from(mask.data).toString(), 'mask');
    });
  });

  it('passes every parameter to the engine, typed, and stores the result on request', async () => {
    verifies('remove-background.output-json');
    await withService(async (service) => {
      const headers = await withScope(service, 'anna');
      const all = {
        background: 'gradient',
        gradient_from: '#102030',
        gradient_to: '405060',
        blur: 7,
        feather: 3,
        refine: true,
        frame: '300x200',
        subject_fill: 50,
        format: 'jpeg',
        mask: false,
      };
      const query = new URLSearchParams(Object.entries(all).map(([name, value]) => [name, String(value)]));
      const answer = await post(service, `${query}&output=json`, headers);
      const record = (await answer.json()) as Record<string, unknown>;
      assert.deepEqual([answer.status, record.quota_meter, typeof record.url], [200, 'ai', 'string']);
      assert.equal(service.engine.calls[0]?.name, 'remove-background');
      assert.deepEqual(service.engine.calls[0]?.input.params, all);
    });
  });

  it('accepts a background image for Pro accounts', async () => {
    await withService(async (service) => {
      const parts = () => form({ image: 'image', background_image: 'beach' });
      const free = await withScope(service, 'anna');
      for (const [query, body] of [
        ['', parts()],
        ['background=image', parts()],
        ['background=image', 'bytes'],
      ] as const) {
        const refused = await post(service, query, free, body);
        assert.deepEqual([refused.status, (await errorOf(refused)).code], [403, 'upgrade_required'], query);
      }
      assert.equal(service.engine.calls.length, 0);
      const pro = await withScope(service, 'ben');
      assert.equal((await post(service, 'background=image', pro, parts())).status, 200);
      const { background } = service.engine.calls[0]!.input as unknown as { background: { data: ArrayBuffer } };
      assert.equal(Buffer.from(background.data).toString(), 'beach');
      const missing = await post(service, 'background=image', pro);
      const error = await errorOf(missing);
      assert.deepEqual([missing.status, error.code, error.param], [400, 'invalid_parameter', 'background_image']);
      const conflict = await post(service, 'background=blur', pro, parts());
      assert.deepEqual([conflict.status, (await errorOf(conflict)).code], [400, 'conflicting_parameters']);
    });
  });

  it('rejects impossible requests, free of charge', async () => {
    await withService(async (service) => {
      const headers = await withScope(service, 'anna');
      for (const [query, code] of [
        ['format=jpeg', 'conflicting_parameters'],
        ['feather=4', 'invalid_parameter'],
        ['background=white', 'invalid_parameter'],
        ['frame=100', 'invalid_parameter'],
        ['colour=red', 'invalid_parameter'],
      ] as const) {
        const refused = await post(service, query, headers);
        assert.deepEqual([refused.status, (await errorOf(refused)).code], [400, code], query);
        assert.equal(refused.headers.get('x-quota-meter'), 'none');
      }
      assert.equal((await post(service, 'format=jpeg&mask=true', headers)).status, 200);
      const empty = await post(service, '', headers, form({ image: 'image', mask: '' }));
      assert.deepEqual([empty.status, (await errorOf(empty)).param], [400, 'mask']);
    });
  });

  it('reports a missing model', async () => {
    await withService(async (service) => {
      const headers = await withScope(service, 'anna');
      service.engine.behave = async () => {
        throw modelMissing('background');
      };
      const answer = await post(service, '', headers);
      assert.deepEqual([answer.status, answer.headers.get('x-quota-meter')], [503, 'none']);
      assert.ok(Number(answer.headers.get('retry-after')) > 0);
      assert.equal((await errorOf(answer)).code, 'model_unavailable');
    });
  });
});
