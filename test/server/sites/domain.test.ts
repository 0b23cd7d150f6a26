import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isSameHost, isSameSite, registrableDomain, sitePart } from '../../../server/sites/domain.ts';

describe('the registrable domain', () => {
  for (const [host, domain] of [
    ['example.com', 'example.com'],
    ['www.example.com', 'example.com'],
    ['a.b.shop.example.co.uk', 'example.co.uk'],
    ['xn--ebelar-h2a.example.si', 'example.si'],
    ['under_score.example.com', 'example.com'],
    // Private domains of the public suffix list: each of their customers has a separate website.
    ['anna.github.io', 'anna.github.io'],
    ['www.anna.github.io', 'anna.github.io'],
    ['github.io', 'github.io'],
    ['co.uk', 'co.uk'],
    ['localhost', 'localhost'],
    ['router', 'router'],
    ['127.0.0.1', '127.0.0.1'],
    ['8.8.8.8', '8.8.8.8'],
    ['[::1]', '[::1]'],
  ] as const) {
    it(`of ${host} is ${domain}`, () => assert.equal(registrableDomain(host), domain));
  }
});

describe('two hosts', () => {
  it('are one website if they share a registrable domain', () => {
    for (const other of ['example.com', 'www.example.com', 'cdn.example.com']) {
      assert.equal(isSameSite('example.com', other), true, other);
    }
    for (const [one, other] of [
      ['example.com', 'example.org'],
      ['example.com', 'notexample.com'],
      ['anna.github.io', 'berta.github.io'],
      ['a.co.uk', 'b.co.uk'],
      ['127.0.0.1', '127.0.0.2'],
      ['10.0.0.1', '20.0.0.1'],
      ['localhost', '127.0.0.1'],
    ] as const) {
      assert.equal(isSameSite(one, other), false, `${one} ${other}`);
    }
  });

  it('are the same with and without www', () => {
    assert.equal(isSameHost('example.com', 'www.example.com'), true);
    assert.equal(isSameHost('www.shop.example.com', 'shop.example.com'), true);
    assert.equal(isSameHost('example.com', 'shop.example.com'), false);
    assert.equal(isSameHost('example.com', 'www2.example.com'), false);
    assert.equal(isSameHost('www.com', 'com'), false);
    assert.equal(isSameHost('127.0.0.1', '127.0.0.1'), true);
  });
});

describe('the identity of a website', () => {
  for (const [url, part] of [
    ['https://WWW.Example.com/a?b', 'example.com'],
    ['http://example.com:80/', 'example.com'],
    ['https://shop.example.com:8443/', 'shop.example.com:8443'],
    ['http://127.0.0.1:3000/', '127.0.0.1:3000'],
    ['http://[::1]:3000/', '[::1]:3000'],
    ['http://www.com/', 'www.com'],
  ] as const) {
    it(`is ${part} for ${url}`, () => assert.equal(sitePart(url), part));
  }
});
