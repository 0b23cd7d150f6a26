import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { readDataUri } from '../../web-documents/data-uri.ts';
import { addresses, readHtml } from './documents.ts';

const GIF = Buffer.from('R0lGODlhAwACAAAAACw=', 'base64');
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 30 20"><title>č</title></svg>';
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');

describe('a data URI', () => {
  for (const [name, uri, bytes] of [
    ['base64', `data:image/gif;base64,${GIF.toString('base64')}`, GIF],
    ['base64 without padding', `data:image/gif;base64,${GIF.toString('base64').replaceAll('=', '')}`, GIF],
    ['base64 with spaces', `data:image/gif;base64,${GIF.toString('base64').replaceAll(/.{5}/g, '$& \n\t')}`, GIF],
    ['base64 with escapes', `data:image/gif;base64,${GIF.toString('base64').replaceAll('=', '%3D')}`, GIF],
    ['a charset before base64', `data:image/gif;charset=utf-8;BASE64,${GIF.toString('base64')}`, GIF],
    ['capitals', `DATA:IMAGE/GIF;base64,${GIF.toString('base64')}`, GIF],
    ['escapes', `data:image/gif,${[...GIF].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')}`, GIF],
  ] as const)
    it(`in ${name} is decoded`, () => {
      assert.deepEqual(readDataUri(uri), {
        url: `data:image/gif;sha256,${sha256(bytes)}`,
        sha256: sha256(bytes),
        contentType: 'image/gif',
        format: 'gif',
        bytes: bytes.length,
        width: 3,
        height: 2,
      });
    });

  it('may hold an unencoded SVG', () => {
    for (const body of [encodeURIComponent(SVG), SVG, SVG.replaceAll('"', "'").replaceAll('č', '%C4%8D')]) {
      const image = readDataUri(`data:image/svg+xml;charset=utf8,${body}`)!;
      const { contentType, format, width, height, bytes } = image;
      assert.deepEqual(
        { contentType, format, width, height, bytes },
        {
          contentType: 'image/svg+xml',
          format: 'svg',
          width: 30,
          height: 20,
          bytes: Buffer.byteLength(SVG),
        },
      );
    }
  });

  it('ends at a fragment, and keeps invalid escapes', () => {
    assert.equal(readDataUri('data:image/x,a%2%zz%#b')!.sha256, sha256('a%2%zz%'));
  });

  it('may hold another type than it declares', () => {
    const { format, width, contentType } = readDataUri(`data:image/png;base64,${GIF.toString('base64')}`)!;
    assert.deepEqual({ format, width, contentType }, { format: 'gif', width: 3, contentType: 'image/png' });
    const unknown = readDataUri('data:image/png;base64,AAAA')!;
    assert.deepEqual([unknown.format, unknown.width, unknown.height, unknown.bytes], [null, null, null, 3]);
    assert.equal(readDataUri(`data:image/gif;base64,${GIF.subarray(0, 7).toString('base64')}`)!.width, null);
  });

  it('may hold a compressed SVG, of which only the start is decompressed', () => {
    const bomb = gzipSync(`${SVG.slice(0, -6)}${' '.repeat(50_000_000)}</svg>`);
    const { format, width } = readDataUri(`data:image/svg+xml;base64,${bomb.toString('base64')}`)!;
    assert.deepEqual({ format, width }, { format: 'svg', width: 30 });
  });

  it('is not an image when its type is not, or when it is empty', () => {
    for (const uri of [
      'data:,a',
      'data:text/html,a',
      'data:font/woff;base64,AAAA',
      'data:image/png',
      'data:image/png,',
      'data:image/png;base64,',
      `data:image/${'x'.repeat(1000)},a`,
    ])
      assert.equal(readDataUri(uri), undefined, uri);
  });

  it('is reported once when it is repeated, with its first 200 characters', () => {
    const uri = `data:image/gif;base64,${GIF.toString('base64')}${'A'.repeat(400)}`;
    const reading = readHtml(`<img src="${uri}"><p style="background:url('${uri}')"><img srcset="${uri} 2x">`);
    assert.equal(reading.inlineImages.length, 1);
    assert.deepEqual(addresses(reading), Array(3).fill(reading.inlineImages[0]!.url));
    for (const { raw } of reading.references) assert.equal(raw, uri.slice(0, 200));
  });
});
