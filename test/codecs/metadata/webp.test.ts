import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { readMetadata, writeMetadata } from '../../../codecs/metadata/index.ts';
import { contains, HEIGHT, insert, pixels, u32, WIDTH, withMetadata, withoutMetadata } from './fixtures.ts';

describe('webp', () => {
  it('becomes extended for metadata and is the same simple file without them', async () => {
    const simple = await withoutMetadata('webp');
    const extended = writeMetadata('webp', simple, readMetadata('webp', await withMetadata('webp')));
    assert.equal(Buffer.from(extended).toString('latin1', 12, 16), 'VP8X');
    assert.deepEqual(writeMetadata('webp', extended, {}), simple);
  });

  it('keeps transparency and animation', async () => {
    const lossy = await sharp(await withoutMetadata('png'))
      .ensureAlpha(0.5)
      .webp()
      .toBuffer();
    const pages = await sharp(Buffer.alloc(WIDTH * HEIGHT * 3, 90), {
      raw: { width: WIDTH, height: HEIGHT, channels: 3, pageHeight: HEIGHT / 2 } as {
        width: number;
        height: number;
        channels: 3;
      },
    })
      .webp({ delay: [100, 200] })
      .toBuffer();
    for (const file of [lossy, pages]) {
      const written = writeMetadata('webp', file, readMetadata('webp', await withMetadata('webp')));
      for (const version of [written, writeMetadata('webp', written, {})]) {
        assert.deepEqual(await pixels(version), await pixels(file));
        assert.deepEqual((await sharp(version).metadata()).delay, (await sharp(file).metadata()).delay);
      }
    }
  });

  it('stays extended when its header declares more than the image has', async () => {
    const simple = await withoutMetadata('webp');
    const size = Buffer.from([WIDTH - 1, 0, 0, HEIGHT - 1, 0, 0]);
    const header = Buffer.concat([Buffer.from('VP8X'), u32(10, true), u32(0x10, true), size]);
    const transparent = Buffer.from(insert(simple, 12, header));
    transparent.writeUInt32LE(transparent.length - 8, 4);
    assert.deepEqual(Buffer.from(writeMetadata('webp', transparent, {})), transparent);
  });

  it('loses unknown chunks inside the frames of an animation', async () => {
    const [frame, junk] = [Buffer.alloc(16), Buffer.concat([Buffer.from('JUNK'), u32(6, true), Buffer.from('secret')])];
    const simple = await withoutMetadata('webp');
    const coded = simple.subarray(12);
    const header = Buffer.concat([Buffer.from('VP8X'), u32(10, true), u32(2, true), Buffer.alloc(6)]);
    const body = Buffer.concat([frame, junk, coded]);
    const anmf = Buffer.concat([Buffer.from('ANMF'), u32(body.length, true), body]);
    const file = Buffer.concat([
      Buffer.from('RIFF'),
      u32(4 + header.length + anmf.length, true),
      Buffer.from('WEBP'),
      header,
      anmf,
    ]);
    const stripped = writeMetadata('webp', file, {});
    assert.equal(contains(stripped, 'secret'), false);
    assert.equal(contains(stripped, coded), true);
  });

  it('loses unknown chunks and bytes after the end', async () => {
    const webp = await withoutMetadata('webp');
    const unknown = Buffer.concat([Buffer.from('JUNK'), u32(6, true), Buffer.from('secret')]);
    const dressed = Buffer.concat([webp, unknown, Buffer.from('secret')]);
    dressed.writeUInt32LE(webp.length + unknown.length - 8, 4);
    assert.deepEqual(writeMetadata('webp', dressed, {}), webp);
  });
});
