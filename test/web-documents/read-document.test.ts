import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nameNumber } from '../../web-documents/names.ts';
import type { DocumentKind, DocumentReading } from '../../web-documents/reading.ts';
import { testEngine } from '../support/engine.ts';
import { addresses, bytesOf, URL_OF_PAGE } from './documents.ts';

async function read(kind: DocumentKind, data: ArrayBuffer, contentType?: string): Promise<DocumentReading> {
  const params = { kind, url: URL_OF_PAGE, contentType };
  return await (await testEngine()).run('read-document', { document: { data }, params }, { lane: 'background' });
}

describe('a document', () => {
  const image = 'https://example.org/shop/a.png';

  it('is read as a page', async () => {
    const reading = await read(
      'page',
      bytesOf('<title>A</title><img src=a.png class="B c"><a href=b.html>'),
      'text/html',
    );
    assert.deepEqual(addresses(reading), [image]);
    assert.deepEqual(reading.page, {
      title: 'A',
      canonicalUrl: null,
      links: ['https://example.org/shop/b.html'],
      manifestUrl: null,
      names: ['html', 'head', 'body', 'title', 'img', '.b', '.c', 'a'].map(nameNumber),
      needsJavaScript: false,
    });
    const empty = await read('page', bytesOf('<body class=x><div id=root></div>'), 'text/html');
    assert.deepEqual([empty.page?.needsJavaScript, empty.page?.names], [true, undefined]);
  });

  it('lists what selectors need for a page, but not for an SVG', async () => {
    const css = '.hero{background:url(a.png)}';
    const svg = `<svg xmlns="http://www.w3.org/2000/svg"><style>${css}</style></svg>`;
    const needed = async (kind: DocumentKind, source: string) =>
      (await read(kind, bytesOf(source))).references.map((reference) => reference.needed);
    assert.deepEqual(await needed('stylesheet', css), [[[nameNumber('.hero')]]]);
    assert.deepEqual(await needed('page', svg), [[[nameNumber('.hero')]]]);
    assert.deepEqual(await needed('svg', svg), [undefined]);
  });

  it('is read as XHTML when it is sent as XHTML', async () => {
    const source = bytesOf('<html><script src="x"/><img src="a.png"/></html>');
    assert.deepEqual(addresses(await read('page', source.slice(0), 'text/html')), []);
    assert.deepEqual(addresses(await read('page', source, 'application/xhtml+xml; charset=utf-8')), [image]);
  });

  it('is read as a style sheet, a manifest or an SVG', async () => {
    for (const [kind, source] of [
      ['stylesheet', 'p{background:url(a.png)}'],
      ['manifest', '{"icons":[{"src":"a.png"}]}'],
      ['svg', '<svg xmlns="http://www.w3.org/2000/svg"><image href="a.png"/></svg>'],
    ] as const) {
      const reading = await read(kind, bytesOf(source));
      assert.deepEqual(addresses(reading), [image], kind);
      assert.equal(reading.page, null, kind);
    }
  });

  it('lists the images and style sheets of an SVG', async () => {
    const reading = await read(
      'svg',
      bytesOf(
        '<?xml-stylesheet type="text/css" href="a.css"?><svg><style>@import "b.css";</style><title>T</title></svg>',
      ),
    );
    assert.deepEqual(reading.stylesheets, ['https://example.org/shop/a.css', 'https://example.org/shop/b.css']);
  });

  it('is decoded by the charset of its header', async () => {
    const source = new Uint8Array(Buffer.from('<img src=a alt=\xe8>', 'latin1')).buffer;
    const { references } = await read('page', source, 'text/html; charset=windows-1250');
    assert.equal(references[0]!.alt, 'č');
  });

  it('may be empty', async () => {
    for (const kind of ['page', 'stylesheet', 'manifest', 'svg'] as const)
      assert.deepEqual((await read(kind, new ArrayBuffer(0))).references, []);
  });

  it('stops when its signal is aborted', async () => {
    const engine = await testEngine();
    const cancelled = engine.run(
      'read-document',
      { document: { data: bytesOf('<p>') }, params: { kind: 'page', url: URL_OF_PAGE, contentType: undefined } },
      { signal: AbortSignal.abort() },
    );
    await assert.rejects(cancelled);
  });

  it('is read concurrently with others', async () => {
    const readings = await Promise.all(
      Array.from({ length: 40 }, (_, index) => read('page', bytesOf(`<img src=${index}.png>`))),
    );
    assert.deepEqual(
      readings.map((reading) => addresses(reading)[0]),
      Array.from({ length: 40 }, (_, index) => `https://example.org/shop/${index}.png`),
    );
  });
});
