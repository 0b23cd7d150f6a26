import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { contentDisposition, resultFilename } from '../../../server/results/filename.ts';

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

describe('contentDisposition', () => {
  it('writes the name in ASCII and in UTF-8', () => {
    assert.equal(
      contentDisposition('inline', "Žiga's (1).webp"),
      `inline; filename="_iga's (1).webp"; filename*=UTF-8''%C5%BDiga%27s%20%281%29.webp`,
    );
  });

  it('escapes characters that could end the filename', () => {
    const header = contentDisposition('attachment', 'a"; b=\\%41\r\n.png');
    assert.equal(header, `attachment; filename="a_; b=__41__.png"; filename*=UTF-8''a%22%3B%20b%3D%5C%2541%0D%0A.png`);
  });
});
