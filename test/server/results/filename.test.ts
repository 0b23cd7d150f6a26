import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { contentDisposition } from '../../../server/results/filename.ts';

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
