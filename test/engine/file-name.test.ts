import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resultFilename } from '../../engine/file-name.ts';

describe('resultFilename', () => {
  const cases: [string | undefined, string][] = [
    ['photo.jpg', 'photo.webp'],
    ['my photo.tar.gz', 'my photo.tar.webp'],
    ['photo', 'photo.webp'],
    ['.htaccess', 'htaccess.webp'],
    ['../../etc/passwd', 'passwd.webp'],
    ['C:\\temp\\žaba.png', 'žaba.webp'],
    ['a"b\r\nSet-Cookie: x.png', 'a_b__Set-Cookie_ x.webp'],
    ['\u202egnp.exe', '_gnp.webp'],
    ['\ud800.png', '_.webp'],
    ['..', 'image.webp'],
    ['', 'image.webp'],
    [undefined, 'image.webp'],
    ['😀'.repeat(200), `${'😀'.repeat(100)}.webp`],
  ];
  for (const [source, name] of cases) {
    it(`${JSON.stringify(source)?.slice(0, 40)} becomes ${name.slice(0, 40)}`, () =>
      assert.equal(resultFilename(source, { format: 'webp' }), name));
  }

  it('uses the common extension of the format', () =>
    assert.equal(resultFilename('a.png', { format: 'jpeg' }), 'a.jpg'));

  it("uses the file's own extension if it has one", () =>
    assert.equal(resultFilename('a.SVGZ', { format: 'svg', extension: 'svgz' }), 'a.svgz'));
});
