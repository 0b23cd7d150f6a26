/** An SVG that is compressed as an SVG, over HTTP: headers and file name of the response. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { TaskName } from '../../../engine/task.ts';
import { testServiceEngine } from '../../support/engine.ts';
import { type TestService, withService } from '../../support/service.ts';

const DRAWING =
  '<svg xmlns="http://www.w3.org/2000/svg" width="60" height="40">\n  <!-- Ann -->\n  <script>alert(1)</script>\n  <path d="M 0.0000 0.0000 L 60.0000 40.0000 L 0 40 Z"/>\n</svg>\n';
const SMALL =
  '<svg xmlns="http://www.w3.org/2000/svg" width="60" height="40"><script>alert(1)</script><path d="m0 0 60 40H0Z"/></svg>';

/** Runs `work` with a service that uses the real engine. */
function withEngine(work: (service: TestService) => Promise<void>): Promise<void> {
  return withService(async (service) => {
    service.engine.behave = async ({ name, input }) =>
      (await (await testServiceEngine()).run(name as TaskName, input as never)) as object;
    await work(service);
  });
}

function form(fields: Record<string, string | File>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  return data;
}
const file = (name = 'logo.svg') => new File([DRAWING], name);

function assertSafe({ headers }: Response, name: string): void {
  assert.equal(headers.get('Content-Type'), 'image/svg+xml');
  assert.equal(headers.get('X-Content-Type-Options'), 'nosniff');
  assert.match(headers.get('Content-Disposition')!, /^attachment;/);
  assert.ok(headers.get('Content-Disposition')!.includes(`filename="${name}"`));
}

describe('an SVG over HTTP', () => {
  it('is returned smaller, as an attachment', async () => {
    await withEngine(async ({ call }) => {
      const response = await call('/api/v1/compress', { method: 'POST', body: form({ image: file() }) });
      assert.equal(response.status, 200);
      assertSafe(response, 'logo.svg');
      const names = ['Format', 'Outcome', 'Width', 'Height', 'Original-Bytes', 'Bytes', 'Warnings'];
      assert.deepEqual(
        names.map((name) => response.headers.get(`X-IC-${name}`)),
        ['svg', 'reduced', '60', '40', String(DRAWING.length), String(SMALL.length), null],
      );
      assert.equal(await response.text(), SMALL);
      const image = await call('/api/v1/compress?width=30', { method: 'POST', body: DRAWING });
      assert.equal(image.headers.get('Content-Type'), 'image/png');
      assert.match(image.headers.get('Content-Disposition')!, /^inline;/);
    });
  });

  it('can be stored as a file, which downloads as an attachment and is counted', async () => {
    await withEngine(async ({ call }) => {
      const response = await call('/api/v1/compress?output=json', { method: 'POST', body: form({ image: file() }) });
      const { url, ...record } = (await response.json()) as Record<string, unknown>;
      assert.deepEqual(
        [record.format, record.content_type, record.filename, record.bytes, record.outcome, record.quota_meter],
        ['svg', 'image/svg+xml', 'logo.svg', SMALL.length, 'reduced', 'requests'],
      );
      const stored = await call(new URL(String(url)).pathname);
      assertSafe(stored, 'logo.svg');
      assert.equal(await stored.text(), SMALL);
      const usage = (await (await call('/api/v1/usage')).json()) as { requests: { used: number } };
      assert.equal(usage.requests.used, 1);
    });
  });

  it('keeps the extension of an SVGZ file', async () => {
    await withEngine(async ({ call, keys }) => {
      const packed = new File([gzipSync(DRAWING)], 'logo.svgz');
      const response = await call('/api/v1/compress', { method: 'POST', body: form({ image: packed }) });
      assertSafe(response, 'logo.svgz');
      const headers = { authorization: `Bearer ${keys.pro}` };
      const pipeline = JSON.stringify({ steps: [{ op: 'compress' }] });
      const run = await call('/api/v1/pipeline', { method: 'POST', headers, body: form({ image: packed, pipeline }) });
      assert.equal(run.status, 200, await run.clone().text());
      assertSafe(run, 'logo.svgz');
    });
  });
});
