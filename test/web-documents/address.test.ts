import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hasImageExtension, normalizeAddress, pageAddress } from '../../web-documents/address.ts';

const BASE = 'https://example.org/a/b.html?c=d#e';

describe('an address', () => {
  for (const [address, normal] of [
    ['', 'https://example.org/a/b.html?c=d'],
    ['x.png', 'https://example.org/a/x.png'],
    ['../x.png', 'https://example.org/x.png'],
    ['/x/./y/../z', 'https://example.org/x/z'],
    ['//CDN.Example.NET:443/x', 'https://cdn.example.net/x'],
    ['HTTP://example.org:80', 'http://example.org/'],
    [' \tx\n.png ', 'https://example.org/a/x.png'],
    ['?q=1#f', 'https://example.org/a/b.html?q=1'],
    ['x y.png', 'https://example.org/a/x%20y.png'],
    ['%7Ex?utm_source=a', 'https://example.org/a/%7Ex?utm_source=a'],
    ['\\x', 'https://example.org/x'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
    ['http://0x7f.1/', 'http://127.0.0.1/'],
    ['mailto:a@b.c', undefined],
    ['javascript:1', undefined],
    ['file:///a', undefined],
    ['http://[', undefined],
    ['http://a b/', undefined],
    [`/${'x'.repeat(8171)}`, `https://example.org/${'x'.repeat(8171)}`.slice(0, 8192)],
    [`/${'x'.repeat(8173)}`, undefined],
  ] as const)
    it(`${JSON.stringify(address.slice(0, 40))} is ${normal?.slice(0, 60)}`, () => {
      assert.equal(normalizeAddress(address, BASE), normal);
    });

  it('needs a base when it is relative', () => {
    assert.equal(normalizeAddress('x.png'), undefined);
    assert.equal(normalizeAddress('https://example.org/x#y'), 'https://example.org/x');
  });
});

describe('the address of a page', () => {
  for (const [query, kept] of [
    ['', ''],
    ['?', '?'],
    ['?a=1', '?a=1'],
    ['?utm_source=x', ''],
    ['?utm_source=x&a=1&UTM_Medium=y', '?a=1'],
    ['?a=1&gclid=x&fbclid=y&b=%20+&mc_eid=z', '?a=1&b=%20+'],
    ['?utm=x&gclids=1&a=utm_source', '?utm=x&gclids=1&a=utm_source'],
    ['?gclid', ''],
    ['?a&&b', '?a&&b'],
  ] as const)
    it(`keeps of ${JSON.stringify(query)} only ${JSON.stringify(kept)}`, () => {
      assert.equal(pageAddress(`https://example.org/p${query}#f`), `https://example.org/p${kept}`);
    });
});

describe('the extension of an address', () => {
  it('identifies an image', () => {
    for (const path of ['a.png', 'a.JPEG?b=c', 'a.b.webp', 'a.svg', 'a.ico', 'a.avif?x=.css'])
      assert.equal(hasImageExtension(`https://example.org/${path}`), true, path);
    for (const path of ['a', 'png', 'a.html', 'a.pdf', 'a.png/', 'a?b=.png', 'a.mp4'])
      assert.equal(hasImageExtension(`https://example.org/${path}`), false, path);
  });
});
