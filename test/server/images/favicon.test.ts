/** POST /api/v1/favicon over HTTP: with a fake engine, and once with a result of the real one. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { unzipSync } from 'fflate';
import type { ZipOutput, ZipResult } from '../../../engine/operations/definition.ts';
import { favicon } from '../../../engine/operations/favicon/definition.ts';
import { storedZip } from '../../../server/images/zip-response.ts';
import { makePack } from '../../engine/favicon/pack.ts';
import { type TestOptions, type TestService, withService } from '../../support/service.ts';
import { pattern, png } from '../../support/test-images.ts';
import { verifies } from '../../support/verifies.ts';

const PATH = '/api/v1/favicon';
const storedFavicon = storedZip(favicon.output as ZipOutput);
const BYTES = new TextEncoder().encode('PK and so on');
const FILES = ['favicon.ico', 'site.webmanifest'];

const result = (extra: Partial<ZipResult> = {}): ZipResult => ({
  data: new Uint8Array(BYTES).buffer,
  files: FILES,
  warnings: ['source_small', 'animation_flattened'],
  source: { format: 'gif', bytes: 321, width: 8, height: 6 },
  phases: { decode: 1, process: 2, encode: 3 },
  ...extra,
});

function withFavicon(
  work: (service: TestService) => Promise<void>,
  answer: ZipResult = result(),
  options?: TestOptions,
): Promise<void> {
  return withService(async (service) => {
    service.engine.answers = { favicon: answer };
    await work(service);
  }, options);
}

const post = (body: BodyInit = 'image'): RequestInit => ({ method: 'POST', body });

async function refusal(answer: Response): Promise<[number, string, string | undefined]> {
  const { error } = (await answer.json()) as { error: { code: string; param?: string } };
  return [answer.status, error.code, error.param];
}

describe('POST /api/v1/favicon', () => {
  it('returns the ZIP as an attachment, and describes it in headers', async () => {
    verifies('favicon.endpoint', 'favicon.source-small');
    await withFavicon(async ({ call, logged }) => {
      const answer = await call(PATH, post());
      assert.equal(answer.status, 200);
      assert.deepEqual(new Uint8Array(await answer.arrayBuffer()), BYTES);
      const headers = Object.fromEntries(answer.headers);
      assert.equal(headers['content-type'], 'application/zip');
      assert.equal(headers['content-disposition'], `attachment; filename="favicon.zip"; filename*=UTF-8''favicon.zip`);
      assert.equal(headers['cache-control'], 'no-store');
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(headers['x-ic-original-bytes'], '321');
      assert.equal(headers['x-ic-bytes'], String(BYTES.length));
      assert.equal(headers['x-ic-outcome'], 'done');
      assert.equal(headers['x-ic-warnings'], 'source_small,animation_flattened');
      assert.match(headers['x-ic-duration-ms']!, /^\d+$/);
      assert.equal(headers['x-quota-meter'], 'requests');
      for (const name of ['x-ic-width', 'x-ic-height', 'x-ic-format']) assert.equal(headers[name], undefined, name);
      const line = logged().at(-1);
      assert.deepEqual([line?.operation, line?.pixels, line?.outcome], ['favicon', 48, 'done']);
    });
  });

  it('sends no warnings header if there are none', async () => {
    await withFavicon(
      async ({ call }) => assert.equal((await call(PATH, post())).headers.get('x-ic-warnings'), null),
      result({ warnings: [] }),
    );
  });

  it('stores the result with output=json and returns a link', async () => {
    verifies('favicon.output-json');
    const now = Date.parse('2030-01-02T03:04:05.000Z');
    const work = async ({ call, services }: TestService) => {
      const answer = await call(`${PATH}?output=json`, post());
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
      assert.equal(answer.headers.get('cache-control'), 'no-store');
      const record = (await answer.json()) as ReturnType<typeof storedFavicon.parse>;
      assert.deepEqual(storedFavicon.parse(record), record);
      const { id, duration_ms, ...rest } = record;
      assert.match(id, /^file_/);
      assert.ok(Number.isInteger(duration_ms));
      assert.deepEqual(rest, {
        url: `${services.baseUrl}/api/v1/files/${id}`,
        expires_at: '2030-01-02T04:04:05.000Z',
        filename: 'favicon.zip',
        bytes: BYTES.length,
        files: FILES,
        warnings: ['source_small', 'animation_flattened'],
        quota_meter: 'requests',
        test_mode: false,
      });
      assert.deepEqual(
        { ...(await services.results.find((await services.database.accounts.findByName('anna'))!.id, id)) }.width,
        null,
      );
    };
    await withFavicon(work, result(), { now: () => now });
  });

  it('lets the link be downloaded', async () => {
    verifies('favicon.output-json');
    await withFavicon(async ({ call }) => {
      const { id } = (await (await call(`${PATH}?output=json`, post())).json()) as { id: string };
      const file = await call(`/api/v1/files/${id}`);
      assert.deepEqual(new Uint8Array(await file.arrayBuffer()), BYTES);
      assert.equal(file.headers.get('content-type'), 'application/zip');
      assert.match(file.headers.get('content-disposition')!, /^attachment; filename="favicon.zip"/);
      assert.equal(file.headers.get('x-ic-width'), null);
      assert.equal(file.headers.get('x-ic-format'), 'zip');
      const { operations } = (await (await call('/api/v1/formats')).json()) as { operations: Record<string, unknown> };
      assert.deepEqual(operations.favicon, { output: ['zip'], default: 'zip' });
    });
  });

  it('stores nothing when the storage is full', async () => {
    await withFavicon(
      async ({ call, services }) => {
        assert.deepEqual(await refusal(await call(`${PATH}?output=json`, post())), [507, 'storage_full', undefined]);
        assert.equal(services.results.usedBytes, 0);
      },
      result({ data: new ArrayBuffer(2000) }),
      { env: { IC_STORAGE_BYTES: '1000' } },
    );
  });

  it('passes the parameters to the engine, with the defaults', async () => {
    verifies('favicon.name', 'favicon.short-name', 'favicon.theme-color', 'favicon.background', 'favicon.padding');
    await withFavicon(async ({ call, engine }) => {
      await call(PATH, post());
      const query = new URLSearchParams({
        name: 'Harbour & Café',
        short_name: 'Harbour',
        theme_color: '#0b5fff',
        background: '#FFCC00',
        padding: '12',
        page: '2',
        filename: 'a.tga',
      });
      await call(`${PATH}?${query}`, post());
      assert.deepEqual(
        engine.calls.map(({ name, input }) => [name, input.params]),
        [
          ['favicon', { name: 'My site', theme_color: '#ffffff', background: '#ffffff', padding: 0 }],
          ['favicon', { ...Object.fromEntries(query), padding: 12, page: 2 }],
        ],
      );
      assert.equal(engine.calls[1]?.input.image.filename, 'a.tga');
    });
  });

  it('accepts every bound and rejects values beyond', async () => {
    verifies(
      'favicon.name.length',
      'favicon.short-name.length',
      'favicon.theme-color',
      'favicon.background',
      'favicon.padding.bounds',
    );
    await withFavicon(async ({ call, engine }) => {
      for (const [name, value] of [
        ['name', 'x'],
        ['name', 'x'.repeat(60)],
        ['short_name', 'x'.repeat(30)],
        ['padding', '0'],
        ['padding', '40'],
        ['theme_color', '000000'],
        ['background', '#AbCdEf'],
      ] as const) {
        const answer = await call(`${PATH}?${new URLSearchParams({ [name]: value })}`, post());
        assert.equal(answer.status, 200, `${name}=${value}`);
      }
      const accepted = engine.calls.length;
      for (const [name, value] of [
        ['name', ''],
        ['name', '   '],
        ['name', 'x'.repeat(61)],
        ['short_name', 'x'.repeat(31)],
        ['short_name', ' '],
        ['padding', '-1'],
        ['padding', '41'],
        ['padding', '1.5'],
        ['theme_color', 'red'],
        ['theme_color', '#fff'],
        ['background', 'transparent'],
        ['output', 'zip'],
        ['deliver_to', 'https://a.example/'],
        ['format', 'png'],
        ['page', '0'],
      ] as const) {
        const answer = await call(`${PATH}?${new URLSearchParams({ [name]: value })}`, post());
        assert.deepEqual(await refusal(answer), [400, 'invalid_parameter', name], `${name}=${value}`);
      }
      assert.equal(engine.calls.length, accepted);
    });
  });

  it('accepts a form, and the query wins over its fields', async () => {
    await withFavicon(async ({ call, engine }) => {
      const form = new FormData();
      form.set('image', new Blob(['image']), 'logo.svg');
      form.set('name', 'From the form');
      form.set('padding', '5');
      assert.equal((await call(`${PATH}?padding=6`, post(form))).status, 200);
      const { image, params } = engine.calls[0]!.input as unknown as { image: { filename: string }; params: object };
      assert.equal(image.filename, 'logo.svg');
      assert.deepEqual([Reflect.get(params, 'name'), Reflect.get(params, 'padding')], ['From the form', 6]);
    });
  });

  it('needs an image and a key, and uses no quota with a test key', async () => {
    await withFavicon(async ({ call, origin, keys }) => {
      assert.deepEqual((await refusal(await call(PATH, post('')))).slice(0, 2), [400, 'missing_image']);
      assert.equal((await fetch(origin + PATH, post())).status, 401);
      assert.equal((await call(PATH)).status, 405);
      const headers = { authorization: `Bearer ${keys.test}` };
      const answer = await call(`${PATH}?output=json`, { ...post(), headers });
      const { quota_meter, test_mode } = (await answer.json()) as ReturnType<typeof storedFavicon.parse>;
      assert.deepEqual([quota_meter, test_mode], ['none', true]);
      assert.equal(answer.headers.get('x-ic-test-mode'), 'true');
    });
  });

  it('returns a complete real pack', async () => {
    verifies('favicon.endpoint');
    const { result: made, zip, names } = await makePack(await png(pattern(64, 64, 4)));
    await withFavicon(async ({ call }) => {
      const answer = Buffer.from(await (await call(PATH, post())).arrayBuffer());
      assert.deepEqual(answer, zip);
      assert.deepEqual(Object.keys(unzipSync(answer)), names);
    }, made);
  });
});
