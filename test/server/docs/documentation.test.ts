import assert from 'node:assert/strict';
import promises, { readFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { after, before, describe, it } from 'node:test';
import { HTTP_STATUS_BY_CODE } from '../../../base/failure.ts';
import { compressParams } from '../../../engine/operations/compress/params.ts';
import { SECTIONS } from '../../../server/docs/contents.ts';
import { endpointsOf } from '../../../server/docs/endpoint-text.ts';
import { DOCUMENTED } from '../../../server/endpoints.ts';
import { createOpenApi } from '../../../server/http/openapi.ts';
import { type KeptOpen, keepOpen } from '../../support/keep-open.ts';
import { repositoryFile } from '../../support/repository.ts';
import { type TestService, withService } from '../../support/service.ts';

const NAMES = SECTIONS.flatMap(({ pages }) => pages);

describe('the documentation', () => {
  let service: KeptOpen<TestService>;
  let origin: string;
  // One service for all tests: it renders all pages for the first request.
  before(async () => {
    service = await keepOpen(withService);
    ({ origin } = service.resource);
  });
  after(() => service.close());

  it('has every page as HTML and as Markdown, without a key', async () => {
    for (const name of ['index', ...NAMES]) {
      const page = await fetch(`${origin}/docs/${name}`);
      assert.equal(page.status, 200, name);
      assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
      assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/);
      const html = await page.text();
      assert.match(html, /<h1 id=/, name);
      // All placeholders are replaced by values of the declarations.
      assert.doesNotMatch(html, /\{\{\w+|undefined|\[object/, name);
      const markdown = await fetch(`${origin}/docs/${name}.md`);
      assert.equal(markdown.headers.get('content-type'), 'text/markdown; charset=utf-8');
      assert.match(await markdown.text(), /^# /, name);
    }
  });

  it('handles HEAD, conditional requests and unknown pages', async () => {
    const first = await fetch(`${origin}/docs/start`);
    const etag = first.headers.get('etag')!;
    assert.match(first.headers.get('cache-control') ?? '', /max-age=300/);
    assert.equal((await fetch(`${origin}/docs/start`, { headers: { 'if-none-match': etag } })).status, 304);
    const head = await fetch(`${origin}/docs`, { method: 'HEAD' });
    assert.equal(head.status, 200);
    assert.equal(await head.text(), '');
    // Fills the cache first: entries of other paths must not be served under the paths below.
    for (const path of ['/llms.txt', '/docs/files/photo.jpg']) await (await fetch(origin + path)).arrayBuffer();
    for (const path of [
      '/docs/nowhere',
      '/docs/nowhere.md',
      '/docs/files/examples.json',
      '/docs/files/..%2fmcp.md',
      '/docs/files%2fphoto.jpg',
      '/docs/llms.txt',
      '/docs/__proto__',
      '/docs/files/__proto__',
    ]) {
      const answer = await fetch(origin + path);
      assert.equal(answer.status, 404, path);
      assert.equal((await answer.json()).error.code, 'not_found');
    }
    assert.equal((await fetch(`${origin}/docs/start?x=1`)).status, 400);
  });

  it('has every page once', () => {
    assert.deepEqual(NAMES, [...new Set(NAMES)]);
  });

  it('shows the address and the plans of this service', async () => {
    // The base URL of the test service.
    assert.match(
      await (await fetch(`${origin}/docs/start.md`)).text(),
      /https:\/\/images\.example\.com\/api\/v1\/compress/,
    );
    assert.match(await (await fetch(`${origin}/docs/limits.md`)).text(), /\| Requests a month \| 1,000 \| 20,000 \|/);
  });

  it('has every endpoint, every parameter of compress and every error code', async () => {
    const read = async (name: string) => (await fetch(`${origin}/docs/${name}.md`)).text();
    const reference = (await Promise.all(NAMES.filter((name) => name.startsWith('reference-')).map(read))).join('\n');
    for (const { method, path } of endpointsOf(createOpenApi(DOCUMENTED)))
      assert.ok(reference.includes(`## ${method} ${path}\n`), `${method} ${path}`);
    const compress = await read('compress');
    for (const name of Object.keys(compressParams.shape)) assert.ok(compress.includes(`| \`${name}\` |`), name);
    const errors = await read('errors');
    for (const [code, status] of Object.entries(HTTP_STATUS_BY_CODE))
      assert.ok(errors.includes(`| \`${code}\` | ${status} |`), code);
  });

  it('lists its pages in llms.txt and search.json', async () => {
    const answer = await fetch(`${origin}/llms.txt`);
    assert.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8');
    const text = await answer.text();
    assert.match(text, /^# Imagecrew\n\n> /);
    for (const name of NAMES) assert.ok(text.includes(`/docs/${name}.md): `), name);
    const entries = await (await fetch(`${origin}/docs/search.json`)).json();
    assert.ok(entries.some(({ title }: { title: string }) => title === 'crop_ratio'));
  });

  it('has the licences of what the service contains, linked from every page', async () => {
    assert.match(await (await fetch(`${origin}/docs/start`)).text(), /<a href="\/licences">/);
    const { readFile: read } = promises;
    Object.assign(promises, { readFile: () => Promise.reject(new Error('too many open files')) });
    syncBuiltinESMExports();
    const failed = await fetch(`${origin}/licences`).finally(() => {
      Object.assign(promises, { readFile: read });
      syncBuiltinESMExports();
    });
    assert.equal(failed.status, 500);
    const answer = await fetch(`${origin}/licences`);
    assert.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8');
    assert.match(answer.headers.get('cache-control') ?? '', /max-age=300/);
    assert.equal(await answer.text(), await readFile(repositoryFile('THIRD-PARTY-NOTICES'), 'utf8'));
    const etag = answer.headers.get('etag')!;
    assert.equal((await fetch(`${origin}/licences`, { headers: { 'if-none-match': etag } })).status, 304);
    const head = await fetch(`${origin}/licences`, { method: 'HEAD' });
    assert.equal(head.status, 200);
    assert.equal(await head.text(), '');
  });

  it('shows images and their sources', async () => {
    const image = await fetch(`${origin}/docs/files/photo.webp`);
    assert.equal(image.headers.get('content-type'), 'image/webp');
    const source = await fetch(`${origin}/docs/files/photo.jpg`);
    assert.equal(source.headers.get('content-type'), 'image/jpeg');
    assert.ok((await source.arrayBuffer()).byteLength > 100_000);
  });
});
