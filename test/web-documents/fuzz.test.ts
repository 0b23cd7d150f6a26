import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readManifest } from '../../web-documents/manifest.ts';
import { readPage } from '../../web-documents/page.ts';
import type { DocumentReading } from '../../web-documents/reading.ts';
import { readSitemapBytes } from '../../web-documents/sitemap.ts';
import { readStylesheet } from '../../web-documents/stylesheet.ts';
import { isNightly } from '../support/nightly.ts';
import { Random } from '../support/random.ts';
import { isThorough } from '../support/thorough.ts';
import { assertPlace, URL_OF_PAGE } from './documents.ts';

const ROUNDS = isThorough ? 50_000 : isNightly ? 4000 : 1500;

/** Valid and broken parts of documents, which are joined in random order. */
const MARKUP = [
  ...[
    '<img src=',
    '<img srcset="',
    '<p style="background:url(',
    '<a href=',
    '<picture>',
    '<source srcset=',
    '</picture>',
  ],
  ...[
    '<noscript>',
    '</noscript>',
    '<template>',
    '</template>',
    '<svg>',
    '</svg>',
    '<image href=',
    '<title>',
    '</title>',
  ],
  ...[
    '<style>',
    '</style>',
    '<script type="application/ld+json">',
    '</script>',
    '<!--',
    '-->',
    '<![CDATA[',
    ']]>',
    '<base href=',
  ],
  ...[
    'data-src=',
    'data-bg="url(',
    'alt=""',
    'sizes="',
    'width=',
    '{"image":',
    '"logo":["',
    '{',
    '}',
    '[',
    ']',
    ':',
    ';',
    ',',
  ],
  ...[
    'p{background:image-set("',
    '@import "',
    '@media a{',
    'url(',
    ')',
    '"',
    "'",
    '>',
    '/>',
    '<',
    '=',
    ' ',
    '\n',
    '\r\n',
    '\r',
    '\t',
  ],
  ...[
    'a.png',
    'b.jpg 2x',
    'c,d.webp 100w',
    '/e?f=1&g=2',
    '&amp;',
    '&#97;',
    '&NotEqualTilde;',
    '&#32;',
    '&quot;',
    '&',
    '\\61 ',
    '\\/',
  ],
  ...[
    'data:image/gif;base64,R0lGODlhAQABAAAAACw=',
    '😀',
    '\0',
    '\ufeff',
    'č',
    '<meta property=og:image content=',
    '<link rel=icon href=',
  ],
];

function makeDocument(random: Random): string {
  return Array.from({ length: 2 + random.integer(40) }, () => random.pick(MARKUP)).join('');
}

function check(source: string, { references, inlineImages, stylesheets }: DocumentReading): void {
  for (const reference of references) {
    assertPlace(source, reference);
    assert.ok(URL.canParse(reference.url), reference.url);
    assert.equal(
      reference.role === 'data_uri',
      inlineImages.some(({ url }) => url === reference.url),
    );
    assert.ok(reference.candidates >= 1);
  }
  for (const url of stylesheets) assert.match(url, /^https?:/);
}

describe('random input', () => {
  it('is parsed, and findings are at the reported positions', async () => {
    let found = 0;
    for (let seed = 0; seed < ROUNDS; seed++) {
      const source = makeDocument(new Random(seed));
      try {
        for (const xml of [false, true]) {
          const reading = readPage({ source, url: URL_OF_PAGE, xml });
          check(source, reading);
          found += reading.references.length;
        }
        check(source, readStylesheet(source, URL_OF_PAGE));
        check(source, readManifest(source, URL_OF_PAGE));
      } catch (error) {
        throw new Error(`With seed ${seed}: ${JSON.stringify(source)}`, { cause: error });
      }
    }
    assert.ok(found > ROUNDS / 4, String(found));
  });

  it('is parsed in a sitemap too', async () => {
    const parts = [
      '<urlset>',
      '</urlset>',
      '<url>',
      '</url>',
      '<loc>',
      '</loc>',
      '<image:image>',
      '</image:image>',
      '<image:loc>',
    ];
    const texts = [
      '/a',
      ' https://example.org/b?c&amp;d ',
      '<![CDATA[/e]]>',
      '&#97;',
      '\n',
      '<!--',
      '-->',
      '<rss>',
      '<item>',
      '<link>',
    ];
    let found = 0;
    for (let seed = 0; seed < ROUNDS / 4; seed++) {
      const random = new Random(seed);
      const rest = Array.from({ length: 2 + random.integer(30) }, () => random.pick([...parts, ...texts])).join('');
      const source = `<urlset><url><loc>/a</loc>${rest}`;
      const { images } = await readSitemapBytes(Buffer.from(source), URL_OF_PAGE);
      for (const image of images) assertPlace(source, image);
      found += images.length;
    }
    assert.ok(found > 0);
  });
});
