import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { readMetadata, writeMetadata } from '../../../../codecs/metadata/index.ts';
import { HEIGHT, insert, pixels, WIDTH, withoutMetadata, XMP } from '../../metadata/fixtures.ts';

describe('gif', () => {
  it('loses comments and applications except the loop count, with the same pixels', async () => {
    const pages = { width: WIDTH, height: HEIGHT, channels: 3, pageHeight: HEIGHT / 2 } as {
      width: number;
      height: number;
      channels: 3;
    };
    const frames = Buffer.from(Array.from({ length: WIDTH * HEIGHT * 3 }, (_, index) => index % 200));
    const gif = await sharp(frames, { raw: pages })
      .gif({ loop: 3, delay: [100, 200] })
      .toBuffer();
    const at = gif.indexOf('NETSCAPE2.0') - 3;
    const trailer = Buffer.concat([
      Buffer.from([1]),
      Buffer.from(Array.from({ length: 256 }, (_, index) => 255 - index)),
    ]);
    const dressed = insert(gif, at, '!\xfe\x06secret\0', '!\xff\x0bXMP DataXMP', Buffer.from(XMP), trailer, '\0');
    assert.deepEqual(Buffer.from(readMetadata('gif', dressed).xmp!), Buffer.from(XMP));
    const stripped = writeMetadata('gif', dressed, {});
    assert.deepEqual(Buffer.from(stripped), gif);
    assert.equal((await sharp(stripped).metadata()).loop, 3);
  });

  it('keeps the complete frames of a file that ends early', async () => {
    const gif = await withoutMetadata('gif');
    const stripped = writeMetadata('gif', gif.subarray(0, gif.length - 1), {});
    assert.deepEqual(await pixels(stripped), await pixels(gif));
  });
});
