/** Gain maps through compress and pipelines: inspected, kept where the geometry allows it, and dropped with a warning. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp, { type Sharp } from 'sharp';
import { readMetadata } from '../../../codecs/metadata/index.ts';
import { corpus, corpusSkipReason } from '../../support/corpus.ts';
import { type CompressOptions, compress, inspect } from '../../support/engine.ts';
import { APPLE_XMP, adobeXmp, BASE, ISO_METADATA, MAP, mapIn, withGainMap } from '../../support/gain-maps.ts';
import { pipeline, plan, type RawStep, runOutputs } from '../pipeline/support.ts';

/**
 * Compares the map of a result with the grey levels of its image, which the maps of these tests have.
 * @returns the mean difference in levels of 255, and the size of the map
 */
async function compared(file: Uint8Array): Promise<{ mean: number; width: number; height: number }> {
  const grey = async (image: Sharp) => (await image.toColourspace('b-w').raw().toBuffer()) as Uint8Array;
  const map = mapIn(file);
  assert.ok(map, 'there is a map');
  const { width, height } = await sharp(map).metadata();
  const [expected, found] = await Promise.all([
    grey(sharp(file).resize(width, height, { fit: 'fill', kernel: 'linear' })),
    grey(sharp(map)),
  ]);
  const mean = found.reduce((sum, level, at) => sum + Math.abs(level - expected[at]!), 0) / found.length;
  return { mean, width, height };
}

const kept = async (options: CompressOptions, source?: Buffer) => {
  const result = await compress(source ?? (await withGainMap()), { metadata: 'keep', ...options });
  assert.ok(!result.warnings.includes('gain_map_dropped'), JSON.stringify(options));
  return result.bytes;
};

describe('inspect', () => {
  it('describes a gain map, which is not a page', async () => {
    const { gain_map, pages, color } = await inspect(await withGainMap({ iso: ISO_METADATA }));
    assert.deepEqual([pages, color.hdr], [1, true]);
    const { bytes, ...rest } = gain_map!;
    assert.ok(bytes! > 100);
    assert.deepEqual(rest, {
      ...{ standards: ['ultra_hdr', 'iso_21496_1'], ...MAP, channels: 1, base_is_hdr: false },
      ...{ gain_min: [0], gain_max: [2.5], gamma: [1], offset_sdr: [0.015625], offset_hdr: [0.015625] },
      ...{ hdr_capacity_min: 0, hdr_capacity_max: 3 },
    });
    assert.equal(
      (
        await inspect(
          await sharp(await withGainMap())
            .png()
            .toBuffer(),
        )
      ).gain_map,
      null,
    );
  });

  it("gives Apple's headroom, from the map or from the maker note", { skip: corpusSkipReason }, async () => {
    assert.equal((await inspect(await withGainMap({ xmp: APPLE_XMP }))).gain_map!.hdr_capacity_max, 2);
    // HDRHeadroom 0.84 and HDRGain 0: 1.8 stops by Apple's formula.
    const phone = await inspect(corpus('jpeg/pillow--frame_size.mpo')!);
    assert.deepEqual([phone.gain_map!.hdr_capacity_max, phone.pages], [1.8, 1]);
  });
});

describe('a gain map is kept', () => {
  for (const options of [
    { quality: 50 },
    { mode: 'smart' },
    { target_bytes: 6000 },
    { min_bytes: 40_000 },
    { dpi: 200 },
    { quality: 100 },
  ] satisfies CompressOptions[]) {
    it(`byte by byte where no pixel moves: ${JSON.stringify(options)}`, async () => {
      const source = await withGainMap({ iso: ISO_METADATA });
      const file = await kept(options, source);
      assert.deepEqual(mapIn(file), mapIn(source));
      assert.deepEqual(readMetadata('jpeg', file).gainMap!.standards, ['ultra_hdr', 'iso_21496_1']);
      assert.equal((await sharp(file).metadata()).width, BASE.width);
    });
  }

  for (const [options, width, height] of [
    [{ rotate: 90 }, 30, 40],
    [{ rotate: 180 }, 40, 30],
    [{ flip: 'h' }, 40, 30],
    [{ flip: 'v', rotate: 270 }, 30, 40],
    [{ crop: '16,16,96,64' }, 24, 16],
    [{ crop: '13,7,101,83' }, 25, 21],
    [{ crop: '50,31,64,80', flip: 'h', rotate: 90 }, 20, 16],
    [{ crop_ratio: '1:1' }, 30, 30],
    [{ crop_ratio: '1:1', focus: '0.9,0.5', rotate: 90 }, 30, 30],
    [{ width: 80 }, 20, 15],
    [{ width: 320, enlarge: true }, 40, 30],
    [{ width: 60, height: 60, fit: 'cover' }, 15, 15],
    [{ width: 100, height: 20, fit: 'exact' }, 25, 5],
    [{ crop: '40,20,100,80', width: 40, rotate: 90 }, 10, 13],
  ] as const satisfies [CompressOptions, number, number][]) {
    it(`and moved with the image: ${JSON.stringify(options)}`, async () => {
      const { mean, ...size } = await compared(await kept(options));
      assert.deepEqual(size, { width, height });
      assert.ok(mean < 2.5, `${mean} levels`);
    });
  }

  it('and cut with the border of the image', async () => {
    const source = await withGainMap({ margin: 32 });
    const { mean, ...size } = await compared(await kept({ trim: true, trim_threshold: 20 }, source));
    assert.deepEqual(size, { width: 32, height: 30 });
    assert.ok(mean < 2.5, `${mean} levels`);
  });

  it('in a file that is kept, but re-coded in fewer bytes', async () => {
    const source = await withGainMap();
    const { bytes, outcome } = await compress(source, { metadata: 'keep', quality: 100 });
    assert.equal(outcome, 'kept_original');
    assert.ok(bytes.length < source.length, `${bytes.length} of ${source.length}`);
    assert.deepEqual(mapIn(bytes), mapIn(source));
  });

  it('upright, of an image that its orientation turns', async () => {
    for (const orientation of [2, 3, 5, 6, 7, 8]) {
      const { mean } = await compared(await kept({ crop: '10,20,80,60' }, await withGainMap({ orientation })));
      assert.ok(mean < 2.5, `${orientation}: ${mean} levels`);
    }
  });

  it('without locations, as the other metadata', async () => {
    const place = 'xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSLatitude="46,3.1N"';
    const source = await withGainMap({ xmp: adobeXmp(place) });
    for (const options of [{}, { rotate: 90 }]) {
      const file = await kept({ metadata: 'no_gps', quality: 60, ...options }, source);
      assert.ok(mapIn(file)!.includes('GainMapMax'));
      assert.ok(!file.includes('GPSLatitude'));
    }
  });

  it('of Apple, which the XMP of the image does not list', async () => {
    const file = await kept({ quality: 50, width: 80 }, await withGainMap({ xmp: APPLE_XMP }));
    assert.deepEqual(readMetadata('jpeg', file).gainMap!.standards, ['apple']);
    assert.ok(!file.includes('hdrgm'));
  });
});

describe('a gain map is dropped with a warning', () => {
  const dropped: CompressOptions[] = [
    { metadata: 'strip' },
    { metadata: 'color' },
    { format: 'webp' },
    { format: 'avif', mode: 'lossless' },
    { brightness: 10 },
    { grayscale: true },
    { border: 4 },
    { rotate: 7 },
    { watermark_text: 'x' },
    { crop_shape: 'circle' },
    { width: 100, height: 100, fit: 'contain' },
    { crop_ratio: '1:1', crop_gravity: 'attention' },
  ];
  for (const options of dropped) {
    it(JSON.stringify(options), async () => {
      const { bytes, warnings } = await compress(await withGainMap(), { metadata: 'keep', quality: 90, ...options });
      assert.ok(warnings.includes('gain_map_dropped'));
      assert.equal(mapIn(bytes), undefined);
      assert.ok(!bytes.includes('hdrgm:Version'));
    });
  }

  it('if it cannot be decoded', async () => {
    const source = await withGainMap();
    const map = mapIn(source)!;
    source.fill(0, source.length - map.length + map.indexOf(Buffer.from([0xff, 0xc4])));
    const { warnings } = await compress(source, { metadata: 'keep', rotate: 90 });
    assert.ok(warnings.includes('gain_map_dropped'));
  });

  it('of an AVIF, whose XMP no longer announces it', { skip: corpusSkipReason }, async () => {
    const file = corpus('avif/libavif--seine_sdr_gainmap_srgb_icc.avif')!;
    for (const format of ['avif', 'jpeg'] as const) {
      const { bytes, warnings } = await compress(file, { metadata: 'keep', format, width: 64 });
      assert.ok(warnings.includes('gain_map_dropped'));
      assert.ok(!bytes.includes('hdrgm:'));
    }
  });

  it('never for an image without one', async () => {
    assert.deepEqual(
      (
        await compress(
          await sharp(await withGainMap())
            .jpeg()
            .toBuffer(),
        )
      ).warnings,
      [],
    );
  });
});

describe('several results of a pipeline', () => {
  it('have the gain map where their format holds it', async () => {
    const keep: RawStep = { op: 'metadata', params: { metadata: 'keep' } };
    const crop: RawStep = { op: 'crop', params: { crop: '16,16,96,64' } };
    const { outputs } = await runOutputs(await withGainMap(), [crop, keep], {
      widths: [48, 96],
      formats: ['jpeg', 'webp'],
    });
    for (const { format, width, data } of outputs) {
      const file = Buffer.from(data!);
      if (format !== 'jpeg') assert.equal(mapIn(file), undefined);
      else assert.equal((await compared(file)).width, width! / 4);
    }
    assert.equal(outputs.length, 4);
  });
});

describe('a dry run', () => {
  it('predicts whether the gain map is dropped', async () => {
    const source = await withGainMap();
    const keep: RawStep = { op: 'metadata', params: { metadata: 'keep' } };
    const cases: [RawStep[], boolean][] = [
      [[{ op: 'resize', params: { width: 50 } }], true],
      [[{ op: 'crop', params: { crop: '1,2,30,40' } }, { op: 'rotate', params: { rotate: 90 } }, keep], false],
      [[{ op: 'adjust', params: { contrast: 5 } }, keep], true],
      [[keep, { op: 'convert', params: { format: 'png' } }], true],
      [[keep, { op: 'compress', params: { quality: 40 } }], false],
    ];
    for (const [steps, isDropped] of cases) {
      const result = await pipeline(source, steps);
      for (const warnings of [result.warnings, (await plan(source, steps)).warnings])
        assert.equal(warnings.includes('gain_map_dropped'), isDropped, JSON.stringify(steps));
    }
  });
});
