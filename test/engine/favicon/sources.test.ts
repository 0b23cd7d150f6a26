/** The kinds of files that favicon accepts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { blankPng } from '../../support/blank-png.ts';
import { corpus, corpusSkipReason } from '../../support/corpus.ts';
import { compress } from '../../support/engine.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { difference, flat, jpeg, pattern, pixel, png, type RawImage, sharpOf } from '../../support/test-images.ts';
import { boxOf, makePack, visible } from './pack.ts';

const svg = (attributes: string, content: string): Buffer =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${content}</svg>`);

/** Bars as wide as one pixel of the smallest icon. */
const BARS = Array.from({ length: 8 }, (_, index) => `<rect x="${index * 2}" width="1" height="16"/>`).join('');

describe('an SVG', () => {
  it('is rendered at each size: its edges are sharp where they fall on pixel borders', async () => {
    const pack = await makePack(svg('viewBox="0 0 16 16"', BARS));
    for (const [name, side] of [
      ['favicon-16x16.png', 16],
      ['favicon-32x32.png', 32],
      ['favicon-48x48.png', 48],
      ['icon-192.png', 192],
      ['icon-512.png', 512],
    ] as const) {
      const icon = await pack.icon(name);
      const bar = side / 16;
      const row = Array.from({ length: side }, (_, x) => pixel(icon, x, side / 2)[3]);
      assert.deepEqual(
        row,
        Array.from({ length: side }, (_, x) => (Math.floor(x / bar) % 2 === 0 ? 255 : 0)),
        name,
      );
    }
  });

  it('is never small, not even a unit square, and is centred', async () => {
    const pack = await makePack(svg('viewBox="0 0 1 1"', '<rect width="1" height="1" fill="#0a0"/>'));
    assert.deepEqual(pack.result.warnings, []);
    assert.deepEqual(boxOf(await pack.icon('icon-512.png'), visible), { left: 0, top: 0, width: 512, height: 512 });
    const wide = await makePack(svg('width="20" height="10"', '<rect width="20" height="10" fill="#0a0"/>'), {
      padding: 25,
      background: '#ffee00',
    });
    const box = { left: 48, top: 72, width: 96, height: 48 };
    assert.deepEqual(boxOf(await wide.icon('icon-192.png'), visible), box);
    const apple = await wide.icon('apple-touch-icon.png');
    assert.deepEqual(pixel(apple, 0, 0), [0xff, 0xee, 0]);
    assert.deepEqual(pixel(apple, 90, 90), [0, 0xaa, 0]);
  });

  it('may be very thin: it is one pixel wide', async () => {
    const pack = await makePack(svg('width="1" height="5000"', '<rect width="1" height="5000"/>'));
    assert.deepEqual(boxOf(await pack.icon('favicon-16x16.png'), visible), { left: 7, top: 0, width: 1, height: 16 });
  });
});

describe('other sources', () => {
  it('a PDF page is rendered at each size too', async () => {
    const { bytes } = await compress(await png(flat(60, 60, 200, 0, 0)), { format: 'pdf' });
    const pack = await makePack(bytes);
    assert.deepEqual([pack.result.source.format, pack.result.warnings], ['pdf', []]);
    const [red, green] = pixel(await pack.icon('icon-512.png'), 256, 256);
    assert.ok(red! > 190 && green! < 10);
    await assert.rejects(makePack(bytes, { page: 2 }), { code: 'page_out_of_range' });
  });

  it('are turned upright, as displayed', async () => {
    // Orientation 6: the top row of the file is the right edge of the displayed image.
    const stored = flat(800, 600, 0, 0, 255);
    for (let y = 0; y < 300; y += 1) stored.data.fill(Buffer.from([255, 0, 0]), y * 800 * 3, (y + 1) * 800 * 3);
    const source = await sharpOf(stored).withMetadata({ orientation: 6 }).jpeg({ quality: 100 }).toBuffer();
    const pack = await makePack(source);
    assert.deepEqual([pack.result.source.width, pack.result.source.height], [600, 800]);
    const icon = await pack.icon('icon-512.png');
    assert.deepEqual(boxOf(icon, visible), { left: 64, top: 0, width: 384, height: 512 });
    assert.ok(pixel(icon, 100, 256)[2]! > 240);
    assert.ok(pixel(icon, 400, 256)[0]! > 240);
  });

  it('may be grey, 16-bit, with a palette or CMYK', async () => {
    const colour: [number, number, number] = [180, 60, 20];
    const image = sharpOf(flat(600, 600, ...colour));
    const near = async (bytes: Uint8Array, wanted: readonly number[], tolerance: number, warnings: string[] = []) => {
      const pack = await makePack(bytes);
      assert.deepEqual(pack.result.warnings, warnings);
      for (const name of ['favicon-16x16.png', 'icon-512.png', 'apple-touch-icon.png']) {
        const icon = await pack.icon(name);
        assert.deepEqual(icon.channels, 3, name);
        for (const [index, value] of pixel(icon, 8, 8).entries()) {
          assert.ok(Math.abs(value - wanted[index]!) <= tolerance, `${name}: ${value} is not ${wanted[index]}`);
        }
      }
    };
    await near(await image.clone().toColourspace('rgb16').png().toBuffer(), colour, 1, ['depth_reduced']);
    await near(await image.clone().png({ palette: true }).toBuffer(), colour, 1);
    await near(
      await sharpOf(flat(600, 600, 77, 77, 77))
        .toColourspace('b-w')
        .png()
        .toBuffer(),
      [77, 77, 77],
      0,
    );
    await near(await image.clone().toColourspace('cmyk').jpeg().toBuffer(), colour, 25, ['color_converted']);
  });

  it('use one frame of an animation: the first or the requested one', async () => {
    const frames = [flat(600, 600, 255, 0, 0), flat(600, 600, 0, 0, 255)];
    const column: RawImage = {
      data: Buffer.concat(frames.map(({ data }) => data)),
      width: 600,
      height: 1200,
      channels: 3,
    };
    const source = await sharp(column.data, { raw: { width: 600, height: 1200, channels: 3, pageHeight: 600 } })
      .gif({ delay: [100, 100] })
      .toBuffer();
    const first = await makePack(source);
    assert.deepEqual(first.result.warnings, ['animation_flattened']);
    assert.deepEqual(pixel(await first.icon('favicon-16x16.png'), 8, 8).slice(0, 3), [255, 0, 0]);
    const second = await makePack(source, { page: 2 });
    assert.deepEqual(pixel(await second.icon('favicon-16x16.png'), 8, 8).slice(0, 3), [0, 0, 255]);
    await assert.rejects(makePack(source, { page: 3 }), { code: 'page_out_of_range' });
  });

  it('that are truncated are used as far as they can be read', { skip: nightlyOnly }, async () => {
    for (const whole of [await png(pattern(900, 900)), await jpeg(pattern(900, 900))]) {
      const cut = whole.subarray(0, whole.length * 0.7);
      const [pack, complete] = [await makePack(cut), await makePack(whole)];
      assert.deepEqual(pack.result.warnings, ['truncated_source']);
      const top = async (from: typeof pack) => {
        const icon = await from.icon('icon-192.png');
        return { ...icon, data: icon.data.subarray(0, 192 * 60 * icon.channels), height: 60 };
      };
      // A truncated JPEG or PNG lacks its bottom.
      assert.ok(difference(await top(pack), await top(complete)).mean < 1);
    }
  });

  it('that cannot be read are rejected', async () => {
    const header = (await png(pattern(900, 900))).subarray(0, 60);
    await assert.rejects(makePack(header), { code: 'corrupt_image', param: 'image' });
    await assert.rejects(makePack(Buffer.from('hello')), { code: 'unsupported_format', param: 'image' });
    await assert.rejects(makePack(svg('width="0" height="0"', '')), { code: 'corrupt_image' });
    await assert.rejects(makePack(blankPng(30_000, 30_000, 1000)), { code: 'image_too_large', param: 'image' });
  });

  it('that are too large for memory are streamed', { skip: nightlyOnly }, async () => {
    // 144 megapixels: 432 MB decoded.
    const large = blankPng(12_000, 12_000, 12_000 * (12_000 * 3 + 1));
    const pack = await makePack(large);
    assert.deepEqual(pixel(await pack.icon('icon-512.png'), 511, 511), [0, 0, 0]);
  });

  it('that are real logos and photographs produce no undue warning', {
    skip: corpusSkipReason || nightlyOnly,
  }, async () => {
    for (const [path, warnings] of [
      ['jpeg/image--cat.jpg', ['source_small']],
      ['jpeg/exif-samples--DSCN0010.jpg', []],
      ['jpeg/twelvemonkeys--cmyk-sample.jpg', ['source_small', 'color_converted']],
    ] as const) {
      const file = corpus(path);
      assert.ok(file, path);
      const { result, icon } = await makePack(file);
      assert.deepEqual(result.warnings, warnings, path);
      const { data } = await icon('icon-192.png');
      assert.ok(new Set(data).size > 50, path);
    }
  });
});
