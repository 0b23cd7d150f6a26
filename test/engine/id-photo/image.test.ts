/** The pixels of an ID photo, compared with sharp. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { readMetadata } from '../../../codecs/metadata/index.ts';
import { failureOf } from '../../support/failure.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import {
  decode,
  difference,
  flat,
  jpeg,
  pattern,
  pixel,
  png,
  type RawImage,
  sharpOf,
} from '../../support/test-images.ts';
import { verifies } from '../../support/verifies.ts';
import { idPhoto } from './support.ts';

const PHOTO = { width: 140, height: 180, format: 'png' } as const;

/** Crops the upright image and scales it with sharp. */
async function reference(
  source: Uint8Array,
  left: number,
  top: number,
  width: number,
  height: number,
): Promise<RawImage> {
  const upright = await sharp(source).autoOrient().png().toBuffer();
  const cut = await sharp(upright).extract({ left, top, width, height }).png().toBuffer();
  return decode(await sharp(cut).resize(PHOTO.width, PHOTO.height, { fit: 'fill' }).png().toBuffer());
}

/** Draws dark and light checkerboard of 84 x 108 pixels. They reveal a shift of a single pixel. */
function checkerboard(width: number, height: number): RawImage {
  const raw = flat(width, height, 40, 40, 40);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1)
      if ((Math.floor(x / 84) + Math.floor(y / 108)) % 2 === 0)
        raw.data.fill(220, (y * width + x) * 3, (y * width + x + 1) * 3);
  return raw;
}

async function assertClose(bytes: Uint8Array, expected: RawImage): Promise<void> {
  const { mean, max } = difference(await decode(bytes), expected);
  assert.ok(mean < 2.5 && max < 24, `mean difference ${mean}, largest ${max}`);
}

describe('the photo', () => {
  it("is the largest centred crop with the photo's aspect ratio, at the exact size", async () => {
    verifies('id-photo.endpoint', 'id-photo.shape', 'id-photo.crop.default', 'id-photo.pixels');
    const wide = await png(pattern(800, 360));
    const result = await idPhoto(wide, PHOTO);
    assert.deepEqual([result.width, result.height, result.outcome, result.warnings], [140, 180, 'done', []]);
    await assertClose(result.bytes, await reference(wide, 260, 0, 280, 360));

    const high = await png(pattern(280, 700));
    await assertClose((await idPhoto(high, PHOTO)).bytes, await reference(high, 0, 170, 280, 360));
  });

  it('is the requested crop, in the image as displayed', async () => {
    verifies('id-photo.crop');
    const turned = await sharpOf(pattern(600, 500)).withMetadata({ orientation: 6 }).png().toBuffer();
    const { bytes, source } = await idPhoto(turned, { ...PHOTO, crop: '100,200,280,360' });
    await assertClose(bytes, await reference(turned, 100, 200, 280, 360));
    assert.deepEqual([source.width, source.height], [500, 600]);
    const shrunk = await idPhoto(turned, { ...PHOTO, crop: '50,200,380,360' });
    await assertClose(shrunk.bytes, await reference(turned, 100, 200, 280, 360));
    const { param } = await failureOf('invalid_parameter', () => idPhoto(turned, { ...PHOTO, crop: '0,0,501,10' }));
    assert.equal(param, 'crop');
    for (const crop of ['401,0,100,10', '0,1,10,600', '500,0,1,1'])
      await failureOf('invalid_parameter', () => idPhoto(turned, { ...PHOTO, crop }));
  });

  it('keeps its position when the decoder shrinks the image', async () => {
    const large = await jpeg(checkerboard(2720, 2160), 95);
    await assertClose((await idPhoto(large, PHOTO)).bytes, await reference(large, 520, 0, 1680, 2160));
    const { bytes } = await idPhoto(large, { ...PHOTO, crop: '301,53,1400,1800' });
    await assertClose(bytes, await reference(large, 301, 53, 1400, 1800));
  });

  it('is the same when the rows of a large source are streamed', { skip: nightlyOnly }, async () => {
    const large = await sharp({ create: { width: 6000, height: 4000, channels: 3, background: '#204060' } })
      .composite([{ input: await png(checkerboard(1400, 1800)), left: 2300, top: 1100 }])
      .removeAlpha()
      .png({ compressionLevel: 1 })
      .toBuffer();
    const { bytes } = await idPhoto(large, { ...PHOTO, crop: '2300,1100,1400,1800' });
    await assertClose(bytes, await reference(large, 2300, 1100, 1400, 1800));
  });

  it('is enlarged to the exact size, with a warning', async () => {
    const small = await png(pattern(70, 90));
    const result = await idPhoto(small, PHOTO);
    assert.deepEqual([result.width, result.height, result.warnings], [140, 180, ['print_resolution_low']]);
    await assertClose(result.bytes, await reference(small, 0, 0, 70, 90));
    assert.deepEqual((await idPhoto(await png(pattern(140, 180)), PHOTO)).warnings, []);
    const crop = await idPhoto(await png(pattern(800, 800)), { ...PHOTO, crop: '0,0,139,180' });
    assert.deepEqual(crop.warnings, ['print_resolution_low']);
  });

  it('is not distorted, however thin the source is', async () => {
    for (const [width, height] of [
      [1, 1],
      [1, 4000],
      [4000, 1],
      [3, 3],
    ] as const) {
      const result = await idPhoto(await png(flat(width, height, 200, 30, 40)), PHOTO);
      const { width: w, height: h } = await sharp(result.bytes).metadata();
      assert.deepEqual([w, h], [140, 180], `${width} x ${height}`);
      assert.deepEqual(pixel(await decode(result.bytes), 139, 179), [200, 30, 40]);
    }
    // The photo shows 3.5 of the 5 pixels across.
    const ramps = flat(5, 5, 0, 0, 0);
    for (let y = 0; y < 5; y += 1) for (let x = 0; x < 5; x += 1) ramps.data.set([50 * x, 50 * y, 0], (y * 5 + x) * 3);
    const photo = await decode((await idPhoto(await png(ramps), { width: 350, height: 500, format: 'png' })).bytes);
    const [left, right, above, below] = [
      pixel(photo, 125, 250),
      pixel(photo, 225, 250),
      pixel(photo, 175, 200),
      pixel(photo, 175, 300),
    ].map(([red = 0, green = 0]) => ({ red, green }));
    const [across, down] = [right!.red - left!.red, below!.green - above!.green];
    assert.ok(Math.abs(across - 50) <= 2 && Math.abs(down - 50) <= 2, `${across} and ${down}`);
  });

  it('is rendered as large as needed from a vector source', async () => {
    const svg = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="14" height="18"><path d="M0 0h7v18H0z"/></svg>',
    );
    const result = await idPhoto(svg, PHOTO);
    assert.deepEqual(result.warnings, ['alpha_flattened']);
    const raw = await decode(result.bytes);
    assert.deepEqual(
      [pixel(raw, 69, 90), pixel(raw, 70, 90)],
      [
        [0, 0, 0],
        [255, 255, 255],
      ],
      'a sharp edge',
    );
  });

  it('is rendered as large as needed from a part of a vector source too', async () => {
    verifies('id-photo.crop');
    // A line of a tenth of a pixel. Enlarged from the size of the drawing, it would be grey and wide.
    const svg = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="140" height="180"><path fill="#fff" d="M0 0h140v180H0z"/><path d="M17 0h.1v180H17z"/></svg>',
    );
    const { bytes, warnings } = await idPhoto(svg, { ...PHOTO, crop: '10,18,14,18' });
    assert.deepEqual(warnings, []);
    const raw = await decode(bytes);
    const row = Array.from({ length: 140 }, (_, x) => pixel(raw, x, 90)[0]!);
    const dark = row.flatMap((value, x) => (value < 128 ? [x] : []));
    assert.ok(dark.length >= 1 && dark.length <= 2 && Math.abs(dark[0]! - 70) <= 1, `${dark}`);
    // A dot has too few pixels, however large the page is drawn.
    const dot = await idPhoto(svg, { width: 600, height: 600, crop: '17,90,1,1' });
    assert.deepEqual([dot.width, dot.height, dot.warnings], [600, 600, ['print_resolution_low']]);
  });
});

describe('transparency', () => {
  it('is painted with the background, in both formats', async () => {
    verifies('id-photo.background');
    const clear = await png(flat(280, 360, 10, 20, 30, 0));
    for (const format of ['png', 'jpeg'] as const) {
      const white = await idPhoto(clear, { ...PHOTO, format });
      assert.deepEqual(white.warnings, ['alpha_flattened']);
      assert.deepEqual(pixel(await decode(white.bytes), 5, 5), [255, 255, 255]);
      assert.equal((await sharp(white.bytes).metadata()).hasAlpha, false);
      const painted = await idPhoto(clear, { ...PHOTO, format, background: '#e0c010' });
      const [red = 0, green = 0, blue = 0] = pixel(await decode(painted.bytes), 70, 90);
      assert.ok(Math.abs(red - 0xe0) < 4 && Math.abs(green - 0xc0) < 4 && Math.abs(blue - 0x10) < 4);
    }
  });

  it('is painted with the background of the preset', async () => {
    const clear = await png(flat(280, 360, 10, 20, 30, 0));
    const { bytes } = await idPhoto(clear, { preset: 'ee_document', format: 'png', max_bytes: 5_000_000 });
    assert.deepEqual(pixel(await decode(bytes), 650, 800), [0xe6, 0xe6, 0xe6]);
  });

  it('outside the crop does not matter', async () => {
    const half = await png(pattern(400, 400, 4));
    assert.deepEqual((await idPhoto(half, { ...PHOTO, crop: '0,0,190,300' })).warnings, []);
  });
});

describe('colour', () => {
  it('is sRGB with three channels, also from grey sources', async () => {
    const grey = await sharpOf(pattern(300, 400)).toColourspace('b-w').jpeg().toBuffer();
    assert.equal((await sharp(grey).metadata()).channels, 1);
    for (const format of ['jpeg', 'png'] as const) {
      const { channels, space } = await sharp((await idPhoto(grey, { ...PHOTO, format })).bytes).metadata();
      assert.deepEqual([channels, space], [3, 'srgb']);
    }
  });

  it('of CMYK and of wider profiles is converted, with a warning', async () => {
    const sources = [
      await sharpOf(pattern(300, 400)).toColourspace('cmyk').withIccProfile('cmyk').jpeg().toBuffer(),
      await sharpOf(pattern(300, 400)).withIccProfile('p3').png().toBuffer(),
    ];
    for (const source of sources) {
      const { bytes, warnings } = await idPhoto(source, PHOTO);
      assert.deepEqual(warnings, ['color_converted']);
      assert.equal((await sharp(bytes).metadata()).icc, undefined);
    }
  });

  it('of 16 bits is reduced to 8', async () => {
    const deep = await sharpOf(pattern(300, 400)).toColourspace('rgb16').png().toBuffer();
    assert.equal((await sharp((await idPhoto(deep, PHOTO)).bytes).metadata()).depth, 'uchar');
  });
});

describe('the file', () => {
  it('contains the resolution and no other metadata', async () => {
    verifies('id-photo.dpi', 'id-photo.format');
    const source = await sharpOf(pattern(300, 400))
      .withExif({ IFD0: { Make: 'Imagecam' } })
      .withMetadata({ density: 96, icc: 'srgb' })
      .jpeg()
      .toBuffer();
    for (const format of ['jpeg', 'png'] as const) {
      for (const dpi of [72, 300, 353, 1200]) {
        const result = await idPhoto(source, { ...PHOTO, format, dpi });
        assert.deepEqual([result.dpi, result.format], [dpi, format]);
        assert.deepEqual(readMetadata(format, result.bytes), { density: { x: dpi, y: dpi } });
        assert.equal((await sharp(result.bytes).metadata()).density, dpi);
        assert.ok(!result.bytes.includes('Imagecam'));
      }
    }
  });

  it('is a baseline JPEG', async () => {
    const { isProgressive } = await sharp(
      (await idPhoto(await png(pattern(300, 400)), { preset: 'us_visa' })).bytes,
    ).metadata();
    assert.equal(isProgressive, false);
  });
});

describe('sources', () => {
  it('that are truncated are used as far as they go', async () => {
    const whole = await jpeg(pattern(600, 800));
    const { warnings, width } = await idPhoto(whole.subarray(0, whole.length / 2), PHOTO);
    assert.deepEqual([warnings, width], [['truncated_source'], 140]);
  });

  it('that cannot be read are rejected', async () => {
    await failureOf('unsupported_format', () => idPhoto(Buffer.from('no image'), PHOTO));
    await failureOf('corrupt_image', () => idPhoto(Buffer.from('ffd8ffe000104a464946', 'hex'), PHOTO));
  });

  it('with several pages give the requested one', async () => {
    const frames = [flat(140, 180, 255, 0, 0), flat(140, 180, 0, 0, 255)].map(({ data }) => data);
    const animated = await sharp(Buffer.concat(frames), {
      raw: { width: 140, height: 360, channels: 3, pageHeight: 180 },
    })
      .gif()
      .toBuffer();
    for (const [page, colour] of [
      [1, [255, 0, 0]],
      [2, [0, 0, 255]],
    ] as const) {
      const { bytes, warnings } = await idPhoto(animated, { ...PHOTO, page });
      assert.deepEqual(warnings, ['animation_flattened']);
      assert.deepEqual(pixel(await decode(bytes), 70, 90), colour);
    }
    await failureOf('page_out_of_range', () => idPhoto(animated, { ...PHOTO, page: 3 }));
  });

  it('are not decoded to more pixels than the limit', async () => {
    const source = await png(pattern(20, 20));
    await failureOf('image_too_large', () => idPhoto(source, { width_mm: 300, height_mm: 300, dpi: 1200 }));
  });
});

describe('presets and models', () => {
  it('warn when the preset was not read from an official page', async () => {
    verifies('id-photo.preset');
    const source = await png(pattern(700, 900));
    for (const [preset, warnings] of [
      ['tw_passport', ['preset_unverified']],
      ['de_visa', []],
      ['generic_35x45', []],
    ] as const) {
      const result = await idPhoto(source, { preset });
      assert.deepEqual([result.warnings, result.width, result.height, result.dpi], [warnings, 413, 531, 300], preset);
    }
  });
});
