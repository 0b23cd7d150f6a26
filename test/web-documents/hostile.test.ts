/** Hostile documents: the time and memory to read them must grow only linearly with their length. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DocumentKind, DocumentReading } from '../../web-documents/reading.ts';
import { testEngine } from '../support/engine.ts';
import { isNightly } from '../support/nightly.ts';
import { isThorough } from '../support/thorough.ts';
import { bytesOf, URL_OF_PAGE } from './documents.ts';

/** Document length. It would take minutes if the time grew with the square of the length. */
const DOCUMENT_CHARACTERS = isThorough ? 10_000_000 : isNightly ? 3_000_000 : 300_000;

/** Reads a document in the pool. If it takes longer than the pool allows, the pool stops it and the test fails. */
async function read(kind: DocumentKind, source: string): Promise<DocumentReading> {
  const params = { kind, url: URL_OF_PAGE, contentType: undefined };
  return await (await testEngine()).run('read-document', { document: { data: bytesOf(source) }, params });
}

const fill = (part: string, share = 1) => part.repeat(Math.ceil((DOCUMENT_CHARACTERS * share) / part.length));

/** Markup, and the maximum number of references in it. */
const PAGES: Readonly<Record<string, readonly [source: string, references: number]>> = {
  'elements in elements': [fill('<div>'), 0],
  'drawings in drawings': [fill('<svg><desc>', 0.5) + fill('</picture>', 0.5), 0],
  'templates in templates': [fill('<template>') + fill('</noscript>', 0.1), 0],
  'forms and links': [fill('<form><a>'), 0],
  'a million attributes': [`<img ${fill('a=b ')} src=a>`, 1],
  'a long attribute': [`<img src="${fill('a')}">`, 0],
  'a long attribute of references': [`<img src="${fill('&amp;')}">`, 0],
  'a long attribute of spaces': [`<img src="${fill(' \n')}a">`, 1],
  'style attributes': [fill('<p style="background:url(a)">'), 20_000],
  'a long style attribute': [`<img src=a style="${fill('; width :')}">`, 1],
  candidates: [`<img srcset="${fill('a, ')}">`, 1000],
  'wrong candidates': [`<img srcset="${fill('a 1x 1w ')}">`, 0],
  'brackets in candidates': [`<img srcset="a ${fill('(')}">`, 0],
  'brackets in sizes': [`<img srcset="a 1w" sizes="${fill('(')}">`, 1],
  'long texts at many candidates': [`<img alt="${fill('a', 0.5)}" srcset="${fill('a, ', 0.5)}">`, 1000],
  'a long base': [`<base href="/${'b/'.repeat(4000)}">${fill('<img src=a>')}`, 4000],
  'short addresses at a long base': [`<base href="/${'b/'.repeat(4000)}">${fill('<embed src=a>')}`, 0],
  'addresses of scripts that are no images': [fill('<img data-src=a data-lazy=a data-srcset="a, b 2x">'), 0],
  'many parts of sizes': [fill(`<img srcset="a 1w" sizes="${','.repeat(1900)}">`), 20_000],
  'long sizes at many attributes': [
    fill(
      `<img data-srcset="a 1w" sizes="${'(a) or '.repeat(280)}" ${['src', 'lazy', 'original', 'bg', 'image'].map((name) => `data-${name}=a`).join(' ')}>`,
    ),
    0,
  ],
  'images in one link': [`<a>${fill('<img src=a alt="">')}`, 20_000],
  'structured data in depth': [`<script type="application/ld+json">${fill('{"image":')}</script>`, 0],
  'structured data in breadth': [
    `<script type="application/ld+json">{"image":["${fill('.abc?')} ", ${fill('"/a",')}`,
    20_000,
  ],
  'data addresses': [fill('<img src="data:image/png,a">'), 20_000],
  'a long data address': [`<img src="data:image/png,${fill('%41')}">`, 1],
  'comments that never end': [fill('<!-- --'), 0],
  titles: [fill('<title>a</title>'), 0],
};

const SHEETS: Readonly<Record<string, readonly [source: string, references: number]>> = {
  'blocks in blocks': [`${fill('@media a{')}p{background:url(a)}`, 1],
  'brackets in brackets': [`p{background:${fill('(')}url(a)`, 1],
  'image sets in image sets': [`p{background:${fill('image-set(url(a) ')}`, 20_000],
  'addresses in addresses': [`p{background:${fill('url("a"')}`, 20_000],
  'addresses that never end': [`p{background:${fill('url(a ')}`, 0],
  escapes: [`p{background:url(${fill('\\61 ')})}`, 0],
  'one long condition': [`@media ${fill('a', 0.5)}{${fill('p{background:url(a)}', 0.5)}`, 20_000],
  imports: [fill('@import "a";'), 0],
};

describe('a hostile document', () => {
  for (const [name, [source, most]] of Object.entries(PAGES))
    it(`with ${name} is read within the limits`, async () => {
      const { references } = await read('page', source);
      assert.ok(references.length <= most, String(references.length));
      assert.equal(references.length > 0, most > 0);
    });

  for (const [name, [source, most]] of Object.entries(SHEETS))
    it(`with ${name} is read within the limits as a style sheet`, async () => {
      const { references } = await read('stylesheet', source);
      assert.ok(references.length <= most, String(references.length));
      assert.equal(references.length > 0, most > 0);
    });

  it('as a manifest or an SVG is read within the limits', async () => {
    assert.equal((await read('manifest', `{"icons":[${fill('{"src":"a"},')}`)).references.length, 20_000);
    assert.equal((await read('svg', fill('<g>'))).references.length, 0);
  });

  it('as a sitemap is read within the limits', async () => {
    const engine = await testEngine();
    for (const source of [
      fill('<urlset>'),
      `<urlset><url><loc>${fill('&amp;')}`,
      `<urlset><url><loc>a</loc>${fill('<image:image><image:loc>b</image:loc>')}`,
      `<urlset>${fill('<url><loc>')}`,
      fill('a'),
      fill('\n'),
    ]) {
      const reading = await engine.run('read-sitemap', {
        document: { data: bytesOf(source) },
        params: { url: URL_OF_PAGE },
      });
      assert.ok(reading.faulty || reading.truncated);
    }
  });

  it('yields addresses of bounded total length', async () => {
    const size = (addresses: readonly string[]) => addresses.reduce((sum, { length }) => sum + length, 0);
    const base = `/${'b/'.repeat(4000)}`;
    const numbers = (tag: (n: number) => string) => Array.from({ length: 15_000 }, (_, n) => tag(n)).join('');
    const { page, stylesheets, truncated } = await read(
      'page',
      `<base href="${base}">${numbers((n) => `<a href=${n}><link rel=stylesheet href=${n}>`)}`,
    );
    for (const addresses of [page!.links, stylesheets])
      assert.ok(addresses.length > 400 && size(addresses) < 4_010_000, String(size(addresses)));
    assert.ok(truncated);

    const url = `https://example.com${base}`;
    const engine = await testEngine();
    const imports = await engine.run('read-document', {
      document: { data: bytesOf(numbers((n) => `@import "${n}";`)) },
      params: { kind: 'stylesheet', url, contentType: undefined },
    });
    assert.ok(imports.stylesheets.length > 400 && size(imports.stylesheets) < 4_010_000);

    for (const source of [
      `<urlset>${numbers((n) => `<url><loc>${n}</loc><image:image><image:loc>${n}</image:loc></image:image></url>`)}`,
      `<sitemapindex>${numbers((n) => `<sitemap><loc>${n}</loc></sitemap>`)}`,
      numbers((n) => `${url}${n}\n`),
    ]) {
      const { pages, sitemaps, images, truncated } = await engine.run('read-sitemap', {
        document: { data: bytesOf(source) },
        params: { url },
      });
      assert.ok(pages.length + sitemaps.length > 1500);
      assert.ok(size(pages) + size(sitemaps) < 16_010_000);
      assert.ok(size(images.flatMap((image) => [image.url, image.raw, image.pageUrl])) < 16_030_000);
      assert.ok(truncated);
    }
  });

  it('does not truncate the 20,000 links of a large page', async () => {
    const path = 'a-page-with-a-name-of-some-length-as-shops-have-them/'.repeat(3);
    const { page, truncated } = await read(
      'page',
      Array.from({ length: 20_000 }, (_, n) => `<a href="/${path}${n}"><img src="/${path}${n}.jpg"></a>`).join(''),
    );
    assert.equal(page!.links.length, 20_000);
    assert.ok(truncated);
  });

  it('yields texts of bounded length', async () => {
    const long = 'x'.repeat(5000);
    const { references } = await read(
      'page',
      `<picture><source srcset=a media="${long}" sizes="${long}" type="${long}"><img src=b alt="${long}" loading="${long}"></picture>`,
    );
    for (const { alt, media, sizes, type, loading } of references)
      for (const text of [alt, media, sizes, type, loading]) assert.ok((text?.length ?? 0) <= 1000);
  });
});
