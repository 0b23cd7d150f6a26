import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { writeMetadata } from '../../../codecs/metadata/index.ts';
import { padTo } from '../../../codecs/metadata/padding.ts';
import { pixels, withoutMetadata } from './fixtures.ts';

const MAX_SEGMENT_BYTES = 65_537;

describe('padTo', () => {
  for (const [format, smallest] of [
    ['jpeg', 4],
    ['png', 12],
  ] as const) {
    it(`reaches every size of ${format} from the smallest padding on and keeps the pixels`, async () => {
      const bytes = await withoutMetadata(format);
      const additions = [
        smallest,
        smallest + 1,
        1000,
        MAX_SEGMENT_BYTES,
        MAX_SEGMENT_BYTES + 1,
        MAX_SEGMENT_BYTES + 4,
        200_003,
      ];
      for (const addition of additions) {
        const padded = padTo(format, bytes, bytes.length + addition);
        assert.equal(padded.length, bytes.length + addition, `${addition} more`);
        assert.deepEqual(await pixels(padded), await pixels(bytes));
      }
    });

    it(`adds the smallest padding of ${format} where less is needed`, async () => {
      const bytes = await withoutMetadata(format);
      for (const missing of [1, smallest - 1]) {
        assert.equal(padTo(format, bytes, bytes.length + missing).length, bytes.length + smallest);
      }
    });

    it(`does not change ${format} files that are large enough`, async () => {
      const bytes = await withoutMetadata(format);
      assert.equal(padTo(format, bytes, bytes.length), bytes);
    });
  }

  it('pads to a hundred megabytes', async () => {
    for (const format of ['jpeg', 'png'] as const) {
      assert.equal(padTo(format, await withoutMetadata(format), 100_000_000).length, 100_000_000);
    }
  });

  it('keeps JFIF as the first segment', async () => {
    const jpeg = writeMetadata('jpeg', await withoutMetadata('jpeg'), { density: { x: 72, y: 72 } });
    const padded = padTo('jpeg', jpeg, 10_000);
    assert.equal(Buffer.from(padded).toString('latin1', 6, 10), 'JFIF');
  });

  it('rejects other files', () => {
    for (const format of ['jpeg', 'png'] as const) {
      assert.throws(() => padTo(format, new Uint8Array(10), 100), { code: 'corrupt_image' });
    }
  });
});
