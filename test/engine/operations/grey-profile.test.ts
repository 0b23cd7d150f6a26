/** A profile of grey fits only grey samples: readers show other samples with it wrongly, or ignore it. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import sharp from 'sharp';
import { ByteWriter } from '../../../codecs/byte-writer.ts';
import { writeMetadata } from '../../../codecs/metadata/index.ts';
import { type CompressOptions, compress, inspect } from '../../support/engine.ts';
import { decode, flat, jpeg, pixel } from '../../support/test-images.ts';
import { pipeline } from '../pipeline/support.ts';

const SAMPLE = 100;
/** Sample 100 of linear grey, 0.392 of the light of white, as sRGB. */
const SHOWN = 168;

/** A profile of grey with linear light (ICC.1:2022). */
function greyProfile(): Uint8Array {
  const white = [0xf6d6, 0x10000, 0xd32d];
  const text = [...'Grey'].map((character) => character.charCodeAt(0));
  const tags: [string, Uint8Array][] = [
    [
      'desc',
      new ByteWriter()
        .text('mluc')
        .u32(0, 1, 12)
        .text('enUS')
        .u32(8, 28)
        .u16(...text)
        .finish(),
    ],
    [
      'cprt',
      new ByteWriter()
        .text('mluc')
        .u32(0, 1, 12)
        .text('enUS')
        .u32(8, 28)
        .u16(...text)
        .finish(),
    ],
    [
      'wtpt',
      new ByteWriter()
        .text('XYZ ')
        .u32(0, ...white)
        .finish(),
    ],
    ['kTRC', new ByteWriter().text('curv').u32(0, 0).finish()],
  ];
  const table = new ByteWriter().u32(tags.length);
  const data = new ByteWriter();
  for (const [name, content] of tags) {
    table.text(name).u32(132 + 12 * tags.length + data.length, content.length);
    data.bytes(content);
  }
  return new ByteWriter()
    .u32(132 + 12 * tags.length + data.length, 0, 0x04400000)
    .text('mntrGRAYXYZ ')
    .u16(2026, 1, 1, 0, 0, 0)
    .text('acsp')
    .u32(0, 0, 0, 0, 0, 0, 0, ...white, ...new Array<number>(12).fill(0))
    .bytes(table.finish(), data.finish())
    .finish();
}

describe('a profile of grey', () => {
  let source: Uint8Array;
  before(async () => {
    const bare = await sharp({
      create: { width: 40, height: 40, channels: 3, background: { r: SAMPLE, g: SAMPLE, b: SAMPLE } },
    })
      .toColourspace('b-w')
      .png()
      .toBuffer();
    source = writeMetadata('png', bare, { icc: greyProfile() });
    assert.equal((await inspect(source)).color.space, 'gray');
  });

  const KEEPING: readonly CompressOptions[] = [
    { format: 'png', mode: 'lossless' },
    { format: 'png', mode: 'lossless', width: 20, flip: 'h' },
    { format: 'tiff' },
    { format: 'jpeg' },
    { format: 'jxl', mode: 'lossless' },
    { format: 'psd' },
  ];
  it('is kept in grey files', async () => {
    for (const options of KEEPING) {
      const { bytes, warnings } = await compress(source, { ...options, metadata: 'color' });
      assert.deepEqual(warnings, [], JSON.stringify(options));
      const { color } = await inspect(bytes);
      assert.equal(color.channels, 1, JSON.stringify(options));
      assert.ok(color.icc_profile, JSON.stringify(options));
    }
  });

  const CONVERTING: readonly CompressOptions[] = [
    { format: 'png' },
    { format: 'webp' },
    { format: 'avif' },
    { format: 'gif' },
    { format: 'png', mode: 'lossless', border: 2, border_color: '#ff0000' },
    { format: 'jpeg', watermark_text: 'x' },
  ];
  it('is applied in all others', async () => {
    for (const options of CONVERTING) {
      const { bytes, warnings } = await compress(source, { ...options, metadata: 'color' });
      assert.deepEqual(warnings, ['color_converted'], JSON.stringify(options));
      assert.equal((await inspect(bytes)).color.icc_profile, null, JSON.stringify(options));
      if (options.format === 'avif') continue;
      const [level] = pixel(await decode(bytes), 12, 12);
      assert.ok(Math.abs(level! - SHOWN) <= 3, `${JSON.stringify(options)}: ${level}`);
    }
  });

  it('is applied in a pipeline that paints', async () => {
    const { bytes, warnings } = await pipeline(source, [
      { op: 'metadata', params: { metadata: 'keep' } },
      { op: 'border', params: { border: 2, border_color: '#ff0000' } },
      { op: 'compress', params: { format: 'png', mode: 'lossless' } },
    ]);
    assert.deepEqual(warnings, ['color_converted']);
    assert.equal((await inspect(bytes)).color.icc_profile, null);
  });

  it('is dropped from a file with RGB samples, whose colours it does not describe', async () => {
    const file = writeMetadata('jpeg', await jpeg(flat(20, 20, 10, 100, 200)), { icc: greyProfile() });
    const { bytes, warnings } = await compress(file, { format: 'png', mode: 'lossless', metadata: 'color' });
    assert.deepEqual(warnings, ['metadata_dropped']);
    assert.equal((await inspect(bytes)).color.icc_profile, null);
  });
});
