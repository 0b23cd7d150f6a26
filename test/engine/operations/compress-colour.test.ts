/** Colour: profiles are applied or kept, never lost. CMYK, grey and 16-bit images keep their colours. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import sharp from 'sharp';
import { corpus } from '../../support/corpus.ts';
import { compress } from '../../support/engine.ts';
import { decode, difference, flat, pattern, pixel, png, sharpOf } from '../../support/test-images.ts';

const LOSSLESS = { format: 'png', mode: 'lossless' } as const;

/** Makes an image whose samples are in Display P3. */
const displayP3 = (format: 'png' | 'jpeg' | 'webp' = 'png') =>
  sharpOf(pattern(80, 60)).withIccProfile('p3').toFormat(format, { quality: 95 }).toBuffer();

describe('a profile', () => {
  test('is converted to sRGB when it is not kept', async () => {
    const source = await displayP3();
    const result = await compress(source, LOSSLESS);
    assert.deepEqual(result.warnings, ['color_converted']);
    assert.equal((await sharp(result.bytes).metadata()).icc, undefined);
    // sharp also converts to sRGB when it writes without a profile.
    const reference = await decode(await sharp(source).png().toBuffer());
    assert.ok(difference(await decode(result.bytes), reference).max <= 3);
  });

  for (const metadata of ['keep', 'color', 'no_gps'] as const) {
    test(`is kept with metadata=${metadata}, and the samples do not change`, async () => {
      const source = await displayP3();
      for (const format of ['png', 'webp', 'tiff', 'avif'] as const) {
        const { bytes, warnings } = await compress(source, { format, mode: 'lossless', metadata });
        assert.deepEqual(warnings, [], format);
        assert.ok((await sharp(bytes).metadata()).icc, `${format} has the profile`);
        const samples = (file: Buffer) => sharp(file).keepIccProfile().raw().toBuffer();
        assert.deepEqual(await samples(bytes), await samples(source), format);
      }
    });
  }

  test('is kept in a JPEG XL, whose encoder writes it itself', async () => {
    const { bytes } = await compress(await displayP3(), { format: 'jxl', mode: 'lossless', metadata: 'keep' });
    const back = await compress(bytes, { ...LOSSLESS, metadata: 'keep' });
    assert.ok((await sharp(back.bytes).metadata()).icc);
  });

  test('is converted to sRGB when the format cannot hold it', async () => {
    const { warnings } = await compress(await displayP3(), { format: 'bmp', metadata: 'color' });
    assert.deepEqual(warnings, ['color_converted']);
  });
});

test('grey stays grey, and 16 bits are reduced to 8 without loss of brightness', async () => {
  const deep = await sharpOf(flat(20, 20, 200, 200, 200))
    .toColourspace('grey16')
    .png()
    .toBuffer();
  const { bytes } = await compress(deep, { format: 'png', quality: 100, flip: 'h' });
  const metadata = await sharp(bytes).metadata();
  assert.deepEqual([metadata.channels, metadata.depth], [1, 'uchar']);
  assert.ok(Math.abs((pixel(await decode(bytes), 5, 5)[0] as number) - 200) <= 1);
});

test('CMYK is converted to sRGB as libvips does it', async () => {
  const cmyk = await sharpOf(pattern(64, 64)).toColourspace('cmyk').jpeg({ quality: 95 }).toBuffer();
  assert.equal((await sharp(cmyk).metadata()).space, 'cmyk');
  const { bytes, warnings } = await compress(cmyk, LOSSLESS);
  assert.deepEqual(warnings, ['color_converted']);
  assert.ok(
    difference(await decode(bytes), await decode(await sharp(cmyk).toColourspace('srgb').png().toBuffer())).max <= 3,
  );
});

test('transparency is painted where the format has none, with a warning', async () => {
  const source = await png(flat(20, 20, 255, 0, 0, 0));
  for (const format of ['jpeg', 'bmp', 'pdf'] as const) {
    const { warnings } = await compress(source, { format, background: '#00ff00' });
    assert.deepEqual(warnings, ['alpha_flattened'], format);
  }
  const painted = await decode((await compress(source, { format: 'jpeg', background: '#00ff00' })).bytes);
  const [r, g, b] = pixel(painted, 3, 3) as [number, number, number];
  assert.ok(r < 6 && g > 250 && b < 6);
  assert.deepEqual(
    (await compress(await png(flat(20, 20, 255, 0, 0, 255)), { format: 'jpeg' })).warnings,
    [],
    'an opaque alpha channel is nothing to warn of',
  );
});

for (const path of [
  'jpeg/twelvemonkeys--cmyk-sample.jpg',
  'jpeg/twelvemonkeys--cmyk-sample-no-icc.jpg',
  'jpeg/pillow--pil_sample_cmyk.jpg',
  'jpeg/testdata--flower_small.cmyk.jpg',
  'jpeg/twelvemonkeys--cmm-exception-adobe-rgb.jpg',
  'jpeg/libvips--sample-xyb.jpg',
  'tiff/image-tiff--cmyk-3c-8b.tiff',
  'tiff/pillow--hopper.iccprofile.tif',
  'avif/libavif--paris_icc_exif_xmp.avif',
  'webp/pillow--flower2.webp',
]) {
  test(`real profiles: ${path}`, async (context) => {
    const source = corpus(path);
    if (!source) return context.skip('no corpus here');
    const ours = await decode((await compress(source, LOSSLESS)).bytes);
    const theirs = await decode(await sharp(source).autoOrient().toColourspace('srgb').png().toBuffer());
    const { max } = difference(ours, theirs);
    assert.ok(max <= 3, `differs by ${max}`);
  });
}
