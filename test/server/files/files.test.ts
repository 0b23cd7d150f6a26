import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { type TestOptions, type TestService, withService } from '../../support/service.ts';
import { verifies } from '../../support/verifies.ts';

const BODY = '0123456789';
const ETAG = `"${createHash('sha256').update(BODY).digest('hex')}"`;

interface Stored extends TestService {
  path: string;
}

/** Runs `work` with a stored result of ten bytes of the free account. */
async function withFile(
  work: (stored: Stored) => Promise<void>,
  contentType = 'image/png',
  options: TestOptions = {},
): Promise<void> {
  await withService(async (service) => {
    const { account } = await service.services.authenticate(`Bearer ${service.keys.free}`);
    const data = new TextEncoder().encode(BODY).buffer as ArrayBuffer;
    const { id } = await service.services.results.put(account.id, {
      data,
      filename: 'a.png',
      contentType,
      format: 'png',
      width: 4,
      height: 3,
    });
    await work({ ...service, path: `/api/v1/files/${id}` });
  }, options);
}

async function codeOf(answer: Response): Promise<[number, string]> {
  const { error } = (await answer.json()) as { error: { code: string } };
  return [answer.status, error.code];
}

describe('GET and HEAD /api/v1/files/{id}', () => {
  it('return the documented headers, and GET returns the bytes', async () => {
    verifies('files.download');
    await withFile(async ({ call, path }) => {
      const [got, head] = [await call(path), await call(path, { method: 'HEAD' })];
      assert.deepEqual([got.status, head.status], [200, 200]);
      assert.equal(await got.text(), BODY);
      assert.equal(await head.text(), '');
      for (const { headers } of [got, head]) {
        const {
          date,
          connection,
          'keep-alive': _,
          'x-request-id': id,
          'cache-control': cache,
          ratelimit,
          ...rest
        } = Object.fromEntries(headers);
        assert.match(ratelimit ?? '', /^"minute";r=11[0-9];t=[0-9]+, "month";r=1000;t=[0-9]+, "ai";r=100;t=[0-9]+$/);
        assert.match(cache ?? '', /^private, max-age=(3600|359[0-9]), immutable$/);
        assert.deepEqual(rest, {
          'accept-ranges': 'bytes',
          'content-disposition': `inline; filename="a.png"; filename*=UTF-8''a.png`,
          'content-length': '10',
          'content-type': 'image/png',
          etag: ETAG,
          'x-content-type-options': 'nosniff',
          'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
          'strict-transport-security': 'max-age=31536000',
          'x-ic-bytes': '10',
          'x-ic-format': 'png',
          'x-ic-height': '3',
          'x-ic-width': '4',
          'x-quota-meter': 'none',
          'ratelimit-policy': '"minute";q=120;w=60, "month";q=1000, "ai";q=100',
        });
      }
    });
  });

  it('return a range', async () => {
    await withFile(async ({ call, path }) => {
      for (const [range, part, contentRange] of [
        ['bytes=2-4', '234', 'bytes 2-4/10'],
        ['bytes=7-', '789', 'bytes 7-9/10'],
        ['bytes=-1', '9', 'bytes 9-9/10'],
      ] as const) {
        const answer = await call(path, { headers: { range } });
        assert.equal(answer.status, 206);
        assert.equal(answer.headers.get('content-range'), contentRange);
        assert.equal(answer.headers.get('content-length'), String(part.length));
        assert.equal(await answer.text(), part);
      }
      const head = await call(path, { method: 'HEAD', headers: { range: 'bytes=2-4' } });
      assert.deepEqual([head.status, head.headers.get('content-length')], [200, '10']);
      const beyond = await call(path, { method: 'HEAD', headers: { range: 'bytes=10-' } });
      assert.equal(beyond.status, 200);
      const whole = await call(path, { headers: { range: 'bytes=0-1,3-4' } });
      assert.deepEqual([whole.status, await whole.text()], [200, BODY]);
    });
  });

  it('return 416 for a range outside the file', async () => {
    await withFile(async ({ call, path }) => {
      const answer = await call(path, { headers: { range: 'bytes=10-' } });
      assert.equal(answer.headers.get('content-range'), 'bytes */10');
      for (const name of ['etag', 'content-disposition', 'x-ic-format', 'x-ic-bytes', 'x-ic-width', 'x-ic-height'])
        assert.equal(answer.headers.get(name), null);
      assert.deepEqual(await codeOf(answer), [416, 'invalid_request']);
    });
  });

  it('return a range only of the same version', async () => {
    await withFile(async ({ call, path }) => {
      const same = await call(path, { headers: { range: 'bytes=2-4', 'if-range': ETAG } });
      assert.deepEqual([same.status, await same.text()], [206, '234']);
      const other = await call(path, { headers: { range: 'bytes=2-4', 'if-range': '"other"' } });
      assert.deepEqual([other.status, await other.text()], [200, BODY]);
    });
  });

  it('return 304 if the client has the file', async () => {
    await withFile(async ({ call, path }) => {
      for (const tag of [ETAG, `W/${ETAG}`, `"other", ${ETAG}`, '*']) {
        const answer = await call(path, { headers: { 'if-none-match': tag } });
        assert.deepEqual([answer.status, await answer.text()], [304, '']);
        assert.equal(answer.headers.get('etag'), ETAG);
      }
      assert.equal((await call(path, { headers: { 'if-none-match': '"other"' } })).status, 200);
    });
  });

  it('make a browser save files that could run scripts', async () => {
    for (const type of ['image/svg+xml', 'text/html', 'application/zip', 'application/xhtml+xml']) {
      await withFile(async ({ call, path }) => {
        const { headers } = await call(path);
        assert.match(headers.get('content-disposition') ?? '', /^attachment;/);
        assert.equal(headers.get('content-type'), type);
      }, type);
    }
  });

  it('find only files of the same account', async () => {
    await withFile(async ({ call, path, keys }) => {
      const foreign = { headers: { authorization: `Bearer ${keys.pro}` } };
      assert.deepEqual(await codeOf(await call(path, foreign)), [404, 'not_found']);
      assert.deepEqual(await codeOf(await call(path, { ...foreign, method: 'DELETE' })), [404, 'not_found']);
      assert.equal((await call(path, { headers: { authorization: `Bearer ${keys.test}` } })).status, 200);
      for (const id of ['file_01JD3Z8Q4W0V6S8H2N5B7C9E1F', '..%2f..%2fetc%2fpasswd', '%00', 'parts'])
        assert.deepEqual(await codeOf(await call(`/api/v1/files/${id}`)), [404, 'not_found']);
    });
  });

  it('return the error expired as soon as the hour has passed', async () => {
    verifies('output.json.one-hour');
    const clock = { now: Date.now() };
    await withFile(
      async ({ call, path }) => {
        clock.now += 3_599_999;
        assert.equal((await call(path)).status, 200);
        clock.now += 1;
        assert.deepEqual(await codeOf(await call(path)), [410, 'expired']);
        clock.now += 24 * 3_600_000;
        assert.deepEqual(await codeOf(await call(path)), [404, 'not_found']);
      },
      'image/png',
      { now: () => clock.now },
    );
  });
});

describe('DELETE /api/v1/files/{id}', () => {
  it('removes the file', async () => {
    await withFile(async ({ call, path, services }) => {
      const answer = await call(path, { method: 'DELETE' });
      assert.equal(answer.status, 200);
      assert.deepEqual(await answer.json(), { deleted: true, id: path.split('/').at(-1) });
      assert.equal(services.results.usedBytes, 0);
      assert.deepEqual(await codeOf(await call(path)), [404, 'not_found']);
    });
  });
});
