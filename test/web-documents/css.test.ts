import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CssText, readCss } from '../../web-documents/css.ts';
import { readStylesheet } from '../../web-documents/stylesheet.ts';
import { addresses, assertPlace } from './documents.ts';

/** CSS and the references in it: kind, spelling, and address if that differs. */
const CASES: readonly (readonly [css: string, ...found: string[]])[] = [
  // Spellings of url()
  ['p{background:url(a.png)}', 'image a.png'],
  ['p{background:url( a.png\n)}', 'image a.png'],
  ['p{background:url("a.png")}', 'image a.png'],
  ["p{background:url( 'a.png' )}", 'image a.png'],
  ['p{background:URL(a.png)}', 'image a.png'],
  ['p{background:url("a b(1).png")}', 'image a b(1).png'],
  ['p{background:url(a\\ b\\(1\\).png)}', 'image a\\ b\\(1\\).png = a b(1).png'],
  ['p{background:url(\\61 .png)}', 'image \\61 .png = a.png'],
  ['p{background:url("\\61\\.png")}', 'image \\61\\.png = a.png'],
  ['p{background:url("a\\\n.png")}', 'image a\\\n.png = a.png'],
  ['p{background:url("\\0.png")}', 'image \\0.png = \ufffd.png'],
  ['p{background:url("a.png" foo(bar))}', 'image a.png'],
  ['p{background:url(\'data:image/svg+xml;utf8,<svg xmlns="x"/>\')}', 'image data:image/svg+xml;utf8,<svg xmlns="x"/>'],
  ['p{background:url(data:image/png;base64,AA==)}', 'image data:image/png;base64,AA=='],
  // Properties
  ['p{background-image:url(a.png),linear-gradient(red,blue),url(b.png)}', 'image a.png', 'image b.png'],
  ['p{border-image:url(a.png) 30 round}', 'image a.png'],
  ['p{list-style-image:url(a.png)}', 'image a.png'],
  ['p{-webkit-mask-image:url(a.png)}', 'image a.png'],
  ['p{mask:url(a.svg#b)}', 'image a.svg#b'],
  ['p{cursor:url(a.cur),pointer}', 'image a.cur'],
  ['p::after{content:url(a.png)}', 'image a.png'],
  ['p{*background:url(a.png);_background:url(b.png)}', 'image a.png', 'image b.png'],
  ['p{BACKGROUND : url(a.png)!important}', 'image a.png'],
  ['p{background:cross-fade(url(a.png),url(b.png),50%)}', 'image a.png', 'image b.png'],
  ['p{--a:url(a.png)}', 'image a.png'],
  ['p{--a-B:1px url("a.png")}', 'image a.png'],
  ['p{filter:url(a.svg#b);clip-path:url(a.svg);behavior:url(a.htc)}'],
  ['@font-face{font-family:a;src:url(a.woff2) format("woff2"),url(a.svg#b)}'],
  ['@namespace url(http://www.w3.org/1999/xhtml);'],
  ['@namespace svg "http://www.w3.org/2000/svg";'],
  ['p[a="url(a.png)"]{content:"url(a.png)"}'],
  ['/* p{background:url(a.png)} */'],
  // Rules
  ['@media print{p{background:url(a.png)}}', 'image a.png @print'],
  ['@media print{p{color:red}} p{background:url(a.png)}', 'image a.png'],
  ['@media print{@supports (display:grid){p{background:url(a.png)}}}', 'image a.png @print'],
  ['@MEDIA /**/ (min-width:1px){p{background:url(a.png)}}', 'image a.png @/**/ (min-width:1px)'],
  ['p{color:red;&:hover{background:url(a.png)} background:url(b.png)}', 'image a.png', 'image b.png'],
  ['@layer a{p:not(.b):hover>a{background:url(a.png)}}', 'image a.png'],
  // Image sets
  ['p{background:image-set("a.png" 1x,"b.png" 2x)}', 'image_set a.png 1x', 'image_set b.png 2x'],
  [
    'p{background:-webkit-image-set(url(a.png) 1x,url("b.png") 192dpi)}',
    'image_set a.png 1x',
    'image_set b.png 192dpi',
  ],
  [
    'p{background:image-set(url(a.avif) type("image/avif"),"a.png" 1.5X type(\'image/png\'))}',
    'image_set a.avif image/avif',
    'image_set a.png 1.5x image/png',
  ],
  ['p{background:image-set(linear-gradient(red 10px,blue) 1x,"a.png" 2x)}', 'image_set a.png 2x'],
  ['p{content:image-set("a.png")}', 'image_set a.png'],
  // Imports
  ['@import "a.css";', 'import a.css'],
  ['@import url(a.css) layer(b) supports(display:grid) screen and (width>1px);', 'import a.css'],
  ['@charset "utf-8";@IMPORT url("a.css");@import \'b.css\'', 'import a.css', 'import b.css'],
  ['@layer a;@import "a.css" layer("b.css");', 'import a.css'],
  ['@import "a.css" "b.css" url(c.css);', 'import a.css'],
  ['p{@import "a.css";}'],
  // Broken
  ['p{background:url(a.png', 'image a.png'],
  ['p{background:url("a.png', 'image a.png'],
  ['p{background:url(a b.png);background:url(c.png)}', 'image c.png'],
  ['p{background:url("a.png\n);background:url(c.png)}', 'image c.png'],
  ['}}}p{background:url(a.png)}', 'image a.png'],
  ['p{color:;;:red;background:url(a.png)}', 'image a.png'],
  ['p{background:foo(;background:url(a.png)}', 'image a.png'],
  ['p{background:image-set(;background:url(a.png)}', 'image a.png'],
  ['p{background url(b.png);background:url(a.png)', 'image a.png'],
  ['p{background:url(a.png)} /* never closed', 'image a.png'],
  ['<!-- p{background:url(a.png)} -->', 'image a.png'],
  ['\\'],
];

function describeReferences(css: string, text: CssText): string[] {
  return readCss(css, text).map(({ kind, start, end, address, descriptor, type, media }) => {
    const raw = css.slice(start, end);
    return [
      kind,
      raw,
      ...(raw === address ? [] : ['=', address]),
      ...[descriptor, type].filter((part) => part !== null),
      ...(media === null ? [] : [`@${media}`]),
    ].join(' ');
  });
}

describe('a style sheet', () => {
  for (const [css, ...found] of CASES)
    it(`${JSON.stringify(css)} references ${found.length}`, () => {
      assert.deepEqual(describeReferences(css, 'sheet'), found);
    });

  it('is the base of its addresses, and omits fonts', () => {
    const source =
      '@import "more.css";\n@import "more.css";@import "http://[";p{\n  background: url(../img/a.png?v=1#x); --font: url(a.woff2);--a:url(a.php)}';
    const reading = readStylesheet(source, 'https://cdn.example.net/css/main.css');
    for (const reference of reading.references) assertPlace(source, reference);
    assert.deepEqual(addresses(reading), [
      'https://cdn.example.net/img/a.png?v=1',
      'https://cdn.example.net/css/a.php',
    ]);
    assert.deepEqual(reading.stylesheets, ['https://cdn.example.net/css/more.css']);
    assert.equal(reading.page, null);
  });
});

describe('a style attribute', () => {
  it('has declarations from its start, and no imports', () => {
    assert.deepEqual(describeReferences('background:url(a.png)', 'declarations'), ['image a.png']);
    assert.deepEqual(describeReferences('@import "a.css";background:url(a.png)', 'declarations'), ['image a.png']);
    assert.deepEqual(describeReferences('color:red', 'declarations'), []);
  });
});

describe('the value of a background attribute', () => {
  it('is parsed on its own', () => {
    assert.deepEqual(describeReferences('url(a.png), url("b.png") 0 0', 'value'), ['image a.png', 'image b.png']);
  });
});
