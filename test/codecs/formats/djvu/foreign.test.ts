import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import sharp from 'sharp';
import type { Bitmap } from '../../../../codecs/bitmap.ts';
import { ByteWriter } from '../../../../codecs/byte-writer.ts';
import type { ReaderContext } from '../../../../codecs/format-reader.ts';
import { reader as djvuReader } from '../../../../codecs/formats/djvu/read.ts';
import { readTiffTags } from '../../../../codecs/formats/tiff/tags.ts';
import { compileModules } from '../../../../codecs/modules.ts';
import { startVips, type VipsInstance } from '../../../../codecs/vips.ts';
import { failureOf } from '../../../support/failure.ts';
import { jpeg, pattern } from '../../../support/test-images.ts';
import { chunk, info, singlePage } from './djvu-writer.ts';

const [WIDTH, HEIGHT] = [90, 70];

/** Returns true for black pixels. The pattern has structure everywhere and no symmetry. */
const isBlack = (x: number, y: number) => (x * 3 + y * y) % 23 < 8;

/** Encodes some rows of pixels by ITU-T T.6. */
async function fax(firstRow: number, rows: number): Promise<Uint8Array> {
  const samples = Buffer.from(
    Array.from({ length: WIDTH * rows }, (_, at) => (isBlack(at % WIDTH, firstRow + Math.floor(at / WIDTH)) ? 0 : 255)),
  );
  const tiff = await sharp(samples, { raw: { width: WIDTH, height: rows, channels: 1 } })
    .toColourspace('b-w')
    .tiff({ compression: 'ccittfax4', bitdepth: 1 })
    .toBuffer();
  const [tags] = readTiffTags(tiff, [262, 273, 279]);
  assert.equal(tags!.get(262), 1, 'black is 0 in this file, which for T.6 is white');
  return tiff.subarray(tags!.get(273)!, tags!.get(273)! + tags!.get(279)!);
}

const header = (flags: number) => new ByteWriter().text('MMR').u8(flags).u16(WIDTH, HEIGHT);

describe('layers of DjVu in other codings', () => {
  let instance: VipsInstance;
  let context: ReaderContext;
  before(async () => {
    const modules = await compileModules();
    instance = await startVips(modules);
    context = { vips: instance.vips, modules };
  });
  after(() => assert.equal(instance.releaseHandles(), 0));

  async function read(...chunks: ReturnType<typeof chunk>[]): Promise<Bitmap> {
    const request = { page: 1, extension: 'djvu', maxPixels: WIDTH * HEIGHT, scale: 1 };
    const content = await djvuReader.decode(singlePage(info(WIDTH, HEIGHT), ...chunks), request, context);
    assert.ok('bitmap' in content);
    return content.bitmap;
  }

  const blackness = ({ data }: Bitmap) => Array.from(data, (sample) => sample === 0);
  const expected = Array.from({ length: WIDTH * HEIGHT }, (_, at) => isBlack(at % WIDTH, Math.floor(at / WIDTH)));

  it('include a fax mask, inverted and not', async () => {
    const rows = await fax(0, HEIGHT);
    const inverted = await read(chunk('Smmr', header(1).bytes(rows).finish()));
    assert.deepEqual(blackness(inverted), expected);
    assert.deepEqual([inverted.channels, inverted.truncated], [1, false]);
    const plain = await read(chunk('Smmr', header(0).bytes(rows).finish()));
    assert.deepEqual(
      blackness(plain),
      expected.map((black) => !black),
    );
  });

  it('include a fax mask in strips', async () => {
    const rows = 30;
    const data = header(3).u16(rows);
    for (let first = 0; first < HEIGHT; first += rows) {
      const strip = await fax(first, Math.min(rows, HEIGHT - first));
      data.u32(strip.length).bytes(strip);
    }
    assert.deepEqual(blackness(await read(chunk('Smmr', data.finish()))), expected);
  });

  it('include a JPEG background, and a JPEG foreground drawn through the mask', async () => {
    const mask = chunk(
      'Smmr',
      header(1)
        .bytes(await fax(0, HEIGHT))
        .finish(),
    );
    const background = await jpeg(pattern(WIDTH, HEIGHT));
    const foreground = await jpeg({ ...pattern(WIDTH / 10, HEIGHT / 10) });
    const decoded = async (file: Uint8Array) => (await sharp(file).raw().toBuffer({ resolveWithObject: true })).data;
    const [below, above] = [await decoded(background), await decoded(foreground)];

    const page = await read(chunk('BGjp', background), chunk('FGjp', foreground), mask);
    assert.equal(page.truncated, false);
    for (let at = 0; at < page.data.length; at++) {
      const [x, y] = [Math.floor(at / 3) % WIDTH, Math.floor(at / 3 / WIDTH)];
      const from = (Math.floor(y / 10) * (WIDTH / 10) + Math.floor(x / 10)) * 3 + (at % 3);
      const sample = isBlack(x, y) ? above[from]! : below[at]!;
      assert.ok(Math.abs(page.data[at]! - sample) <= 2, `${x}, ${y}`);
    }
  });

  it('are left out if they cannot be decoded or have another size', async () => {
    const other = await jpeg(pattern(WIDTH - 1, HEIGHT));
    const mask = chunk(
      'Smmr',
      header(1)
        .bytes(await fax(0, HEIGHT))
        .finish(),
    );
    for (const background of [other, other.subarray(0, 100), new Uint8Array(0)]) {
      const page = await read(chunk('BGjp', background), mask);
      assert.equal(page.truncated, true);
      assert.deepEqual(blackness(page), expected);
    }
  });

  it('are shown in part when they end early', async () => {
    const background = await jpeg(pattern(WIDTH, HEIGHT));
    const [whole, cut] = [
      await read(chunk('BGjp', background)),
      await read(chunk('BGjp', background.subarray(0, -300))),
    ];
    assert.deepEqual([whole.truncated, cut.truncated], [false, true]);
    const half = WIDTH * 3 * 32;
    assert.deepEqual(cut.data.subarray(0, half), whole.data.subarray(0, half));

    const rows = await fax(0, HEIGHT);
    const mask = await read(
      chunk(
        'Smmr',
        header(1)
          .bytes(rows.subarray(0, rows.length / 2))
          .finish(),
      ),
    );
    assert.equal(mask.truncated, true);
    assert.deepEqual(blackness(mask).slice(0, WIDTH * 20), expected.slice(0, WIDTH * 20));
  });

  it('make a page corrupt if it has no other layer', async () => {
    const size = (flags: number) => new ByteWriter().text('MMR').u8(flags).u16(WIDTH, HEIGHT);
    for (const data of [
      new ByteWriter().text('MMR'),
      new ByteWriter().text('MMR').u8(9).u16(WIDTH, HEIGHT, 0, 0),
      new ByteWriter()
        .text('MMR')
        .u8(0)
        .u16(WIDTH, HEIGHT + 1, 0, 0),
      size(2).u16(0, 0, 0),
      size(2).u16(1, 0xffff, 0xffff),
    ]) {
      await failureOf('corrupt_image', () => read(chunk('Smmr', data.finish())));
    }
  });
});
