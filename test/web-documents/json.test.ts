import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readJson } from '../../web-documents/json.ts';
import { findJsonLdImages } from '../../web-documents/json-ld.ts';
import { readManifest } from '../../web-documents/manifest.ts';
import { addresses, assertPlace, readHtml } from './documents.ts';

const images = (text: string) => findJsonLdImages(text).map(({ value }) => value);

describe('structured data', () => {
  for (const [text, ...expected] of [
    ['{"image": "/a.png"}', '/a.png'],
    [
      '{"image": ["https://example.org/a", {"url": "/b"}, [{"contentUrl": "/c"}]]}',
      'https://example.org/a',
      '/b',
      '/c',
    ],
    ['{"logo": {"@type": "ImageObject", "url": "/a", "caption": "/b"}}', '/a'],
    ['{"thumbnailUrl": ["/a", "/b"]}', '/a', '/b'],
    ['{"@type": "ImageObject", "contentUrl": "/a", "url": "/b"}', '/a', '/b'],
    ['{"contentUrl": "/a", "@type": ["ImageObject", "Thing"]}', '/a'],
    ['{"@type": "http://schema.org/ImageObject", "schema:contentUrl": "/a"}', '/a'],
    ['{"@type": "VideoObject", "contentUrl": "/a.mp4", "thumbnailUrl": "/b"}', '/b'],
    ['{"@graph": [{"@type": "Person", "url": "/a", "image": {"@id": "/b", "url": "/c"}}]}', '/c'],
    ['{"@context": {"image": {"@id": "schema:image"}}, "a": {"b": {"image": "/a"}}}', '/a'],
    ['[{"image": "/a"}, {"image": "/b"}]', '/a', '/b'],
    ['{"image": "A picture of a.png"}'],
    ['{"image": "a.png"}', 'a.png'],
    ['{"logo": "Example Ltd."}'],
    ['{"image": "https:\\/\\/example.org\\/\\u0061.png"}', 'https://example.org/a.png'],
    ['{"image": null, "logo": 1, "thumbnailUrl": true}'],
    ['{"description": "{\\"image\\": \\"/a\\"}"}'],
    ['/*<![CDATA[*/ {"image": "/a"} /*]]>*/', '/a'],
    ['{"image": "/a",}', '/a'],
    ['{"image" "/a", "logo": "/b"', '/a', '/b'],
    ['{"image": "/a', '/a'],
    ['{"a": 1 "image": "/a"}'],
    ['}]{"image": "/a"}', '/a'],
    [''],
    ['"image"'],
  ] as const)
    it(`${text} references ${expected.length}`, () => {
      assert.deepEqual(images(text), expected);
    });

  it('is relative to the page, in each block', () => {
    const reading = readHtml(
      '<base href=/b/><script type="application/ld+json; charset=utf-8">{"image":"./a.png"}</script>' +
        '<script type="Application/LD+JSON">\n{"logo":"data:image/gif;base64,R0lGODlhAQABAAAAACw="}</script><script>{"image":"/c"}</script>',
    );
    assert.deepEqual(
      reading.references.map(({ role, url }) => [role, url.slice(0, 30)]),
      [
        ['json_ld', 'https://example.org/b/a.png'],
        ['data_uri', 'data:image/gif;sha256,49c6f23b'.slice(0, 22) + reading.inlineImages[0]!.sha256.slice(0, 8)],
      ],
    );
  });
});

describe('JSON', () => {
  it('is parsed like JSON.parse when it is valid', () => {
    const value = { a: ['b\n"\\/\u2028😀', { c: [], d: {} }, [['e']]], f: 'g', '': 'h' };
    const plain = (nodes: ReturnType<typeof readJson>): unknown[] =>
      nodes.map((node) =>
        'value' in node
          ? node.value
          : 'items' in node
            ? plain(node.items)
            : Object.fromEntries(node.members.map(([name, member]) => [name, plain([member])[0]])),
      );
    for (const text of [
      JSON.stringify(value),
      JSON.stringify(value, null, 2),
      JSON.stringify(value).replaceAll('/', '\\/'),
    ])
      assert.deepEqual(plain(readJson(text)), [JSON.parse(text)]);
  });

  it('is skipped where it is nested too deeply, and read on after that', () => {
    const deep = `${'['.repeat(500)}{"image":"/a"}${']'.repeat(500)}`;
    assert.deepEqual(images(`[${deep}, {"image": "/b"}]`), ['/b']);
  });
});

describe('a web manifest', () => {
  it('is the base of its images', () => {
    const source = `{
      "icons": [{"src": "icon.png", "sizes": "192x192", "type": "image/png"}, {"sizes": "1x1"}, "a.png"],
      "screenshots": [{"src": "\\/shot.webp"}],
      "shortcuts": [{"name": "a", "icons": [{"src": "../s.svg"}]}, {"icons": "b.png"}],
      "start_url": "/a.png", "related_applications": [{"src": "/c.png"}]
    }`;
    const reading = readManifest(source, 'https://example.org/app/site.webmanifest');
    for (const reference of reading.references) assertPlace(source, reference);
    assert.deepEqual(addresses(reading), [
      'https://example.org/app/icon.png',
      'https://example.org/shot.webp',
      'https://example.org/s.svg',
    ]);
    const [icon] = reading.references;
    assert.deepEqual([icon!.sizes, icon!.type], ['192x192', 'image/png']);
  });

  it('may not be a manifest', () => {
    for (const source of ['', '[]', '<html>', '{"icons": {}}', '{"icons": [{"src": 1}]}'])
      assert.deepEqual(readManifest(source, 'https://example.org/m').references, [], source);
  });
});
