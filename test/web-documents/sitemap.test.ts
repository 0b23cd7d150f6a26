import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { SitemapReading } from '../../web-documents/reading.ts';
import { testEngine } from '../support/engine.ts';
import { assertPlace, bytesOf } from './documents.ts';

const URL_OF_SITEMAP = 'https://example.org/maps/sitemap.xml';

async function read(content: string | Uint8Array): Promise<SitemapReading> {
  const data = typeof content === 'string' ? bytesOf(content) : new Uint8Array(content).buffer;
  const engine = await testEngine();
  return await engine.run('read-sitemap', { document: { data }, params: { url: URL_OF_SITEMAP } });
}

const urlset = (entries: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">${entries}</urlset>`;
const url = (address: string) => `<url><loc>${address}</loc></url>`;
const none = { sitemaps: [], pages: [], images: [], truncated: false, faulty: false };

describe('a sitemap', () => {
  it('lists pages, each once, without tracking parameters', async () => {
    const reading = await read(
      urlset(`
        <url><loc> https://example.org/a?b=1&amp;c=2 </loc><lastmod>2026-01-01</lastmod></url>
        <url><lastmod/><loc><![CDATA[https://example.org/d?e=1&utm_source=f]]></loc></url>
        <url><loc>https://example.org/g?h&i</loc><xhtml:link rel="alternate" href="https://example.org/x"/></url>
        ${url('https://EXAMPLE.org:443/d?e=1')}<!-- ${url('https://example.org/no')} -->${url('/relative')}
        ${url('mailto:a@example.org')}<url><loc></loc></url><url/>`),
    );
    assert.deepEqual(reading, {
      ...none,
      pages: [
        'https://example.org/a?b=1&c=2',
        'https://example.org/d?e=1',
        'https://example.org/g?h&i',
        'https://example.org/relative',
      ],
    });
  });

  it('lists the images of a page, with their positions', async () => {
    const source = urlset(`
      <url><image:image><image:loc>\n https://example.org/a.png?b=1&amp;c=2\n</image:loc><image:title>T</image:title></image:image>
        <loc>https://example.org/p</loc><image:image><image:loc><![CDATA[/b.png]]></image:loc></image:image></url>
      <url><loc>https://example.org/q</loc><image:image><image:loc>data:,a</image:loc></image:image></url>`);
    const { images, pages } = await read(source);
    assert.deepEqual(pages, ['https://example.org/p', 'https://example.org/q']);
    for (const image of images) assertPlace(source, image);
    assert.deepEqual(
      images.map(({ pageUrl, url, raw, line }) => [pageUrl, url, raw, line]),
      [
        ['https://example.org/p', 'https://example.org/a.png?b=1&c=2', 'https://example.org/a.png?b=1&amp;c=2', 4],
        ['https://example.org/p', 'https://example.org/b.png', '/b.png', 6],
      ],
    );
  });

  it('may be an index of sitemaps', async () => {
    assert.deepEqual(
      await read(
        '<sitemapindex><sitemap><loc>https://example.org/1.xml.gz</loc></sitemap><sitemap><loc>2.xml</loc></sitemap></sitemapindex>',
      ),
      { ...none, sitemaps: ['https://example.org/1.xml.gz', 'https://example.org/maps/2.xml'] },
    );
  });

  it('may be RSS, RDF or Atom', async () => {
    const pages = ['https://example.org/a', 'https://example.org/b'];
    const link = (address: string) => `<link>${address}</link>`;
    assert.deepEqual(
      await read(
        `<rss><channel>${link('https://example.org/')}<atom:link href="/feed"/><image>${link('/x')}</image>` +
          `${pages.map((page) => `<item>${link(page)}<guid>g</guid></item>`).join('')}</channel></rss>`,
      ),
      { ...none, pages },
    );
    assert.deepEqual(
      await read(
        `<rdf:RDF><channel>${link('/x')}</channel>${pages.map((page) => `<item>${link(page)}</item>`).join('')}</rdf:RDF>`,
      ),
      { ...none, pages },
    );
    assert.deepEqual(
      await read(
        `<feed><link href="/"/><entry><link rel="edit" href="/e"/><link href="${pages[0]}"/><link rel="alternate" href="/z"/></entry>` +
          `<entry><link rel="alternate" href="${pages[1]}"></link></entry></feed>`,
      ),
      { ...none, pages },
    );
  });

  it('may be plain text', async () => {
    assert.deepEqual(
      await read('\ufeffhttps://example.org/a\r\n\r\n  https://example.org/b  \n# no\nno\nhttps://example.org/a'),
      {
        ...none,
        pages: ['https://example.org/a', 'https://example.org/b'],
      },
    );
  });

  it('may be compressed, whatever its name', async () => {
    assert.deepEqual(await read(gzipSync(urlset(url('https://example.org/a')))), {
      ...none,
      pages: ['https://example.org/a'],
    });
    assert.deepEqual((await read(gzipSync('https://example.org/a'))).pages, ['https://example.org/a']);
  });

  it('may have another charset', async () => {
    const source = `<?xml version="1.0" encoding="ISO-8859-1"?><urlset>${url('https://example.org/\xe9')}</urlset>`;
    assert.deepEqual((await read(Buffer.from(source, 'latin1'))).pages, ['https://example.org/%C3%A9']);
  });

  it('is read up to 50,000 entries', async () => {
    const entries = (count: number) =>
      Array.from({ length: count }, (_, index) => url(`https://example.org/${index}`)).join('');
    const full = await read(urlset(entries(50_000)));
    assert.deepEqual([full.pages.length, full.truncated, full.faulty], [50_000, false, false]);
    const more = await read(urlset(entries(50_001)));
    assert.deepEqual([more.pages.length, more.truncated, more.faulty], [50_000, true, false]);
    const lines = Array.from({ length: 50_001 }, (_, index) => `https://example.org/${index}`);
    const text = await read(lines.join('\n'));
    assert.deepEqual([text.pages.length, text.truncated], [50_000, true]);
    assert.equal((await read(`${lines.slice(0, 50_000).join('\n')}\n`)).truncated, false);
  });

  it('keeps the entries before the point where it is truncated', async () => {
    const whole = urlset(url('https://example.org/a') + url('https://example.org/b'));
    const pages = ['https://example.org/a'];
    assert.deepEqual(await read(whole.slice(0, whole.indexOf('/b<') + 2)), { ...none, pages, faulty: true });
    const random = Array.from({ length: 3000 }, (_, index) =>
      url(`https://example.org/${Math.imul(index, 2654435761) >>> 0}`),
    );
    const packed = gzipSync(urlset(random.join('')));
    const half = await read(packed.subarray(0, packed.length / 2));
    assert.equal(half.faulty, true);
    assert.ok(half.pages.length > 100 && half.pages.length < 3000, String(half.pages.length));
  });

  it('keeps the entries of a text whose compressed data is truncated', async () => {
    const packed = gzipSync('https://example.org/a\nhttps://example.org/b\n');
    const { pages, faulty } = await read(packed.subarray(0, packed.length - 4));
    assert.equal(pages[0], 'https://example.org/a');
    assert.equal(faulty, true);
  });

  it('keeps the entries of one that decompresses to more than 50 MB', async () => {
    const bomb = gzipSync(
      Buffer.from(urlset(url('https://example.org/a') + ' '.repeat(60_000_000) + url('https://example.org/b'))),
    );
    assert.deepEqual(await read(bomb), { ...none, pages: ['https://example.org/a'], faulty: true });
  });

  it('is reported as invalid when it is not a sitemap', async () => {
    for (const source of [
      '',
      ' ',
      '<html><body>Not found</body></html>',
      '<!doctype html><p>',
      'Not found',
      '<',
      '<constructor/>',
      '{"a":1}',
    ])
      assert.deepEqual(await read(source), { ...none, faulty: true }, source);
  });

  it('may be empty, or invalid in parts', async () => {
    assert.deepEqual(await read('<urlset/>'), none);
    assert.deepEqual(await read(urlset('')), none);
    assert.deepEqual(
      (await read(urlset('<url><loc>https://example.org/a</url><url><loc>https://example.org/b</loc></url></b>')))
        .pages,
      ['https://example.org/a', 'https://example.org/b'],
    );
  });
});
