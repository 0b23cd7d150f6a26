import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { withServer } from '../../support/http-server.ts';
import { withService } from '../../support/service.ts';
import { verifies } from '../../support/verifies.ts';

const COMPRESS = '/api/v1/compress';
const upload = (headers: Record<string, string> = {}) => ({ method: 'POST', body: 'abcdefgh', headers });
const result = (text: string) => new TextEncoder().encode(text).buffer as ArrayBuffer;

describe('output=binary', () => {
  it('returns the image as the body with every documented header', async () => {
    verifies(
      'output.binary',
      'header.x-ic-original-bytes',
      'header.x-ic-bytes',
      'header.x-ic-width-height',
      'header.x-ic-format',
      'header.x-ic-outcome',
      'header.x-ic-warnings',
      'header.x-ic-duration-ms',
      'header.x-ic-fingerprint',
      'header.x-ic-similarity',
      'header.x-quota-meter',
    );
    await withService(async ({ call, engine }) => {
      engine.behave = async () => ({
        data: result('12345'),
        format: 'jpeg',
        width: 20,
        height: 30,
        outcome: 'unreachable',
        warnings: ['color_converted', 'alpha_flattened'],
        fingerprint: 'c3d4a1b2e5f60718',
        similarity: 0.98765,
      });
      const answer = await call(`${COMPRESS}?filename=Žiga.png`, upload());
      assert.equal(await answer.text(), '12345');
      const { date, connection, 'keep-alive': _, ratelimit, ...headers } = Object.fromEntries(answer.headers);
      assert.match(ratelimit ?? '', /^"minute";r=119;t=60, "month";r=999;t=[0-9]+, "ai";r=100;t=[0-9]+$/);
      assert.match(headers['x-request-id'] ?? '', /^req_/);
      assert.match(headers['x-ic-duration-ms'] ?? '', /^[0-9]+$/);
      assert.deepEqual(headers, {
        'content-type': 'image/jpeg',
        'content-length': '5',
        'content-disposition': `inline; filename="_iga.jpg"; filename*=UTF-8''%C5%BDiga.jpg`,
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
        'strict-transport-security': 'max-age=31536000',
        'x-ic-original-bytes': '8',
        'x-ic-bytes': '5',
        'x-ic-width': '20',
        'x-ic-height': '30',
        'x-ic-format': 'jpeg',
        'x-ic-outcome': 'unreachable',
        'x-ic-warnings': 'color_converted,alpha_flattened',
        'x-ic-fingerprint': 'c3d4a1b2e5f60718',
        'x-ic-similarity': '0.9877',
        'x-ic-duration-ms': headers['x-ic-duration-ms'],
        'x-quota-meter': 'requests',
        'ratelimit-policy': '"minute";q=120;w=60, "month";q=1000, "ai";q=100',
        'x-request-id': headers['x-request-id'],
      });
    });
  });

  it('omits empty headers', async () => {
    verifies('header.x-ic-fingerprint', 'header.x-ic-similarity');
    await withService(async ({ call }) => {
      const { headers } = await call(COMPRESS, upload());
      for (const name of [
        'x-ic-warnings',
        'x-ic-fingerprint',
        'x-ic-similarity',
        'x-ic-test-mode',
        'access-control-allow-origin',
      ])
        assert.equal(headers.get(name), null);
    });
  });

  it('marks every response to a test key, including errors, and uses no quota', async () => {
    verifies('header.x-ic-test-mode');
    await withService(async ({ call, keys }) => {
      const headers = { authorization: `Bearer ${keys.test}` };
      const done = await call(COMPRESS, upload(headers));
      assert.equal(done.headers.get('x-ic-test-mode'), 'true');
      assert.equal(done.headers.get('x-quota-meter'), 'none');
      const failed = await call(`${COMPRESS}?quality=0`, upload(headers));
      assert.equal(failed.status, 400);
      assert.equal(failed.headers.get('x-ic-test-mode'), 'true');
    });
  });
});

describe('output=json', () => {
  it('stores the result and describes it', async () => {
    verifies('output.json', 'compress.output-json');
    await withService(async ({ call, engine, keys }) => {
      const explain = [{ format: 'webp' as const, quality: 80, bytes: 5, similarity: 0.99, chosen: true }];
      engine.behave = async () => ({
        data: result('12345'),
        dpi: 300,
        explain,
        similarity: 0.98765,
        warnings: ['print_resolution_low'],
      });
      const answer = await call(
        `${COMPRESS}?output=json&filename=a.png`,
        upload({ authorization: `Bearer ${keys.test}` }),
      );
      assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
      const { id, url, expires_at, duration_ms, ...rest } = (await answer.json()) as Record<string, unknown>;
      assert.match(String(id), /^file_[0-9A-HJKMNP-TV-Z]{26}$/);
      assert.equal(url, `https://images.example.com/api/v1/files/${id}`);
      assert.equal(new Date(String(expires_at)).toISOString(), expires_at);
      assert.equal(Number.isInteger(duration_ms), true);
      assert.deepEqual(rest, {
        filename: 'a.webp',
        content_type: 'image/webp',
        format: 'webp',
        bytes: 5,
        width: 4,
        height: 3,
        dpi: 300,
        sha256: createHash('sha256').update('12345').digest('hex'),
        original_bytes: 8,
        original_format: 'jpeg',
        original_width: 8,
        original_height: 6,
        saved_bytes: 3,
        saved_percent: 37.5,
        outcome: 'reduced',
        warnings: ['print_resolution_low'],
        quota_meter: 'none',
        test_mode: true,
        similarity: 0.9877,
        explain,
      });
    });
  });

  it('returns storage_full if the storage is full', async () => {
    await withService(
      async ({ call }) => {
        const answer = await call(`${COMPRESS}?output=json`, upload());
        assert.equal(answer.status, 507);
      },
      { env: { IC_STORAGE_BYTES: '7' } },
    );
  });
});

describe('deliver_to', () => {
  const env = { IC_ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8' };

  it('delivers the result and stores nothing', async () => {
    verifies('compress.deliver-to', 'compress.deliver-to.not-returned');
    const received: { method: string; url: string; type: string; body: string }[] = [];
    await withServer(
      async (req, res) => {
        const body = (await buffer(req)).toString();
        received.push({ method: req.method ?? '', url: req.url ?? '', type: req.headers['content-type'] ?? '', body });
        res.writeHead(201).end();
      },
      async ({ origin }) => {
        await withService(
          async ({ call, services, logged }) => {
            const address = `${origin}/bucket/a.webp?signature=hunter2`;
            const answer = await call(`${COMPRESS}?output=json&deliver_to=${encodeURIComponent(address)}`, upload());
            assert.equal(answer.status, 200);
            const text = await answer.text();
            const { delivered, delivery, bytes, id, url, expires_at } = JSON.parse(text);
            assert.deepEqual([delivered, bytes, id, url, expires_at], [true, 8, undefined, undefined, undefined]);
            assert.deepEqual([delivery.host, delivery.status], [new URL(origin).host, 201]);
            assert.deepEqual(received, [
              { method: 'PUT', url: '/bucket/a.webp?signature=hunter2', type: 'image/webp', body: 'abcdefgh' },
            ]);
            assert.equal(services.results.usedBytes, 0);
            assert.doesNotMatch(text + JSON.stringify(logged()), /hunter2/);
          },
          { env },
        );
      },
    );
  });

  it('reports the status of the storage if it rejects the delivery', async () => {
    await withServer(
      (_req, res) => res.writeHead(403).end(),
      async ({ origin }) => {
        await withService(
          async ({ call }) => {
            const answer = await call(`${COMPRESS}?deliver_to=${encodeURIComponent(origin)}`, upload());
            const { error } = (await answer.json()) as { error: { code: string; message: string } };
            assert.deepEqual([answer.status, error.code], [502, 'delivery_failed']);
            assert.match(error.message, /403/);
          },
          { env },
        );
      },
    );
  });
});
