import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { readMetadata, writeMetadata } from '../../../../codecs/metadata/index.ts';
import { contains, exifStream, IPTC, insert, pixels, u32, withoutMetadata, XMP } from '../../metadata/fixtures.ts';

describe('png', () => {
  function chunk(name: string, data: Uint8Array | string): Buffer {
    const body = Buffer.concat([Buffer.from(name), typeof data === 'string' ? Buffer.from(data, 'latin1') : data]);
    return Buffer.concat([u32(body.length - 4), body, u32(crc32(body))]);
  }
  const AFTER_HEADER = 33;

  it('loses texts, colour chunks and bytes after the end', async () => {
    const png = await withoutMetadata('png');
    const gamma = chunk('gAMA', u32(100_000));
    const dressed = Buffer.concat([
      insert(png, AFTER_HEADER, gamma, chunk('tEXt', 'Author\0secret')),
      Buffer.from('secret'),
    ]);
    assert.deepEqual(writeMetadata('png', dressed, {}), writeMetadata('png', png, {}));
    assert.equal(contains(writeMetadata('png', dressed, {}), 'gAMA'), false);
  });

  it('keeps the palette, transparency and the frames of an animation', async () => {
    const palette = await sharp(await withoutMetadata('png'))
      .ensureAlpha(0.5)
      .png({ palette: true })
      .toBuffer();
    assert.deepEqual(await pixels(writeMetadata('png', palette, {})), await pixels(palette));
    const frames = ['acTL', 'fcTL', 'fdAT'].map((name) => chunk(name, u32(1)));
    const animated = writeMetadata('png', insert(await withoutMetadata('png'), AFTER_HEADER, ...frames), {});
    for (const frame of frames) assert.equal(contains(animated, frame), true);
  });

  it('reads the text chunks in which ImageMagick stores EXIF, IPTC and XMP', async () => {
    const exif = Buffer.concat([Buffer.from('Exif\0\0'), await exifStream()]);
    const raw = (type: string, data: Uint8Array) =>
      `\n${type}\n    ${data.length}\n${Buffer.from(data).toString('hex').replace(/.{72}/g, '$&\n')}\n`;
    const png = insert(
      await withoutMetadata('png'),
      AFTER_HEADER,
      chunk('zTXt', Buffer.concat([Buffer.from('Raw profile type exif\0\0'), deflateSync(raw('exif', exif))])),
      chunk('tEXt', `Raw profile type iptc\0${raw('iptc', IPTC)}`),
      chunk('tEXt', `Raw profile type xmp\0${raw('xmp', Buffer.from(XMP))}`),
    );
    const stored = readMetadata('png', png);
    assert.deepEqual(stored.exif, await exifStream());
    assert.deepEqual(Buffer.from(stored.iptc!), IPTC);
    assert.deepEqual(Buffer.from(stored.xmp!), Buffer.from(XMP));
  });

  it('reads a compressed packet, but not one that inflates to gigabytes', async () => {
    const packet = (text: Uint8Array) =>
      chunk('iTXt', Buffer.concat([Buffer.from('XML:com.adobe.xmp\0\x01\0\0\0'), deflateSync(text)]));
    const png = await withoutMetadata('png');
    assert.equal(
      contains(readMetadata('png', insert(png, AFTER_HEADER, packet(Buffer.from(XMP)))).xmp!, 'Ljubljana'),
      true,
    );
    assert.equal(readMetadata('png', insert(png, AFTER_HEADER, packet(Buffer.alloc(100_000_000)))).xmp, undefined);
  });
});
