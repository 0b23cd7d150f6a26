import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { readMetadata, writeMetadata } from '../../../codecs/metadata/index.ts';
import { contains, exifStream, IPTC, insert, pixels, withoutMetadata } from './fixtures.ts';

describe('jpeg', () => {
  const comment = Buffer.from('\xff\xfe\0\x08secret', 'latin1');

  it('loses comments, unknown segments and bytes after the image', async () => {
    const jpeg = await withoutMetadata('jpeg');
    const dressed = Buffer.concat([insert(jpeg, 2, comment, '\xff\xeb\0\x08secret'), Buffer.from('secret'), jpeg]);
    assert.deepEqual(writeMetadata('jpeg', dressed, {}), new Uint8Array(jpeg));
  });

  it('loses comments between scans', async () => {
    const progressive = await sharp(await withoutMetadata('jpeg'))
      .jpeg({ progressive: true })
      .toBuffer();
    const second = progressive.indexOf(Buffer.from([0xff, 0xda]), progressive.indexOf(Buffer.from([0xff, 0xda])) + 2);
    const dressed = insert(progressive, progressive.lastIndexOf(Buffer.from([0xff, 0xc4]), second), comment);
    assert.deepEqual(Buffer.from(writeMetadata('jpeg', dressed, {})), progressive);
  });

  it('keeps the colours of RGB and CMYK files, which have an Adobe segment or names for components', async () => {
    const cmyk = await sharp(await withoutMetadata('jpeg'))
      .toColourspace('cmyk')
      .jpeg()
      .toBuffer();
    const density = { x: 300, y: 300 };
    const written = writeMetadata('jpeg', cmyk, { density });
    assert.deepEqual(await pixels(written), await pixels(cmyk));
    assert.equal(contains(written, 'JFIF'), false);
    assert.deepEqual(readMetadata('jpeg', written).density, density);

    const rgb = Buffer.from(await withoutMetadata('jpeg'));
    const frame = rgb.indexOf(Buffer.from([0xff, 0xc0]));
    const scan = rgb.indexOf(Buffer.from([0xff, 0xda]));
    for (const [index, name] of [...'RGB'].entries()) {
      rgb[frame + 10 + index * 3] = name.charCodeAt(0);
      rgb[scan + 5 + index * 2] = name.charCodeAt(0);
    }
    assert.deepEqual(await pixels(writeMetadata('jpeg', rgb, { density })), await pixels(rgb));
  });

  it('keeps an existing JFIF segment, without density and thumbnail', async () => {
    const thumbnail = Buffer.from('JFIF\0\x01\x02\x01\0\x48\0\x48\x01\x01abc', 'latin1');
    const dressed = insert(
      await withoutMetadata('jpeg'),
      2,
      Buffer.from([0xff, 0xe0, 0, thumbnail.length + 2]),
      thumbnail,
    );
    assert.deepEqual(readMetadata('jpeg', dressed), { density: { x: 72, y: 72 } });
    const stripped = writeMetadata('jpeg', dressed, {});
    assert.equal(contains(stripped, 'JFIF'), true);
    assert.equal(contains(stripped, 'abc'), false);
    assert.deepEqual(readMetadata('jpeg', stripped), {});
  });

  it('gets no JFIF segment when Adobe declares RGB under the names of YCbCr', async () => {
    const adobe = Buffer.from('ffee000e41646f6265006480000000000000'.slice(0, 32), 'hex');
    const rgb = insert(await withoutMetadata('jpeg'), 2, adobe);
    const written = writeMetadata('jpeg', rgb, { density: { x: 300, y: 300 } });
    assert.deepEqual(await pixels(written), await pixels(rgb));
    assert.notDeepEqual(await pixels(rgb), await pixels(await withoutMetadata('jpeg')));
  });

  it('loses references to data that are not copied', async () => {
    const signature = Buffer.from('http://ns.adobe.com/xap/1.0/\0');
    const xmp = Buffer.concat([signature, Buffer.from('<a xmpNote:HasExtendedXMP="0123"/>')]);
    const file = insert(await withoutMetadata('jpeg'), 2, Buffer.from([0xff, 0xe1, 0, xmp.length + 2]), xmp);
    assert.equal(Buffer.from(readMetadata('jpeg', file).xmp!).toString(), '<a/>');
  });

  it('holds profiles of several segments, in any order', async () => {
    const icc = new Uint8Array(200_000).map((_, index) => index % 251);
    const written = writeMetadata('jpeg', await withoutMetadata('jpeg'), { icc });
    assert.deepEqual(readMetadata('jpeg', written), { icc });
    const second = 2 + 65_537;
    const swapped = [written.subarray(0, 2), written.subarray(second, second + 65_537), written.subarray(2, second)];
    const turned = Buffer.concat([...swapped, written.subarray(second + 65_537)]);
    assert.deepEqual(readMetadata('jpeg', turned), { icc });
    assert.deepEqual(await pixels(written), await pixels(await withoutMetadata('jpeg')));
  });

  it('leaves out blocks that no segment can hold', async () => {
    const exif = new Uint8Array(70_000);
    exif.set(await exifStream());
    assert.deepEqual(writeMetadata('jpeg', await withoutMetadata('jpeg'), { exif }), await withoutMetadata('jpeg'));
  });

  it('holds IPTC that sharp can read', async () => {
    const written = writeMetadata('jpeg', await withoutMetadata('jpeg'), { iptc: IPTC });
    assert.equal(contains((await sharp(written).metadata()).iptc!, 'Lake'), true);
    assert.deepEqual(Buffer.from(readMetadata('jpeg', written).iptc!), IPTC);
  });

  it('joins EXIF of two segments', async () => {
    const exif = await exifStream();
    const segment = (part: Uint8Array) =>
      Buffer.concat([Buffer.from([0xff, 0xe1, 0, part.length + 8]), Buffer.from('Exif\0\0'), part]);
    const jpeg = insert(
      await withoutMetadata('jpeg'),
      2,
      segment(exif.subarray(0, 100)),
      segment(exif.subarray(100, 200)),
    );
    assert.deepEqual(readMetadata('jpeg', jpeg).exif, exif.slice(0, 200));
  });
});
