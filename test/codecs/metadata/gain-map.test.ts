/** Gain maps of JPEG files: found, described, written, and kept when a file is re-coded or padded. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import type { GainMapFacts } from '../../../codecs/facts/facts.ts';
import { readFacts } from '../../../codecs/facts/index.ts';
import { readMetadata, writeMetadata } from '../../../codecs/metadata/index.ts';
import { padTo } from '../../../codecs/metadata/padding.ts';
import { corpus, corpusSkipReason } from '../../support/corpus.ts';
import {
  APPLE_XMP,
  adobeXmp,
  BASE,
  ISO_METADATA,
  isoMetadata,
  MAP,
  mapIn,
  withGainMap,
} from '../../support/gain-maps.ts';
import { contains, pixels, withMetadata } from './fixtures.ts';

const factsOf = (file: Uint8Array): GainMapFacts | undefined => readFacts('jpeg', file, 1).gainMap;
const SIZE = { ...MAP, channels: 1 };

describe('a gain map', () => {
  for (const listedIn of ['both', 'directory', 'xmp'] as const) {
    for (const littleEndian of [false, true]) {
      it(`is found: listed in ${listedIn}, ${littleEndian ? 'little' : 'big'}-endian`, async () => {
        const file = await withGainMap({ listedIn, littleEndian });
        const { standards, width, height, channels } = factsOf(file)!;
        assert.deepEqual({ standards, width, height, channels }, { standards: ['ultra_hdr'], ...SIZE });
        const { gainMap } = readMetadata('jpeg', file);
        assert.deepEqual((await sharp(gainMap!.file).metadata()).width, MAP.width);
      });
    }
  }

  it('is announced but missing in a file that is cut', async () => {
    const file = await withGainMap();
    const { parameters, width, ...rest } = factsOf(file.subarray(0, file.length - mapIn(file)!.length))!;
    assert.deepEqual([parameters, width, rest], [undefined, undefined, { standards: ['ultra_hdr'] }]);
  });

  it('is not found in other files with two images', async () => {
    assert.equal(factsOf(await withGainMap({ xmp: '' })), undefined);
    assert.equal(factsOf(await withMetadata('jpeg')), undefined);
  });

  it('is found in real files', { skip: corpusSkipReason }, () => {
    const libvips = factsOf(corpus('jpeg/libvips--ultra-hdr.jpg')!)!;
    assert.deepEqual([libvips.width, libvips.height, libvips.bytes], [960, 540, 31_738]);
    assert.deepEqual([libvips.parameters!.gainMax, libvips.parameters!.capacityMax], [[6.643_86], 6.643_86]);
    const apple = factsOf(corpus('jpeg/pillow--frame_size.mpo')!)!;
    assert.deepEqual([apple.standards, apple.width, apple.height], [['apple'], 349, 434]);
    const avif = readFacts('avif', corpus('avif/libavif--seine_sdr_gainmap_srgb_icc.avif')!, 1).gainMap!;
    assert.deepEqual([avif.standards, avif.width, avif.height], [['iso_21496_1'], 400, 300]);
    // As libavif writes it: a capacity of 1.3, and gains for each channel.
    assert.equal(avif.parameters!.capacityMax, 1.3);
    assert.equal(avif.parameters!.gainMax.length, 3);
    const auxiliary = readFacts('avif', corpus('avif/libavif--colors_hdr_p3.avif')!, 1).gainMap!;
    assert.deepEqual([auxiliary.standards, auxiliary.width], [['apple'], 200]);
  });
});

describe('the description of a gain map', () => {
  const DEFAULTS = {
    ...{ gainMin: [0], gainMax: [2.5], gamma: [1], offsetSdr: [1 / 64], offsetHdr: [1 / 64] },
    ...{ capacityMin: 0, capacityMax: 3, isBaseHdr: false },
  };

  it('has the defaults of Adobe', async () => {
    assert.deepEqual(factsOf(await withGainMap())!.parameters, DEFAULTS);
  });

  it('has a value for each channel where the file has them', async () => {
    const xmp = adobeXmp(
      'hdrgm:Gamma="1.5" hdrgm:BaseRenditionIsHDR="True"',
      '<hdrgm:GainMapMin><rdf:Seq><rdf:li>-1</rdf:li><rdf:li>-2</rdf:li><rdf:li>-3</rdf:li></rdf:Seq></hdrgm:GainMapMin>',
    );
    const { gainMin, gamma, isBaseHdr } = factsOf(await withGainMap({ xmp }))!.parameters!;
    assert.deepEqual([gainMin, gamma, isBaseHdr], [[-1, -2, -3], [1.5], true]);
  });

  it('is read from ISO 21496-1, with and without a common denominator', async () => {
    const { standards, parameters } = factsOf(await withGainMap({ xmp: '', iso: ISO_METADATA }))!;
    assert.deepEqual([standards, parameters], [['iso_21496_1'], DEFAULTS]);
    const common = isoMetadata(0x08, 64, 0, 192, 0, 160, 64, 1, 1);
    assert.deepEqual(factsOf(await withGainMap({ xmp: '', iso: common }))!.parameters, DEFAULTS);
    const three = isoMetadata(0x88, 2, 0, 6, -2, 4, 2, 0, 0, -4, 6, 4, 0, 0, -6, 8, 6, 0, 0);
    const { gainMin, gainMax, gamma } = factsOf(await withGainMap({ xmp: '', iso: three }))!.parameters!;
    assert.deepEqual(
      [gainMin, gainMax, gamma],
      [
        [-1, -2, -3],
        [2, 3, 4],
        [1, 2, 3],
      ],
    );
  });

  it('names the offsets by rendition also if the brighter one is the base', async () => {
    const iso = isoMetadata(0x08, 10, 30, 0, 0, 25, 10, 1, 2);
    const { offsetHdr, offsetSdr, isBaseHdr, capacityMin, capacityMax } = factsOf(await withGainMap({ xmp: '', iso }))!
      .parameters!;
    assert.deepEqual([offsetHdr, offsetSdr, isBaseHdr, capacityMin, capacityMax], [[0.1], [0.2], true, 0, 3]);
  });

  it('is that of ISO 21496-1 if there are both', async () => {
    const iso = isoMetadata(0x08, 1, 0, 4, 0, 4, 1, 0, 0);
    const { standards, parameters } = factsOf(await withGainMap({ iso }))!;
    assert.deepEqual([standards, parameters!.capacityMax], [['ultra_hdr', 'iso_21496_1'], 4]);
  });

  it('is left out where it is damaged', async () => {
    for (const iso of [isoMetadata(0x08, 0, 0, 3, 0, 1, 1, 0, 0), ISO_METADATA.subarray(0, 30)]) {
      const { standards, parameters } = factsOf(await withGainMap({ xmp: '', iso }))!;
      assert.deepEqual([standards, parameters], [['iso_21496_1'], undefined]);
    }
  });

  it("has Apple's headroom", async () => {
    const { standards, headroom } = factsOf(await withGainMap({ xmp: APPLE_XMP }))!;
    assert.deepEqual([standards, headroom], [['apple'], 4]);
  });
});

describe('a gain map that is written', () => {
  it('is found by its directory and its list of items, beside the other metadata', async () => {
    const source = await withGainMap({ iso: ISO_METADATA });
    const { gainMap } = readMetadata('jpeg', source);
    const other = readMetadata('jpeg', await withMetadata('jpeg'));
    const written = writeMetadata('jpeg', await withMetadata('jpeg'), { ...other, gainMap: gainMap! });
    assert.deepEqual(mapIn(written), Buffer.from(gainMap!.file!));
    const back = readMetadata('jpeg', written);
    assert.deepEqual(back.gainMap, gainMap);
    assert.deepEqual([back.exif, back.icc, back.density], [other.exif, other.icc, other.density]);
    assert.ok(contains(written, 'Ljubljana') && contains(written, `Item:Length="${gainMap!.file!.length}"`));
    assert.deepEqual(await pixels(written), await pixels(await withMetadata('jpeg')));
    // Without the directory, the list of items leads to it.
    const cut = Buffer.from(written);
    cut.write('XXX', cut.indexOf('MPF\0', 0, 'latin1'), 'latin1');
    assert.deepEqual(readMetadata('jpeg', cut).gainMap, gainMap);
  });

  it('is removed with the other metadata, also what announces it', async () => {
    const bare = writeMetadata('jpeg', await withGainMap({ iso: ISO_METADATA }), {});
    assert.deepEqual(readMetadata('jpeg', bare), {});
    for (const word of ['MPF', 'hdrgm', 'Container', '21496']) assert.equal(contains(bare, word), false, word);
  });

  it('is found after comments are added to reach a size', async () => {
    const source = await withGainMap();
    const padded = padTo('jpeg', source, source.length + 70_000);
    assert.equal(padded.length, source.length + 70_000);
    assert.deepEqual(mapIn(padded), mapIn(source));
    assert.equal((await sharp(padded).metadata()).width, BASE.width);
  });
});
