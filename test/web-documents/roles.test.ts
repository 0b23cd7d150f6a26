import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { REFERENCE_ROLES, type ReferenceRole } from '../../base/reference-roles.ts';
import { readManifest } from '../../web-documents/manifest.ts';
import { readPage } from '../../web-documents/page.ts';
import type { DocumentReading } from '../../web-documents/reading.ts';
import { readStylesheet } from '../../web-documents/stylesheet.ts';
import { assertPlace, only, readHtml, URL_OF_PAGE } from './documents.ts';

interface Case {
  source: string;
  raw: string;
  at: [line: number, column: number];
  tag: string | null;
  attribute: string | null;
  read?: (source: string) => DocumentReading;
}

const css = (source: string) => readStylesheet(source, URL_OF_PAGE);
const manifest = (source: string) => readManifest(source, URL_OF_PAGE);
const svg = (source: string) => readPage({ source, url: URL_OF_PAGE, xml: true });
const PNG = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ';

const CASES: Readonly<Partial<Record<ReferenceRole, Case[]>>> = {
  img_src: [
    { source: '<p>\n<img alt="" src="a.png">', raw: 'a.png', at: [2, 18], tag: 'img', attribute: 'src' },
    { source: '<IMG SRC=a.png>', raw: 'a.png', at: [1, 10], tag: 'img', attribute: 'src' },
    // The HTML parser turns `image` into `img`.
    { source: "<image src = '\r\n a.png\n'>", raw: 'a.png', at: [2, 2], tag: 'img', attribute: 'src' },
  ],
  img_srcset: [
    { source: '<img srcset="\n\n a.png 2x">', raw: 'a.png', at: [3, 2], tag: 'img', attribute: 'srcset' },
    { source: '<img srcset="a,b.png&#32;2x">', raw: 'a,b.png', at: [1, 14], tag: 'img', attribute: 'srcset' },
  ],
  picture_source: [
    {
      source: '<picture>\n<source srcset="a.webp" type="image/webp"><img alt></picture>',
      raw: 'a.webp',
      at: [2, 17],
      tag: 'source',
      attribute: 'srcset',
    },
  ],
  lazy_attribute: [
    ...['data-src', 'data-lazy', 'data-lazy-src', 'data-original', 'data-image', 'data-hi-res-src', 'lazy-src'].map(
      (attribute): Case => ({
        source: `<img ${attribute}="a.png">`,
        raw: 'a.png',
        at: [1, 8 + attribute.length],
        tag: 'img',
        attribute,
      }),
    ),
    {
      source: '<a href="/" data-nav-image="a.png" data-text="one.png two.png" data-id="3">',
      raw: 'a.png',
      at: [1, 29],
      tag: 'a',
      attribute: 'data-nav-image',
    },
    { source: '<img data-srcset="a.png 2x">', raw: 'a.png', at: [1, 19], tag: 'img', attribute: 'data-srcset' },
    {
      source: '<img data-lazy-srcset="a.png 2x">',
      raw: 'a.png',
      at: [1, 24],
      tag: 'img',
      attribute: 'data-lazy-srcset',
    },
    {
      source: '<img data-flickity-lazyload=a.png>',
      raw: 'a.png',
      at: [1, 29],
      tag: 'img',
      attribute: 'data-flickity-lazyload',
    },
    { source: '<div data-bg="a.png">', raw: 'a.png', at: [1, 15], tag: 'div', attribute: 'data-bg' },
    {
      source: '<div data-background="url(&quot;a.png&quot;)">',
      raw: 'a.png',
      at: [1, 33],
      tag: 'div',
      attribute: 'data-background',
    },
    {
      source: "<div data-background-image=' url( a.png )'>",
      raw: 'a.png',
      at: [1, 35],
      tag: 'div',
      attribute: 'data-background-image',
    },
    {
      source: '<picture><source data-srcset="a.png"></picture>',
      raw: 'a.png',
      at: [1, 31],
      tag: 'source',
      attribute: 'data-srcset',
    },
  ],
  noscript: [
    { source: '<noscript><img src="a.png"></noscript>', raw: 'a.png', at: [1, 21], tag: 'img', attribute: 'src' },
    {
      source: '<noscript><p style="background:url(a.png)"></noscript>',
      raw: 'a.png',
      at: [1, 36],
      tag: 'p',
      attribute: 'style',
    },
  ],
  inline_style: [
    {
      source: '<p style="color: red; background:url(&#39;a.png&#39;)">',
      raw: 'a.png',
      at: [1, 43],
      tag: 'p',
      attribute: 'style',
    },
  ],
  style_block: [
    {
      source: '<style>\n<!-- p{background:url(a.png)} -->\n</style>',
      raw: 'a.png',
      at: [2, 23],
      tag: 'style',
      attribute: null,
    },
    {
      source: '<svg xmlns="http://www.w3.org/2000/svg"><style><![CDATA[\np{mask:url(a.png)}]]></style></svg>',
      raw: 'a.png',
      at: [2, 12],
      tag: 'style',
      attribute: null,
      read: svg,
    },
  ],
  css_background: [
    { source: 'p{\n\tcursor: url("a.png"), auto}', raw: 'a.png', at: [2, 15], tag: null, attribute: null, read: css },
  ],
  css_image_set: [
    {
      source: 'p{background:-webkit-image-set("a.png" 1x)}',
      raw: 'a.png',
      at: [1, 33],
      tag: null,
      attribute: null,
      read: css,
    },
    {
      source: '<p style="background:image-set(url(a.png) 1x)">',
      raw: 'a.png',
      at: [1, 36],
      tag: 'p',
      attribute: 'style',
    },
  ],
  link_icon: [
    { source: '<link rel="shortcut icon" href=a.ico>', raw: 'a.ico', at: [1, 32], tag: 'link', attribute: 'href' },
    { source: '<link rel=apple-touch-icon href=a.png>', raw: 'a.png', at: [1, 33], tag: 'link', attribute: 'href' },
    { source: '<link rel=mask-icon href=a.svg>', raw: 'a.svg', at: [1, 26], tag: 'link', attribute: 'href' },
    {
      source: '<meta name="msapplication-TileImage" content="a.png">',
      raw: 'a.png',
      at: [1, 47],
      tag: 'meta',
      attribute: 'content',
    },
  ],
  link_preload: [
    {
      source: '<link rel=preload as=image href="a.png">',
      raw: 'a.png',
      at: [1, 34],
      tag: 'link',
      attribute: 'href',
    },
    {
      source: '<link rel=preload as=image imagesrcset="a.png 1x">',
      raw: 'a.png',
      at: [1, 41],
      tag: 'link',
      attribute: 'imagesrcset',
    },
  ],
  manifest_icon: [
    {
      source: '{"icons": [\n{"src": "a.png"}]}',
      raw: 'a.png',
      at: [2, 10],
      tag: null,
      attribute: null,
      read: manifest,
    },
    {
      source: '{"screenshots": [{"src": "a.png"}]}',
      raw: 'a.png',
      at: [1, 27],
      tag: null,
      attribute: null,
      read: manifest,
    },
    {
      source: '{"shortcuts": [{"icons": [{"src": "a.png"}]}]}',
      raw: 'a.png',
      at: [1, 36],
      tag: null,
      attribute: null,
      read: manifest,
    },
  ],
  og_image: [
    ...['property="og:image"', 'property="og:image:url"', 'name="og:image:secure_url"', 'itemprop="image"'].map(
      (name): Case => ({
        source: `<meta ${name} content="/a.png">`,
        raw: '/a.png',
        at: [1, 17 + name.length],
        tag: 'meta',
        attribute: 'content',
      }),
    ),
    { source: '<link itemprop=image href=/a.png>', raw: '/a.png', at: [1, 27], tag: 'link', attribute: 'href' },
  ],
  twitter_image: [
    {
      source: '<meta name="twitter:image" content="a.png">',
      raw: 'a.png',
      at: [1, 37],
      tag: 'meta',
      attribute: 'content',
    },
    {
      source: '<meta property="twitter:image:src" content="a.png">',
      raw: 'a.png',
      at: [1, 45],
      tag: 'meta',
      attribute: 'content',
    },
  ],
  json_ld: [
    {
      source: '<script type="application/ld+json">\n{"image": "https:\\/\\/example.org\\/a.png"}</script>',
      raw: 'https:\\/\\/example.org\\/a.png',
      at: [2, 12],
      tag: 'script',
      attribute: null,
    },
  ],
  video_poster: [{ source: '<video poster=a.png>', raw: 'a.png', at: [1, 15], tag: 'video', attribute: 'poster' }],
  input_image: [{ source: '<input type=IMAGE src=a.png>', raw: 'a.png', at: [1, 23], tag: 'input', attribute: 'src' }],
  svg_image: [
    { source: '<svg><image href="a.png"/></svg>', raw: 'a.png', at: [1, 19], tag: 'image', attribute: 'href' },
    {
      source: '<svg><IMAGE xlink:href="a.png"/></svg>',
      raw: 'a.png',
      at: [1, 25],
      tag: 'image',
      attribute: 'xlink:href',
    },
    { source: '<svg><feImage href="a.png"/></svg>', raw: 'a.png', at: [1, 21], tag: 'feimage', attribute: 'href' },
    {
      source: '<s:svg xmlns:s="x"><s:image x:href="a.png"/></s:svg>',
      raw: 'a.png',
      at: [1, 37],
      tag: 'image',
      attribute: 'x:href',
      read: svg,
    },
  ],
  object_data: [
    { source: '<object data=a.svg>', raw: 'a.svg', at: [1, 14], tag: 'object', attribute: 'data' },
    { source: '<embed type="image/png" src=a>', raw: 'a', at: [1, 29], tag: 'embed', attribute: 'src' },
  ],
  legacy_background: [
    { source: '<body background=a.png>', raw: 'a.png', at: [1, 18], tag: 'body', attribute: 'background' },
    { source: '<table background=a.png>', raw: 'a.png', at: [1, 19], tag: 'table', attribute: 'background' },
    { source: '<td background=a.png>', raw: 'a.png', at: [1, 16], tag: 'td', attribute: 'background' },
  ],
  linked_image: [{ source: '<a href="a.JPG?v=1">', raw: 'a.JPG?v=1', at: [1, 10], tag: 'a', attribute: 'href' }],
  amp_img: [
    { source: '<amp-img src=a.png></amp-img>', raw: 'a.png', at: [1, 14], tag: 'amp-img', attribute: 'src' },
    { source: '<amp-anim srcset="a.gif 1x">', raw: 'a.gif', at: [1, 19], tag: 'amp-anim', attribute: 'srcset' },
  ],
  data_uri: [
    { source: `<img src="${PNG}">`, raw: PNG, at: [1, 11], tag: 'img', attribute: 'src' },
    { source: `p{background:url(${PNG})}`, raw: PNG, at: [1, 18], tag: null, attribute: null, read: css },
  ],
};

describe('an image reference', () => {
  for (const [role, cases] of Object.entries(CASES)) {
    for (const { source, raw, at, tag, attribute, read = readHtml } of cases) {
      it(`has the role ${role}: ${source}`, () => {
        const reference = only(read(source));
        assertPlace(source, reference);
        assert.deepEqual(
          {
            role: reference.role,
            raw: reference.raw,
            at: [reference.line, reference.column],
            tag: reference.tag,
            attribute: reference.attribute,
          },
          { role, raw, at, tag, attribute },
        );
      });
    }
  }

  it('has a case for each role', () => {
    // Another task reads sitemaps, and a browser reads rendered pages.
    assert.deepEqual(
      REFERENCE_ROLES.filter((role) => !CASES[role]),
      ['rendered', 'image_sitemap'],
    );
  });

  it('is not reported for what only looks like one', () => {
    for (const source of [
      '<!-- <img src=a.png> -->',
      '<template><img src=a.png><style>p{background:url(a.png)}</style></template>',
      '<script>document.write("<img src=a.png>")</script>',
      '<textarea><img src=a.png></textarea>',
      '<title><img src=a.png></title>',
      '<iframe><img src=a.png></iframe>',
      '<img data-src="a.js">',
      '<img data-image="17">',
      '<img data-srcset="yes 1x">',
      '<div data-bg="#fff">',
      '<img src="">',
      '<img src="#a">',
      '<img src="about:blank">',
      '<img src="javascript:a.png">',
      '<img src="http://[broken/a.png">',
      '<img src="data:text/plain,a">',
      '<img src="data:image/png">',
      '<source srcset=a.png>',
      '<video><source src=a.mp4></video>',
      '<svg><use href="a.svg#b"/></svg>',
      '<a href=a.html>',
      '<object data=a.pdf>',
      '<object type="text/html" data=a.png>',
      '<input src=a.png>',
      '<p background=a.png>',
      '<link rel=preload as=font href=a.woff2>',
      '<meta name=description content=a.png>',
      '<p style="filter:url(a.svg#b)">',
      '<p style="background:url(#a)">',
      '<img src="a.png',
    ])
      assert.deepEqual(readHtml(source).references, [], source);
  });

  it('of a template that is a shadow root is shown', () => {
    assert.equal(only(readHtml('<template shadowrootmode=open><img src=a.png></template>')).role, 'img_src');
  });

  it('uses the first of two attributes with the same name', () => {
    assert.equal(only(readHtml('<img src=a.png SRC=b.png>')).raw, 'a.png');
  });

  it('handles data addresses in any case, and keeps the role of icons in noscript', () => {
    const { references } = readHtml(
      `<noscript><link rel=icon href=a.png><a href=b.png></a><img src="DATA:image/gif;base64,R0lGODlhAQABAAAAACw="></noscript>`,
    );
    assert.deepEqual(
      references.map(({ role, inNoscript }) => [role, inNoscript]),
      [
        ['link_icon', true],
        ['linked_image', true],
        ['data_uri', true],
      ],
    );
  });
});
