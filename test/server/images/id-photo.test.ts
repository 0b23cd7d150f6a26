/** The two endpoints of ID photos over HTTP: the list of presets, and cost and errors of a request. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PRESETS, type Preset } from '../../../engine/operations/id-photo/presets.ts';
import { modelMissing } from '../../../models/errors.ts';
import { issueKey } from '../../../server/account/keys.ts';
import { type TestService, withService } from '../../support/service.ts';
import { verifies } from '../../support/verifies.ts';

const PATH = '/api/v1/id-photo';
const BODY = 'any bytes';

const post = ({ call }: TestService, query: string, headers: Record<string, string> = {}) =>
  call(`${PATH}?${query}`, { method: 'POST', body: BODY, headers });

const errorOf = async (answer: Response) =>
  ((await answer.json()) as { error: { code: string; message: string; param?: string } }).error;

/** Creates another key of the free account, with the scope `ai`. */
async function withScope({ services: { database } }: TestService): Promise<Record<string, string>> {
  const account = await database.accounts.findByName('anna');
  const { key } = await issueKey(database.keys, {
    accountId: account!.id,
    name: 'models',
    mode: 'live',
    scopes: ['ai'],
    monthlyLimit: null,
    expiresAt: null,
  });
  return { authorization: `Bearer ${key}` };
}

describe('GET /api/v1/id-photo', () => {
  it('lists the presets without a key, by country and id, with their sources', async () => {
    verifies('id-photo.presets', 'id-photo.presets.no-key', 'id-photo.presets.source');
    await withService(async ({ origin }) => {
      const answer = await fetch(origin + PATH);
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
      assert.equal(answer.headers.get('cache-control'), 'public, max-age=86400');
      const { presets, ...rest } = (await answer.json()) as { presets: Preset[] };
      assert.deepEqual(rest, {});
      assert.deepEqual(new Map(presets.map((preset) => [preset.id, preset])), new Map(PRESETS));
      const places = presets.map(({ country, id }) => `${country} ${id}`);
      assert.deepEqual(places, places.toSorted());
      assert.deepEqual(presets.at(0)?.country, 'AU');
      for (const { source_kind, source_url, source_read_on } of presets) {
        assert.equal(source_url === null, source_kind === 'generic');
        assert.match(source_read_on, /^\d{4}-\d\d-\d\d$/);
      }
    });
  });

  it('returns 304 to clients that already have it', async () => {
    await withService(async ({ origin }) => {
      const etag = (await fetch(origin + PATH)).headers.get('etag')!;
      for (const tag of [etag, `"other", ${etag}`, '*', etag.replace('W/', '')]) {
        const answer = await fetch(origin + PATH, { headers: { 'if-none-match': tag } });
        assert.deepEqual([answer.status, answer.headers.get('etag'), await answer.text()], [304, etag, ''], tag);
        assert.equal(answer.headers.get('cache-control'), 'public, max-age=86400');
      }
      const other = await fetch(origin + PATH, { headers: { 'if-none-match': '"other"' } });
      assert.equal(other.status, 200);
      const head = await fetch(origin + PATH, { method: 'HEAD' });
      assert.deepEqual([head.status, head.headers.get('etag'), await head.text()], [200, etag, '']);
    });
  });

  it('accepts no parameters', async () => {
    await withService(async ({ origin }) => {
      const answer = await fetch(`${origin}${PATH}?country=US`);
      assert.deepEqual([answer.status, (await errorOf(answer)).param], [400, 'country']);
    });
  });
});

describe('POST /api/v1/id-photo', () => {
  it('passes its parameters on and returns the image, for one request', async () => {
    verifies('id-photo.endpoint');
    await withService(async (service) => {
      service.engine.behave = async () => ({
        format: 'jpeg',
        width: 600,
        height: 600,
        dpi: 300,
        outcome: 'unreachable',
        warnings: ['preset_unverified'],
      });
      const answer = await post(
        service,
        'preset=us_visa&crop=1,2,30,40&background=%23f0f0f0&sheet=true&max_bytes=9000',
      );
      assert.equal(answer.status, 200);
      const headers = ['content-type', 'x-ic-width', 'x-ic-height', 'x-ic-outcome', 'x-ic-warnings', 'x-quota-meter'];
      assert.deepEqual(
        headers.map((name) => answer.headers.get(name)),
        ['image/jpeg', '600', '600', 'unreachable', 'preset_unverified', 'requests'],
      );
      assert.equal(await answer.text(), BODY);
      const [{ name, input }] = service.engine.calls as [(typeof service.engine.calls)[0]];
      assert.equal(name, 'id-photo');
      // No defaults for parameters that a preset sets: they would override the preset.
      assert.deepEqual(input.params, {
        preset: 'us_visa',
        crop: '1,2,30,40',
        background: '#f0f0f0',
        sheet: true,
        max_bytes: 9000,
        align: 'none',
        remove_background: false,
      });
    });
  });

  it('stores the result with output=json', async () => {
    verifies('id-photo.output-json');
    await withService(async (service) => {
      service.engine.behave = async () => ({ format: 'png', width: 413, height: 531, dpi: 300, outcome: 'done' });
      const answer = await post(service, 'preset=generic_35x45&output=json');
      assert.equal(answer.status, 200);
      const record = (await answer.json()) as Record<string, unknown>;
      assert.deepEqual(
        [record.width, record.height, record.dpi, record.format, record.outcome],
        [413, 531, 300, 'png', 'done'],
      );
      const file = await service.call(new URL(record.url as string).pathname);
      assert.equal(await file.text(), BODY);
    });
  });

  it('rejects an unknown preset', async () => {
    await withService(async (service) => {
      const answer = await post(service, 'preset=us_viza');
      assert.equal(answer.status, 404);
      const { code, message, param } = await errorOf(answer);
      assert.deepEqual([code, param], ['preset_not_found', 'preset']);
      assert.match(message, /preset of ID photos/);
      assert.equal(service.engine.calls.length, 0);
    });
  });

  it('rejects conflicting parameters before any work', async () => {
    verifies('id-photo.millimetres', 'id-photo.pixels.not-with-millimetres');
    await withService(async (service) => {
      for (const [query, code, param] of [
        ['', 'invalid_parameter', 'preset'],
        ['width_mm=35', 'conflicting_parameters', 'height_mm'],
        ['width_mm=35&height_mm=45&width=413&height=531', 'conflicting_parameters', 'width_mm'],
        ['preset=us_visa&min_bytes=300000', 'conflicting_parameters', 'min_bytes'],
        ['preset=nz_passport&sheet=true', 'invalid_parameter', 'sheet'],
        ['preset=us_visa&format=webp', 'invalid_parameter', 'format'],
        ['preset=us_visa&fit=cover', 'invalid_parameter', 'fit'],
      ] as const) {
        const answer = await post(service, query);
        assert.equal(answer.status, 400, query);
        const error = await errorOf(answer);
        assert.deepEqual([error.code, error.param], [code, param], query);
      }
      assert.equal(service.engine.calls.length, 0);
    });
  });

  it('needs a key and an image', async () => {
    await withService(async ({ origin, call }) => {
      assert.equal((await fetch(`${origin}${PATH}?preset=us_visa`, { method: 'POST', body: BODY })).status, 401);
      assert.equal((await call(`${PATH}?preset=us_visa`, { method: 'POST', body: '' })).status, 400);
    });
  });

  for (const option of ['remove_background=true', 'align=face'])
    it(`with ${option} needs the scope ai and counts as an AI request`, async () => {
      verifies('id-photo.remove-background.ai', 'id-photo.align.ai');
      await withService(async (service) => {
        const query = `preset=us_visa&${option}`;
        const refused = await post(service, query);
        assert.deepEqual([refused.status, (await errorOf(refused)).code], [403, 'scope_required']);
        const headers = await withScope(service);
        const answer = await post(service, query, headers);
        assert.deepEqual([answer.status, answer.headers.get('x-quota-meter')], [200, 'ai']);
        const plain = await post(service, 'preset=us_visa', headers);
        assert.deepEqual([plain.status, plain.headers.get('x-quota-meter')], [200, 'requests']);
      });
    });

  it('with remove_background reports a missing model, free of charge', async () => {
    await withService(async (service) => {
      const headers = await withScope(service);
      service.engine.behave = async () => {
        throw modelMissing('background');
      };
      const answer = await post(service, 'preset=us_visa&remove_background=true', headers);
      assert.equal(answer.status, 503);
      assert.ok(Number(answer.headers.get('retry-after')) > 0);
      assert.equal(answer.headers.get('x-quota-meter'), 'none');
      assert.equal((await errorOf(answer)).code, 'model_unavailable');
    });
  });
});
