import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { securityHeaders } from '../../../server/http/security-headers.ts';
import { withService } from '../../support/service.ts';
import { sendRaw } from '../../support/socket.ts';

const HSTS = 'max-age=31536000';

describe('security headers', () => {
  it('are on every response: pages, images, errors and files', async () => {
    await withService(async ({ call }) => {
      const image = { method: 'POST', body: 'abcd' };
      for (const [path, init] of [
        ['/', {}],
        ['/docs', {}],
        ['/openapi.json', {}],
        ['/healthz', {}],
        ['/nothing', {}],
        ['/api/v1/compress', image],
        ['/api/v1/compress?quality=0', image],
        ['/api/v1/usage', {}],
      ] as const) {
        const response = await call(path, { ...init, redirect: 'manual' });
        await response.arrayBuffer();
        assert.equal(response.headers.get('strict-transport-security'), HSTS, path);
        assert.match(response.headers.get('permissions-policy') ?? '', /^camera=\(\), .*geolocation=\(\)/, path);
        assert.equal(response.headers.get('x-content-type-options'), 'nosniff', path);
      }
    });
  });

  it('protect pages from frames and other origins', async () => {
    await withService(async ({ origin }) => {
      for (const path of ['/docs', '/bot']) {
        const { headers } = await fetch(origin + path);
        assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*frame-ancestors 'none'/, path);
        assert.equal(headers.get('x-frame-options'), 'DENY', path);
        assert.equal(headers.get('referrer-policy'), 'no-referrer', path);
        assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin', path);
      }
    });
  });

  it('include HSTS only if the public address uses HTTPS', () => {
    assert.equal(securityHeaders('https://images.example.com')['Strict-Transport-Security'], HSTS);
    assert.equal(securityHeaders('http://127.0.0.1:8080')['Strict-Transport-Security'], undefined);
  });

  it('are on responses to invalid HTTP', async () => {
    await withService(async ({ port }) => {
      const { headers } = await sendRaw(port, 'hello\r\n\r\n');
      assert.match(headers.get('permissions-policy') ?? '', /^camera=\(\)/);
    });
  });
});
