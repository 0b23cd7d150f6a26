/** POST /api/v1/inspect over HTTP: with a fake engine that returns a record of the real one. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type InspectionRecord, inspectionRecord } from '../../../engine/operations/inspect/record.ts';
import { withMetadata } from '../../codecs/metadata/fixtures.ts';
import { inspect } from '../../support/engine.ts';
import { withServer } from '../../support/http-server.ts';
import { type TestOptions, type TestService, withService } from '../../support/service.ts';
import { verifies } from '../../support/verifies.ts';

const PATH = '/api/v1/inspect';

/** Runs `work` with a service whose engine returns the real inspect record of a file. */
async function withInspect(work: (service: TestService, file: Uint8Array) => Promise<void>, options?: TestOptions) {
  const file = await withMetadata('jpeg');
  const record = await inspect(file);
  await withService(async (service) => {
    service.engine.answers = { inspect: { record, phases: { decode: 1, process: 2, encode: 0 } } };
    await work(service, file);
  }, options);
}

describe('POST /api/v1/inspect', () => {
  it('returns the record as JSON, counted like any request', async () => {
    verifies('inspect.endpoint', 'inspect.format', 'inspect.size', 'inspect.metadata', 'inspect.gps');
    await withInspect(async ({ call, engine, logged }, file) => {
      const answer = await call(`${PATH}?page=2&filename=a.tga`, { method: 'POST', body: file as BodyInit });
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
      assert.equal(answer.headers.get('cache-control'), 'no-store');
      assert.equal(answer.headers.get('x-quota-meter'), 'requests');
      const record = (await answer.json()) as InspectionRecord;
      assert.deepEqual(inspectionRecord.parse(record), record);
      assert.equal(record.format, 'jpeg');
      assert.equal(record.metadata.exif?.Make, 'Acme');
      assert.ok(Number.isInteger(record.duration_ms));
      const [{ name, input }] = engine.calls as [(typeof engine.calls)[0]];
      assert.equal(name, 'inspect');
      assert.deepEqual(input.params, { page: 2, filename: 'a.tga' });
      assert.equal(input.image.filename, 'a.tga');
      assert.deepEqual(new Uint8Array(input.image.data), new Uint8Array(file));
      const line = logged().at(-1);
      assert.deepEqual([line?.operation, line?.pixels], ['inspect', record.width * record.height]);
      // Metadata is private to the sender, so it must not be logged.
      assert.doesNotMatch(JSON.stringify(logged()), /Acme|Ljubljana/);
    });
  });

  it('also accepts a form and an address', async () => {
    await withInspect(async ({ call, engine }, file) => {
      const form = new FormData();
      form.set('image', new Blob([file as BlobPart]), 'beach.jpg');
      form.set('page', '3');
      assert.equal((await call(PATH, { method: 'POST', body: form })).status, 200);
      const [{ input }] = engine.calls as [(typeof engine.calls)[0]];
      assert.deepEqual([input.image.filename, input.params.page], ['beach.jpg', 3]);
    });
    await withServer(
      (_request, response) => response.end('bytes'),
      ({ origin }) =>
        withInspect(
          async ({ call, engine }) => {
            const body = JSON.stringify({ url: `${origin}/a.png`, page: 2 });
            const headers = { 'content-type': 'application/json' };
            assert.equal((await call(PATH, { method: 'POST', body, headers })).status, 200);
            assert.equal(engine.calls[0]?.input.params.page, 2);
          },
          { env: { IC_ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8' } },
        ),
    );
  });

  it('accepts no parameters but page and filename', async () => {
    await withInspect(async ({ call, engine }, file) => {
      for (const query of ['output=json', 'deliver_to=https://a.example/', 'quality=5', 'page=0']) {
        const answer = await call(`${PATH}?${query}`, { method: 'POST', body: file as BodyInit });
        assert.equal(answer.status, 400);
        const { error } = (await answer.json()) as { error: { code: string; param: string } };
        assert.deepEqual([error.code, error.param], ['invalid_parameter', query.split('=')[0]]);
      }
      assert.equal(engine.calls.length, 0);
    });
  });

  it('needs an image and a key', async () => {
    await withInspect(async ({ call, origin }) => {
      assert.equal((await call(PATH, { method: 'POST', body: '' })).status, 400);
      assert.equal((await fetch(origin + PATH, { method: 'POST', body: 'x' })).status, 401);
      assert.equal((await call(PATH)).status, 405);
    });
  });

  it('uses no quota with a test key', async () => {
    await withInspect(async ({ call, keys }, file) => {
      const headers = { authorization: `Bearer ${keys.test}` };
      const answer = await call(PATH, { method: 'POST', body: file as BodyInit, headers });
      assert.deepEqual([answer.status, answer.headers.get('x-quota-meter')], [200, 'none']);
    });
  });
});
