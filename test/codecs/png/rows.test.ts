import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deflateSync, inflateSync } from 'node:zlib';
import { zlibZeros } from '../../../bench/bombs/bytes.ts';
import { blankPng, chunk } from '../../../bench/bombs/png.ts';
import { chunksOf } from '../../../codecs/metadata/png-chunks.ts';
import { checkPngData, filteredBytes, passesOf } from '../../../codecs/png/rows.ts';
import { compress } from '../../support/engine.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { pattern, sharpOf } from '../../support/test-images.ts';

const partsOf = (png: Uint8Array) => {
  const chunks = [...chunksOf(png)];
  return {
    header: chunks[0]!.data,
    data: Buffer.concat(chunks.filter(({ name }) => name === 'IDAT').map(({ data }) => data)),
  };
};

/** Returns the image with other data. */
const withData = (png: Buffer, data: Uint8Array) =>
  Buffer.concat([png.subarray(0, 33), chunk('IDAT', data), chunk('IEND')]);

describe('the rows of a PNG', () => {
  for (const progressive of [false, true])
    it(`have the size that they inflate to, ${progressive ? 'interlaced' : 'in one pass'}`, async () => {
      for (const [width, height] of [
        [1, 1],
        [3, 9],
        [61, 47],
      ] as const) {
        const { header, data } = partsOf(await sharpOf(pattern(width, height)).png({ progressive }).toBuffer());
        assert.equal(filteredBytes(passesOf(header)), inflateSync(data).length, `${width} x ${height}`);
      }
    });

  it('may be uncompressed, and may have extra bytes after them', { skip: nightlyOnly }, async () => {
    const png = await sharpOf(pattern(900, 600)).png().toBuffer();
    const rows = inflateSync(partsOf(png).data);
    checkPngData(withData(png, deflateSync(rows, { level: 0 })));
    const more = withData(png, deflateSync(Buffer.concat([rows, Buffer.alloc(500_000)]), { level: 0 }));
    assert.equal((await compress(more)).width, 900);
  });

  it('are rejected with far more data than they need, before inflating', async () => {
    const tiny = blankPng({ width: 64, height: 64 });
    const refused = { code: 'corrupt_image' };
    const gigabytes = withData(tiny, zlibZeros(2 ** 31));
    assert.throws(() => checkPngData(gigabytes), refused);
    await assert.rejects(compress(gigabytes), refused);
  });

  it('are left to the decoder in a damaged file', () => {
    const file = blankPng({ width: 5, height: 4 });
    for (let end = 0; end < file.length; end += 1) checkPngData(file.subarray(0, end));
  });
});
