/**
 * Every kind of source doubles exactly, in the requested format. Sizes, formats and colours are read back with sharp.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { readMetadata } from '../../../codecs/metadata/index.ts';
import { UPSCALE_FORMATS } from '../../../engine/operations/upscale/params.ts';
import { blankPng } from '../../support/blank-png.ts';
import { corpus, corpusSkipReason } from '../../support/corpus.ts';
import { compress } from '../../support/engine.ts';
import { failureOf } from '../../support/failure.ts';
import { isNightly, nightlyOnly } from '../../support/nightly.ts';
import { decode, difference, flat, jpeg, pattern, pixel, png, sharpOf } from '../../support/test-images.ts';
import { verifies } from '../../support/verifies.ts';
import { type UpscaleOptions, upscale } from './support.ts';

/** Enlarges with sharp, to detect an image that is rotated, shifted or has other colours. */
const enlarged = async (upright: Uint8Array, width: number, height: number) =>
  decode(await sharp(upright).resize(width, height, { fit: 'fill', kernel: 'cubic' }).png().toBuffer());

async function assertLike(bytes: Uint8Array, upright: Uint8Array, tolerance = 3): Promise<void> {
  const result = await decode(bytes);
  const { mean } = difference(result, await enlarged(upright, result.width, result.height));
  assert.ok(mean < tolerance, `mean difference ${mean}`);
}

describe('a source', () => {
  it('is doubled in width and height, in its own format', { skip: nightlyOnly }, async () => {
    verifies('upscale.endpoint', 'upscale.format');
    const image = sharpOf(pattern(41, 30));
    for (const [format, source] of [
      ['jpeg', await image.clone().jpeg().toBuffer()],
      ['png', await image.clone().png().toBuffer()],
      ['webp', await image.clone().webp().toBuffer()],
      ['avif', await image.clone().avif().toBuffer()],
      ['gif', await image.clone().gif().toBuffer()],
      ['tiff', await image.clone().tiff().toBuffer()],
    ] as const) {
      const result = await upscale(source);
      const { format: name, width, height } = await sharp(result.bytes).metadata();
      assert.deepEqual([name === 'heif' ? 'avif' : name, width, height], [format, 82, 60]);
      assert.deepEqual(
        [result.format, result.width, result.height, result.outcome, result.warnings],
        [format, 82, 60, 'done', []],
      );
      assert.deepEqual(result.source, { format, bytes: source.length, width: 41, height: 30 });
      await assertLike(result.bytes, await sharp(source).png().toBuffer(), format === 'gif' ? 8 : 3);
    }
  });

  it('is returned in the requested format', async () => {
    verifies('upscale.format');
    const source = await png(pattern(20, 10));
    for (const format of UPSCALE_FORMATS) {
      const result = await upscale(source, { format });
      const { format: name, width, height } = await sharp(result.bytes).metadata();
      assert.deepEqual([result.format, width, height], [format, 40, 20]);
      assert.equal(name, format === 'avif' ? 'heif' : format);
    }
  });

  it('in a format that is not written becomes PNG when transparent or of few colours, otherwise JPEG', async () => {
    verifies('upscale.format');
    const ppm = (colours: number) => {
      const header = Buffer.from('P6 32 32 255\n');
      const samples = Buffer.alloc(32 * 32 * 3).map((_, at) => (Math.floor(at / 3) * 7) % colours);
      return Buffer.concat([header, samples]);
    };
    const svg = (opacity: number) =>
      Buffer.from(
        `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16"><rect width="16" height="16" fill="red" opacity="${opacity}"/></svg>`,
      );
    for (const [source, format] of [
      [ppm(256), 'png'],
      [svg(0.5), 'png'],
      [Buffer.concat([Buffer.from('P6 32 32 255\n'), await sharpOf(pattern(32, 32)).raw().toBuffer()]), 'jpeg'],
    ] as const) {
      const result = await upscale(source);
      assert.equal(result.format, format);
      assert.equal((await sharp(result.bytes).metadata()).format, format);
    }
  });

  it('that is a vector image is rendered twice as large', { skip: nightlyOnly }, async () => {
    const svg = (width: number, height: number) =>
      Buffer.from(
        `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 48 48" preserveAspectRatio="none"><circle cx="24" cy="24" r="17" fill="#123456"/><path d="M3 3 L20 9" stroke="red"/></svg>`,
      );
    const { bytes } = await upscale(svg(48, 40));
    const reference = await compress(svg(96, 80), { format: 'png', mode: 'lossless' });
    assert.equal(difference(await decode(bytes), await decode(reference.bytes)).max, 0);
    // Fractional sizes are rounded before they are doubled.
    for (const [size, doubled] of [
      [20.3, 40],
      [20.7, 42],
      [0.4, 2],
    ] as const) {
      const result = await upscale(svg(size, size));
      const { width, height } = await sharp(result.bytes).metadata();
      assert.deepEqual([result.width, result.height, width, height], [doubled, doubled, doubled, doubled]);
    }
  });

  it('is turned upright', async () => {
    const stored = pattern(40, 24);
    for (const orientation of isNightly ? [1, 2, 3, 4, 5, 6, 7, 8] : [4, 6]) {
      const source = await sharpOf(stored).withMetadata({ orientation }).png().toBuffer();
      const upright = await sharp(source).autoOrient().png().toBuffer();
      const result = await upscale(source);
      assert.deepEqual([result.width, result.height], orientation < 5 ? [80, 48] : [48, 80]);
      assert.deepEqual([result.source.width, result.source.height], orientation < 5 ? [40, 24] : [24, 40]);
      assert.equal((await sharp(result.bytes).metadata()).orientation, undefined);
      await assertLike(result.bytes, upright);
    }
  });

  it('of every sample type becomes sRGB or grey of the same depth', { skip: nightlyOnly }, async () => {
    const image = sharpOf(pattern(36, 28));
    const cmyk = await image.clone().toColourspace('cmyk').withIccProfile('cmyk').jpeg({ quality: 100 }).toBuffer();
    const deep = await image.clone().toColourspace('rgb16').png().toBuffer();
    const grey = await image.clone().toColourspace('b-w').png().toBuffer();
    const deepGrey = await image.clone().toColourspace('grey16').png().toBuffer();
    const palette = await image.clone().png({ palette: true, colours: 16, dither: 0 }).toBuffer();
    const wide = await image.clone().withIccProfile('p3').png().toBuffer();
    for (const [source, channels, warnings, bits = 'uchar'] of [
      [cmyk, 3, ['color_converted']],
      [deep, 3, [], 'ushort'],
      [grey, 1, []],
      [deepGrey, 1, [], 'ushort'],
      [palette, 3, []],
      [wide, 3, ['color_converted']],
    ] as const) {
      const result = await upscale(source, { format: 'png' });
      assert.deepEqual(result.warnings, warnings);
      const { depth, width, height, hasProfile, ...found } = await sharp(result.bytes).metadata();
      assert.deepEqual([depth, width, height, hasProfile, found.channels], [bits, 72, 56, false, channels]);
      const asShown = await sharp(source).toColourspace('srgb').png().toBuffer();
      await assertLike(result.bytes, asShown, source === palette ? 6 : 3);
    }
  });

  it('of minimal size or width doubles exactly', async () => {
    verifies('upscale.endpoint');
    for (const [width, height] of [
      [1, 1],
      [1, 9],
      [9, 1],
      [3, 5],
    ] as const) {
      for (const channels of [3, 4] as const) {
        const result = await upscale(await png(pattern(width, height, channels)));
        const { width: found, height: high } = await sharp(result.bytes).metadata();
        assert.deepEqual([found, high, result.width, result.height], [width * 2, height * 2, width * 2, height * 2]);
      }
    }
    const one = await decode((await upscale(await png(flat(1, 1, 12, 200, 99)))).bytes);
    assert.deepEqual(pixel(one, 1, 1), [12, 200, 99]);
  });

  it('of 20,000 pixels on a side doubles, in formats that allow it', { skip: nightlyOnly }, async () => {
    const wide = await png(flat(20_000, 2, 40, 90, 160));
    const result = await upscale(wide);
    assert.deepEqual([result.format, result.width, result.height], ['png', 40_000, 4]);
    assert.deepEqual(pixel(await decode(result.bytes), 39_999, 3), [40, 90, 160]);
    const { message } = await failureOf('unsupported_output', () => upscale(wide, { format: 'webp' }));
    assert.match(message, /40000 x 4.*16383/);
  });

  it('is rejected when the result does not fit into its format', async () => {
    const line = (width: number) => png(flat(width, 1, 40, 90, 160));
    assert.equal((await upscale(await line(8191), { format: 'webp' })).width, 16_382);
    await failureOf('unsupported_output', async () => upscale(await line(8192), { format: 'webp' }));
    assert.equal((await upscale(await line(32_750), { format: 'jpeg' })).width, 65_500);
    assert.equal((await upscale(await line(32_767), { format: 'gif' })).width, 65_534);
    await failureOf('unsupported_output', async () => upscale(await line(32_751), { format: 'jpeg' }));
    await failureOf('unsupported_output', async () => upscale(await line(32_768), { format: 'gif' }));
    // Also if the format is that of the source.
    const webp = await sharpOf(flat(8192, 1, 40, 90, 160))
      .webp()
      .toBuffer();
    await failureOf('unsupported_output', () => upscale(webp));
  });

  it('that is animated gives the frame of page, with a warning', async () => {
    const frames = [
      [200, 0, 0],
      [0, 180, 0],
    ].map(([red, green, blue]) => flat(10, 6, red as number, green as number, blue as number).data);
    const moving = sharp(Buffer.concat(frames), {
      raw: { width: 10, height: 12, channels: 3, pageHeight: 6 },
    });
    for (const source of [await moving.clone().gif().toBuffer(), await moving.clone().webp().toBuffer()]) {
      for (const [page, channel] of [
        [1, 0],
        [2, 1],
      ] as const) {
        const result = await upscale(source, { page });
        assert.deepEqual([result.width, result.height, result.warnings], [20, 12, ['animation_flattened']]);
        const shown = pixel(await decode(result.bytes), 10, 6);
        assert.ok(
          shown.slice(0, 3).every((value, at) => value > 128 === (at === channel)),
          `page ${page}: ${shown}`,
        );
      }
      await failureOf('page_out_of_range', () => upscale(source, { page: 3 }));
    }
  });
});

describe('the resolution', () => {
  const DENSE: [UpscaleOptions['format'], number | null][] = [
    ['jpeg', 300],
    ['png', 300],
    ['webp', 300],
    ['avif', 300],
    ['tiff', 300],
    ['gif', null],
  ];

  it('of the source is kept, so that the print is twice as large', async () => {
    const source = await sharpOf(pattern(12, 10)).withMetadata({ density: 300 }).jpeg().toBuffer();
    for (const [format, dpi] of DENSE) {
      const result = await upscale(source, format === undefined ? {} : { format });
      assert.equal(result.dpi, dpi, format);
      const { density, ...rest } = readMetadata(result.format, result.bytes);
      assert.equal(density ? Math.round(density.x) : null, dpi, format);
      assert.deepEqual([rest.icc, rest.xmp, rest.iptc], [undefined, undefined, undefined]);
    }
  });

  it('of a source without one is not invented', async () => {
    const source = blankPng(12, 10, 10 * (1 + 12 * 3));
    for (const [format] of DENSE) {
      const result = await upscale(source, format === undefined ? {} : { format });
      assert.equal(result.dpi, null, format);
      assert.equal(readMetadata(result.format, result.bytes).density, undefined, format);
    }
  });
});

describe('metadata', () => {
  it('except the resolution are removed', async () => {
    const source = await sharpOf(pattern(12, 10))
      .withExif({ IFD0: { Copyright: 'somebody' }, IFD3: { GPSLatitude: '46/1 3/1 0/1' } })
      .jpeg()
      .toBuffer();
    assert.ok(readMetadata('jpeg', source).exif);
    const { bytes } = await upscale(source);
    assert.ok(!bytes.includes('somebody'));
  });
});

describe('real files', () => {
  it('are doubled exactly', { skip: corpusSkipReason }, async () => {
    const files = [
      ['jpeg/pillow--hopper_orientation_6.jpg', 256, 256, 'jpeg'],
      ['png/pngsuite--basi4a16.png', 64, 64, 'png'],
      ['ico/pillow--python.ico', 96, 96, 'png'],
      ['webp/libwebp-test-data--small_1x1.webp', 2, 2, 'webp'],
      ['jpeg/pillow--hopper_gray.jpg', 256, 256, 'jpeg'],
      ['tiff/image-tiff--cmyk-3c-8b.tiff', 314, 302, 'tiff'],
      ['tiff/pillow--tiff_16bit_RGBa.tiff', 200, 80, 'tiff'],
      ['png/pngsuite--basn3p01.png', 64, 64, 'png'],
      ['gif/pillow--transparent.gif', 400, 300, 'gif'],
    ] as const;
    for (const [path, width, height, format] of isNightly ? files : files.slice(0, 4)) {
      const result = await upscale(corpus(path) as Uint8Array);
      const found = await sharp(result.bytes).metadata();
      assert.deepEqual([found.width, found.height, result.format], [width, height, format], path);
    }
  });
});

describe('a truncated or corrupt file', () => {
  it('that is truncated gives what can be read, with a warning', async () => {
    const whole = await jpeg(pattern(160, 160), 95);
    const result = await upscale(whole.subarray(0, Math.floor(whole.length * 0.6)));
    assert.deepEqual([result.width, result.height, result.warnings], [320, 320, ['truncated_source']]);
    const shown = await decode(result.bytes);
    const { data } = await enlarged(whole, 320, 320);
    let sum = 0;
    const top = 320 * 3 * 100;
    for (let at = 0; at < top; at += 1) sum += Math.abs((shown.data[at] as number) - (data[at] as number));
    assert.ok(sum / top < 4, `mean difference ${sum / top} in the part that is there`);
  });

  it('that cannot be read is rejected', async () => {
    const whole = await png(pattern(60, 60));
    await failureOf('corrupt_image', () => upscale(whole.subarray(0, 40)));
    await failureOf('unsupported_format', () => upscale(Buffer.from('no image at all')));
    await failureOf('unsupported_format', () => upscale(Buffer.alloc(64)));
  });
});
