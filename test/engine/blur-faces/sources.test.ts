/**
 * Sources and results of blur-faces: kinds of sources, output formats, metadata, damage, concurrency and cancellation.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { Cancelled } from '../../../engine/errors.ts';
import { withMetadata, XMP } from '../../codecs/metadata/fixtures.ts';
import { inspect, testEngine } from '../../support/engine.ts';
import { failureOf } from '../../support/failure.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { decode, difference, flat, jpeg, pattern, pixel, png, sharpOf } from '../../support/test-images.ts';
import { verifies } from '../../support/verifies.ts';
import { blurFaces, blurInput } from './support.ts';

const BOX = '20,30,40,40';
const FORMATS = ['jpeg', 'png', 'webp', 'avif', 'tiff'] as const;

describe('formats of covered images', () => {
  it('are those of the upload where they can be written, otherwise JPEG', { skip: nightlyOnly }, async () => {
    verifies('blur-faces.format', 'blur-faces.format.auto');
    const source = sharpOf(pattern(120, 90));
    for (const format of FORMATS) {
      const { bytes, ...result } = await blurFaces(await source.clone().toFormat(format).toBuffer(), { boxes: BOX });
      assert.deepEqual(
        [result.format, result.width, result.height, result.outcome, result.faces],
        [format, 120, 90, 'done', 1],
      );
      const { format: found, compression } = await sharp(bytes).metadata();
      assert.equal(found === 'heif' ? compression : found, format === 'avif' ? 'av1' : format);
    }
    const gif = await source.clone().gif().toBuffer();
    assert.equal((await blurFaces(gif, { boxes: BOX })).format, 'jpeg');
  });

  it('are the requested ones, whatever the upload is', async () => {
    verifies('blur-faces.format');
    const source = await png(pattern(120, 90));
    const exact = await decode((await blurFaces(source, { boxes: BOX, format: 'png' })).bytes);
    for (const format of FORMATS) {
      const { bytes, ...result } = await blurFaces(source, { boxes: BOX, format });
      assert.equal(result.format, format);
      const { max, mean } = difference(await decode(bytes), exact);
      if (format === 'png' || format === 'tiff') assert.equal(max, 0);
      else assert.ok(mean < 2, `${format}: ${mean}`);
    }
  });

  it('are JPEG files of quality 92', async () => {
    verifies('blur-faces.format.auto');
    const { bytes } = await blurFaces(await jpeg(pattern(120, 90)), { boxes: BOX });
    const { encoding } = await inspect(bytes);
    assert.equal(encoding.quality_estimate, 92);
  });

  it('lose their transparency with a warning where the format has none', async () => {
    const source = await png(pattern(120, 90, 4));
    assert.deepEqual((await blurFaces(source, { boxes: BOX })).warnings, []);
    assert.deepEqual((await blurFaces(source, { boxes: BOX, format: 'jpeg' })).warnings, ['alpha_flattened']);
  });
});

describe('images in which nothing is covered', () => {
  it('keep every pixel and lose their metadata', async () => {
    verifies('blur-faces.boxes.empty');
    for (const format of ['jpeg', 'png', 'webp', 'tiff'] as const) {
      const image = sharpOf(pattern(120, 90)).toFormat(format);
      // sharp writes no EXIF into TIFF.
      const source = await image
        .withExif({ IFD0: { Artist: 'Ann Example' } })
        .withXmp(XMP)
        .toBuffer();
      assert.ok((await sharp(source).metadata()).xmp, format);
      for (const boxes of ['', '500,500,10,10']) {
        const { bytes, faces, warnings, outcome } = await blurFaces(source, { boxes });
        assert.deepEqual([faces, warnings, outcome], [0, [], 'done']);
        assert.equal(difference(await decode(bytes), await decode(source)).max, 0, format);
        const { exif, xmp } = await sharp(bytes).metadata();
        assert.deepEqual([exif, xmp], [undefined, undefined], format);
      }
    }
  });

  it('are still converted to another format, turned upright and converted to sRGB', async () => {
    const source = await png(pattern(120, 90));
    assert.equal((await blurFaces(source, { boxes: '', format: 'webp' })).format, 'webp');
    const turned = await sharpOf(pattern(120, 90)).jpeg().withMetadata({ orientation: 6 }).toBuffer();
    const upright = await blurFaces(turned, { boxes: '' });
    assert.deepEqual([upright.width, upright.height], [90, 120]);
    assert.equal((await sharp(upright.bytes).metadata()).orientation, undefined);
    const wide = await sharpOf(pattern(120, 90)).withIccProfile('p3').jpeg().toBuffer();
    const { warnings, bytes } = await blurFaces(wide, { boxes: '' });
    assert.deepEqual(warnings, ['color_converted']);
    assert.equal((await sharp(bytes).metadata()).icc, undefined);
  });
});

describe('metadata of covered images', () => {
  it('are removed, with the EXIF thumbnail', async () => {
    for (const format of ['jpeg', 'png', 'webp', 'avif', 'tiff'] as const) {
      const source = await withMetadata(format);
      const { bytes } = await blurFaces(source, { boxes: '5,5,10,10' });
      const found = await sharp(bytes).metadata();
      assert.deepEqual([found.exif, found.xmp, found.icc], [undefined, undefined, undefined], format);
      for (const secret of ['Acme', 'Ljubljana']) assert.ok(!bytes.includes(secret), `${format}: ${secret}`);
    }
  });
});

describe('sources of blur-faces', () => {
  it('are covered as displayed', async () => {
    const stored = pattern(120, 90);
    for (const orientation of [1, 2, 3, 4, 5, 6, 7, 8]) {
      const tiff = await sharpOf(stored).tiff({ compression: 'none' }).withMetadata({ orientation }).toBuffer();
      const shown = await decode(await sharp(tiff).rotate().png().toBuffer());
      const expected = await decode((await blurFaces(await png(shown), { boxes: '10,20,24,30' })).bytes);
      const result = await blurFaces(tiff, { boxes: '10,20,24,30', format: 'png' });
      assert.equal(difference(await decode(result.bytes), expected).max, 0, `orientation ${orientation}`);
      assert.deepEqual([result.source.width, result.source.height], [shown.width, shown.height]);
    }
  });

  it('may be grey, 16-bit, CMYK or with a palette', async () => {
    const source = sharpOf(pattern(120, 90));
    const kinds = {
      grey: await source.clone().greyscale().png().toBuffer(),
      'grey with alpha': await source.clone().ensureAlpha(0.5).toColourspace('b-w').png().toBuffer(),
      deep: await source.clone().toColourspace('rgb16').png().toBuffer(),
      cmyk: await source.clone().toColourspace('cmyk').jpeg().toBuffer(),
      palette: await source.clone().png({ palette: true }).toBuffer(),
    };
    for (const [kind, file] of Object.entries(kinds)) {
      const { bytes, warnings } = await blurFaces(file, { boxes: BOX, effect: 'pixelate', strength: 100 });
      const expectedWarnings = { cmyk: ['color_converted'], deep: ['depth_reduced'] }[kind] ?? [];
      assert.deepEqual(warnings, expectedWarnings, kind);
      const result = await decode(bytes);
      assert.deepEqual([result.width, result.height], [120, 90]);
      const [one, other] = [pixel(result, 25, 35), pixel(result, 55, 65)];
      const apart = one.map((sample, band) => Math.abs(sample - (other[band] as number)));
      assert.ok(Math.max(...apart) <= (kind === 'cmyk' ? 8 : 0), `${kind}: ${one} and ${other}`);
      const untouched = await decode(await sharp(file).toColourspace('srgb').png().toBuffer());
      const corner = pixel(result, 110, 80).slice(0, 3);
      const expected = pixel(untouched, 110, 80).slice(0, 3);
      assert.ok(
        corner.every(
          (sample, band) => Math.abs(sample - (expected[band] ?? expected[0] ?? 0)) <= (kind === 'cmyk' ? 30 : 1),
        ),
        `${kind}: ${corner} instead of ${expected}`,
      );
    }
  });

  it('may be one pixel, or 20,000 pixels wide', async () => {
    const { bytes, width, height, faces } = await blurFaces(await png(flat(1, 1, 9, 8, 7)), { boxes: '0,0,1,1' });
    assert.deepEqual([width, height, faces, pixel(await decode(bytes), 0, 0)], [1, 1, 1, [9, 8, 7]]);

    const wide = pattern(20_000, 60);
    const result = await blurFaces(await png(wide), { boxes: '19960,10,30,30;5,5,20,20' });
    assert.deepEqual([result.width, result.height, result.faces], [20_000, 60, 2]);
    const found = await decode(result.bytes);
    assert.deepEqual(found.data.subarray(300, 59_000), wide.data.subarray(300, 59_000));
    assert.notDeepEqual(pixel(found, 19_975, 25), pixel(wide, 19_975, 25));
    const failure = await failureOf('unsupported_output', async () =>
      blurFaces(await png(wide), { boxes: '', format: 'webp' }),
    );
    assert.match(failure.message, /16383/);
  });

  it('may be truncated, with a warning', async () => {
    const whole = await jpeg(pattern(400, 300));
    for (const boxes of [BOX, '']) {
      const { warnings, faces } = await blurFaces(whole.subarray(0, whole.length / 2), { boxes });
      assert.deepEqual([warnings, faces], [['truncated_source'], boxes === '' ? 0 : 1]);
    }
  });

  it('are rejected when they are not images or are corrupt', async () => {
    await failureOf('unsupported_format', () => blurFaces(Buffer.from('no image at all'), { boxes: BOX }));
    const broken = Buffer.concat([(await png(pattern(50, 50))).subarray(0, 40), Buffer.alloc(200, 7)]);
    await failureOf('corrupt_image', () => blurFaces(broken, { boxes: BOX }));
    await failureOf('page_out_of_range', async () => blurFaces(await png(pattern(50, 50)), { boxes: BOX, page: 2 }));
  });

  it('may be an animation, of which the chosen page is covered', async () => {
    const frames = [flat(60, 60, 250, 0, 0), flat(60, 60, 0, 0, 250)].map(({ data }) => data);
    const raw = { width: 60, height: 120, channels: 3 as const, pageHeight: 60 };
    const gif = await sharp(Buffer.concat(frames), { raw })
      .gif({ delay: [100, 100] })
      .toBuffer();
    const { bytes, warnings } = await blurFaces(gif, { boxes: BOX, page: 2, format: 'png' });
    assert.deepEqual(warnings, ['animation_flattened']);
    const [red = 0, , blue = 0] = pixel(await decode(bytes), 5, 5);
    assert.ok(blue > 200 && red < 50, `${red}, ${blue}`);
  });
});

describe('concurrent requests', () => {
  it('do not mix', async () => {
    const colours = [10, 60, 110, 160, 210, 250];
    const results = await Promise.all(
      colours.map(async (value) => blurFaces(await png(flat(80, 80, value, value, value)), { boxes: BOX })),
    );
    for (const [index, { bytes }] of results.entries()) {
      const value = colours[index] as number;
      assert.deepEqual(pixel(await decode(bytes), 40, 40).slice(0, 1), [value]);
    }
  });

  it('may be cancelled, and the next one is correct', async () => {
    const engine = await testEngine();
    const client = new AbortController();
    const large = await png(pattern(1000, 1000));
    const gone = engine.run('blur-faces', blurInput(large, { boxes: '0,0,1000,1000', format: 'avif' }), {
      signal: client.signal,
      onStart: () => client.abort(),
    });
    await assert.rejects(gone, Cancelled);
    const { faces } = await blurFaces(await png(pattern(100, 100)), { boxes: BOX });
    assert.equal(faces, 1);
  });
});
