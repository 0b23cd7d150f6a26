import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readPage } from '../../web-documents/page.ts';
import type { ImageReference } from '../../web-documents/reading.ts';
import { addresses, only, readHtml, URL_OF_PAGE } from './documents.ts';

const facts = (source: string) => readHtml(source).page;

function pick<K extends keyof ImageReference>(source: string, ...names: K[]): ImageReference[K][][] {
  return readHtml(source).references.map((reference) => names.map((name) => reference[name]));
}

describe('the title of a page', () => {
  for (const [source, title] of [
    ['<title>A</title>', 'A'],
    ['<title>\n A &amp;\tB&#33; </title>', 'A & B!'],
    ['<title>A <b> &lt;i></title>', 'A <b> <i>'],
    ['<title></title><title>B</title>', null],
    ['<title>A</title><title>B</title>', 'A'],
    ['<svg><title>A</title></svg><title>B</title>', 'B'],
    ['<svg><title/></svg><title>B</title>', 'B'],
    ['<noscript><title>A</title></noscript>', null],
    ['<template><title>A</title></template>', null],
    ['<title>A', 'A'],
    ['<p>A</p>', null],
    [`<title>${'a'.repeat(5000)}</title>`, 'a'.repeat(1000)],
  ] as const)
    it(`is ${String(title).slice(0, 20)}: ${source.slice(0, 60)}`, () => {
      assert.equal(facts(source).title, title);
    });
});

describe('the links of a page', () => {
  const HOST = 'https://example.org';

  it('come from elements that lead to pages, each once, without fragments', () => {
    const { links, canonicalUrl } = facts(`
      <link rel=canonical href="/c?utm_source=a&id=1"><link rel="next" href=2><link rel="PREV nofollow" href=0>
      <link rel=alternate hreflang=de href=/de/><link rel=alternate type="application/rss+xml" href=/feed>
      <link rel="alternate stylesheet" href=/b.css><link rel=author href=/author>
      <meta http-equiv=refresh content="0; URL='/moved'"><meta http-equiv=Refresh content="5"><a name=x>
      <a href="/a?x=1&amp;y=2#top">1</a><a href="/a?x=1&y=2">2</a><a href="#b"><a href=""><a href=" ../d&#47;e "><a href="//other.net">
      <a href="mailto:a@example.org"><a href="javascript:x()"><a href="tel:1"><a href="ftp://example.org/">
      <map><area href=/area></map><iframe src=/frame></iframe><svg><a xlink:href=/svg></a></svg>
      <a href=/photo.jpg><a href=/file.pdf>
      <noscript><a href=/plain></noscript><template><a href=/hidden></template><!-- <a href=/hidden> -->`);
    assert.deepEqual(links, [
      `${HOST}/c?id=1`,
      `${HOST}/shop/2`,
      `${HOST}/shop/0`,
      `${HOST}/de/`,
      `${HOST}/moved`,
      `${HOST}/a?x=1&y=2`,
      `${HOST}/d/e`,
      'https://other.net/',
      `${HOST}/area`,
      `${HOST}/frame`,
      `${HOST}/svg`,
      `${HOST}/file.pdf`,
      `${HOST}/plain`,
    ]);
    assert.equal(canonicalUrl, `${HOST}/c?id=1`);
  });

  for (const [content, link] of [
    ['0;url=/a', '/a'],
    ['0; url = "/a"x', '/a'],
    ['0, /a', '/a'],
    [' 1.5 ;URL=/a', '/a'],
    ["0;'/a'", '/a'],
    ['0', undefined],
  ] as const)
    it(`may come from a refresh: ${content}`, () => {
      const { links } = facts(`<meta http-equiv=refresh content='${content.replaceAll("'", '&#39;')}'>`);
      assert.deepEqual(links, link === undefined ? [] : [`${HOST}${link}`]);
    });

  it('are limited to 20,000', () => {
    const source = Array.from({ length: 20_500 }, (_, index) => `<a href=/${index}>`).join('');
    assert.equal(facts(source).links.length, 20_000);
  });
});

describe('style sheets and the manifest of a page', () => {
  it('are those that are linked, preloaded and imported, each once', () => {
    const { stylesheets, page } = readHtml(`
      <link rel=stylesheet href=a.css><link rel=preload as=style href=b.css><link rel="alternate stylesheet" href="a.css">
      <style>@import "/c.css" print;</style><noscript><link rel=stylesheet href=d.css></noscript><link rel=stylesheet>
      <link rel=manifest href=/m.json crossorigin><link rel=manifest href=/n.json>`);
    assert.deepEqual(
      stylesheets,
      ['shop/a.css', 'shop/b.css', 'c.css', 'shop/d.css'].map((path) => `https://example.org/${path}`),
    );
    assert.equal(page.manifestUrl, 'https://example.org/m.json');
  });
});

describe('the base of a page', () => {
  it('applies to later images and to all links; only the first one counts', () => {
    const reading = readHtml(
      '<img src=a.png><a href=a><base target=x><base href="/b/"><base href=/c/><img src=a.png><p style="background:url(s.png)">',
    );
    assert.deepEqual(addresses(reading), [
      'https://example.org/shop/a.png',
      'https://example.org/b/a.png',
      'https://example.org/b/s.png',
    ]);
    assert.deepEqual(reading.page.links, ['https://example.org/b/a']);
  });

  it('may be another host, and is ignored when it is invalid', () => {
    const image = '<img src=a.png>';
    assert.deepEqual(addresses(readHtml(`<base href="//cdn.net/x/y">${image}`)), ['https://cdn.net/x/a.png']);
    for (const base of ['<base href="data:,a">', '<base href="http://[">', '<template><base href=/b/></template>'])
      assert.deepEqual(addresses(readHtml(base + image)), ['https://example.org/shop/a.png'], base);
  });
});

describe('a page that needs JavaScript', () => {
  const root = '<div id="root"></div><script>start()</script>';
  for (const [source, needs] of [
    [`<body>${root}`, true],
    ['<noscript>You need to enable JavaScript to run this app.</noscript><div id=app></div>', true],
    ['<div id=__next><!-- --> \n <div class=spinner></div></div>', true],
    ['<app-root></app-root>', true],
    ['<div id=root>', true],
    ['<div id=root><div></div>Text</div>', false],
    ['<div id=root><img src=a></div>', false],
    ['<div id=root><div></div></div><p>Text', true],
    [`${root}<p>${'word '.repeat(50)}`, false],
    [`${root}<img src=a><img src=a>`, true],
    [`${root}<img src=a><img src=a><img src=a>`, false],
    ['<div id=other></div>', false],
    ['<p>Short.', false],
    ['', false],
  ] as const)
    it(`is ${needs}: ${source.slice(0, 60)}`, () => {
      assert.equal(facts(source).needsJavaScript, needs);
    });
});

describe('the images of a page', () => {
  it('are counted outside noscript', () => {
    assert.deepEqual(
      pick(
        '<img src=a srcset="b 2x"><noscript><img src=c></noscript><img data-src=d.png><img><img src=e><amp-img src=f>',
        'raw',
        'imageNumber',
      ),
      [
        ['a', 1],
        ['b', 1],
        ['c', null],
        ['d.png', 2],
        ['e', 4],
        ['f', null],
      ],
    );
  });

  for (const [html, lacks] of [
    ['<img src=a>', true],
    ['<img src=a width=1>', true],
    ['<img src=a width=1 height=1>', false],
    ['<img src=a width=100% height=1>', true],
    ['<img src=a width=1 style="height:auto">', true],
    ['<img src=a width=1 style="height: 50%">', false],
    ['<img src=a style="width:1px;height:1px">', false],
    ['<img src=a style="max-width:1px;height:1px">', true],
    ['<img src=a style="width:100%;aspect-ratio:1/2">', false],
    ['<noscript><img src=a></noscript>', false],
    ['<video poster=a>', false],
  ] as const)
    it(`${lacks ? 'lack' : 'have'} dimensions: ${html}`, () => {
      assert.equal(only(readHtml(html)).lacksDimensions, lacks);
    });

  for (const [html, ...lacks] of [
    ['<img src=a>', true],
    ['<img src=a alt="">', false],
    ['<img src=a alt>', false],
    ['<img src=a alt=b>', false],
    ['<a><img src=a alt=""></a>', true],
    ['<a><img src=a alt=""> </a>', true],
    ['<a>&nbsp;<img src=a alt=""></a>', true],
    ['<a><img src=a alt=""><a>Text', true],
    ['<a><img src=a alt=""><b>Text</b></a>', false],
    ['<a><img src=a alt="">&copy;</a>', false],
    ['<a title="Text"><img src=a alt=""></a>', false],
    ['<a aria-label="Text"><img src=a alt=""></a>', false],
    ['<a><img src=a alt=""><img src=b alt=c></a>', false, false],
    ['<a><img src=a alt=""><script>text</script></a>', true],
    ['<a><img src=a alt=""><svg><title>Text</title></svg></a>', false],
    ['<a>Text</a><img src=a alt="">', false],
    ['<noscript><img src=a></noscript>', false],
  ] as const)
    it(`lack alternative text: ${html}`, () => {
      assert.deepEqual(
        readHtml(html).references.map(({ lacksAlt }) => lacksAlt),
        lacks,
      );
    });

  it('are lazy through the browser or a script', () => {
    assert.deepEqual(
      pick(
        '<img src=a loading=LAZY><img src=b loading=eager><img src="data:image/gif;base64,R0lG" data-src=c.png><img src=d data-image=3>',
        'lazy',
        'loading',
      ),
      [
        [true, 'LAZY'],
        [false, 'eager'],
        [true, null],
        [true, null],
        [false, null],
      ],
    );
  });

  it('have candidates', () => {
    assert.deepEqual(
      pick(
        '<img src=a><img src=a srcset="b 2x"><img src=a srcset="./a 1x, b 2x"><img srcset="b 1x, , c 2x">' +
          '<picture><source srcset="d 1w, e 2w"><img src=a></picture><img data-src=a.png data-srcset="b.png 1w, c.png 2w">',
        'raw',
        'candidates',
      ),
      [
        ['a', 1],
        ['a', 2],
        ['b', 2],
        ['a', 2],
        ['./a', 2],
        ['b', 2],
        ['b', 2],
        ['c', 2],
        ['d', 3],
        ['e', 3],
        ['a', 3],
        ['a.png', 2],
        ['b.png', 2],
        ['c.png', 2],
      ],
    );
  });

  it('may be preloaded', () => {
    assert.deepEqual(
      pick(
        '<link rel=preload as=image href=a imagesrcset="b 2x"><img src=./a><img srcset="b 3x"><img src=c>',
        'raw',
        'preloaded',
      ),
      [
        ['a', false],
        ['b', false],
        ['./a', true],
        ['b', true],
        ['c', false],
      ],
    );
  });

  it('have the attributes of their elements', () => {
    assert.deepEqual(
      pick(
        '<picture><source srcset="a 5w" media=print sizes=9px type=image/webp><img src=b alt="C &amp; D" loading=lazy sizes=1px></picture>' +
          '<style media=screen>p{background:url(e)}</style><link rel=icon sizes=32x32 type=image/png href=f>',
        ...(['raw', 'descriptor', 'media', 'sizes', 'type', 'alt', 'loading'] as const),
      ),
      [
        ['a', '5w', 'print', '9px', 'image/webp', null, null],
        ['b', null, null, '1px', null, 'C & D', 'lazy'],
        ['e', null, 'screen', null, null, null, null],
        ['f', null, null, '32x32', 'image/png', null, null],
      ],
    );
  });
});

describe('the markup of a page', () => {
  const raws = (source: string) => readHtml(source).references.map(({ raw }) => raw);

  it('has character references, which raw keeps as written', () => {
    for (const [written, read] of [
      ['a&amp;b.png', 'a&b.png'],
      ['a?b=1&copy=2', 'a?b=1&copy=2'],
      ['&#97;&#x62;&#99;.png', 'abc.png'],
      ['a&NotEqualTilde;b.png', 'a%E2%89%82%CC%B8b.png'],
      ['&NotEqualTilde;&amp;.png', '%E2%89%82%CC%B8&.png'],
      ['a&bogus;.png', 'a&bogus;.png'],
      ['a&', 'a&'],
    ] as const) {
      const reference = only(readHtml(`<p>&amp;</p><img alt="&amp;" src="${written}">`));
      assert.equal(reference.raw, written);
      assert.equal(reference.url, `https://example.org/shop/${read}`);
    }
    assert.deepEqual(raws('<img srcset="&#97;.png&#32;&#49;x&#44;&#32;b&amp;c&#32;2x">'), ['&#97;.png', 'b&amp;c']);
    assert.deepEqual(raws('<p style="background:url(&quot;a&amp;b&quot;)">'), ['a&amp;b']);
  });

  it('may have addresses over several lines', () => {
    const reference = only(readHtml('<img src="\n  a\n b.png\t">'));
    assert.deepEqual([reference.raw, reference.line, reference.column], ['a\n b.png', 2, 3]);
    assert.equal(reference.url, 'https://example.org/shop/a%20b.png');
  });

  it('counts lines by every kind of line end', () => {
    const reference = only(readHtml('1\r\n2\r3\n\n<img src=a>'));
    assert.deepEqual([reference.line, reference.column], [5, 10]);
  });

  it('counts columns in UTF-16 code units', () => {
    assert.equal(only(readHtml('😀<img src=a>')).column, 12);
  });

  it('may be malformed', () => {
    for (const [source, ...expected] of [
      ['<img src=a<img src=b>', 'a<img'],
      ['<img src="a"src=b><img/src=c>', 'a', 'c'],
      ['<p><img src=a</p>', 'a</p'],
      ['</p></img></svg></template></noscript></picture><img src=a>', 'a'],
      ['<img =x src=a>', 'a'],
      ['<picture><p><source srcset=a><img src=b></p></picture><source srcset=c>', 'a', 'b'],
      ['<svg><p><image src=a></svg>', 'a'],
      ['<svg><foreignObject><img src=a></foreignObject><image href=b /></svg><img src=c>', 'a', 'b', 'c'],
      ['<svg><style>p{background:url(a)}</style><style/><image href=b></svg>', 'a', 'b'],
      ['<svg><![CDATA[<image href=a>]]></svg>'],
      ['<math><mi><img src=a></mi></math>', 'a'],
      ['<noscript><img src=a></div></noscript><img src=b>', 'a', 'b'],
      ['<template><noscript></template><img src=a>', 'a'],
      ['<template><template></template><img src=a></template><img src=b>', 'b'],
      ['<style>p{background:url(a)}', 'a'],
      ['<!--><img src=a>-->', 'a'],
      ['<!-- --!><img src=a>', 'a'],
      ['<?php <img src=a> ?><img src=b>', 'b'],
      ['\0<img\0src=x><img src=a>', 'a'],
    ] as const)
      assert.deepEqual(raws(source), expected, source);
  });

  it('of XHTML follows the rules of XML', () => {
    const source =
      '<?xml version="1.0"?><?xml-stylesheet href="a.css"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/>' +
      '<script src="x"/><style>p{background:url(<![CDATA[a&b.png]]>)}</style></head><body><img src="a&amp;b.png"/></body></html>';
    const reading = readPage({ source, url: URL_OF_PAGE, xml: true });
    assert.deepEqual(addresses(reading), ['https://example.org/shop/a&b.png', 'https://example.org/shop/a&b.png']);
    assert.deepEqual(reading.stylesheets, ['https://example.org/shop/a.css']);
    assert.deepEqual(
      readHtml(source).references.map(({ raw }) => raw),
      [],
    );
  });
});
