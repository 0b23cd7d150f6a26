import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import sharp from 'sharp';
import { readJpegFacts } from '../../../../codecs/formats/jpeg/image-facts.ts';
import { compileModules } from '../../../../codecs/modules.ts';
import { startVips } from '../../../../codecs/vips.ts';
import { corpus, corpusFiles } from '../../../support/corpus.ts';

const modules = await compileModules();
const { vips, releaseHandles } = await startVips(modules);

/** The facts as libvips reports them, with an upright orientation where none is recorded. */
function factsOfVips(file: Uint8Array) {
  const image = vips.Image.jpegloadBuffer(file);
  const has = (field: string) => image.getTypeof(field) !== 0;
  const facts = {
    size: [image.width, image.height, image.bands],
    interpretation: String(image.interpretation),
    interlaced: has('interlaced') && image.getInt('interlaced') === 1,
    orientation: has('orientation') ? image.getInt('orientation') : 1,
    icc: has('icc-profile-data') ? Buffer.from(image.getBlob('icc-profile-data')) : undefined,
  };
  releaseHandles();
  return facts;
}

function factsWithoutVips(file: Uint8Array) {
  const facts = readJpegFacts(modules, file);
  if (!facts) return undefined;
  const { width, height, bands, interpretation, interlaced, orientation = 1, icc } = facts;
  return {
    size: [width, height, bands],
    interpretation: String(interpretation),
    interlaced,
    orientation,
    icc: icc && Buffer.from(icc),
  };
}

const photo = sharp({ create: { width: 40, height: 24, channels: 3, background: 'teal' } });
const made = {
  baseline: await photo.clone().jpeg().toBuffer(),
  progressive: await photo.clone().jpeg({ progressive: true }).toBuffer(),
  grey: await photo.clone().greyscale().jpeg().toBuffer(),
  'with a profile and an orientation': await photo
    .clone()
    .withMetadata({ icc: 'p3', orientation: 6 })
    .jpeg()
    .toBuffer(),
};

const cmyk = new Uint8Array(await photo.clone().toColourspace('cmyk').jpeg().toBuffer());

describe('facts of a JPEG, as libvips reports them', () => {
  for (const [name, file] of Object.entries(made))
    test(name, () => assert.deepEqual(factsWithoutVips(new Uint8Array(file)), factsOfVips(new Uint8Array(file))));

  test('corpus files', { skip: corpusFiles('jpeg').length === 0 }, () => {
    let compared = 0;
    for (const path of corpusFiles('jpeg')) {
      const file = new Uint8Array(corpus(path)!);
      const facts = factsWithoutVips(file);
      if (!facts) continue;
      assert.deepEqual(facts, factsOfVips(file), path);
      compared += 1;
    }
    assert.ok(compared > 40, `${compared} files`);
  });
});

describe('a JPEG is left to libvips', () => {
  const { baseline } = made;
  const afterStart = (bytes: Uint8Array) =>
    new Uint8Array(Buffer.concat([baseline.subarray(0, 2), bytes, baseline.subarray(2)]));
  const segment = (marker: number, payload: string) => {
    const data = Buffer.from(payload, 'latin1');
    return Buffer.concat([Buffer.of(0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 0xff), data]);
  };
  const cases: Record<string, Uint8Array> = {
    'of CMYK': cmyk,
    'with bytes between its segments': afterStart(Buffer.of(1, 2, 3)),
    'with a second EXIF segment': afterStart(
      Buffer.concat([segment(0xe1, 'Exif\0\0II*\0\x08\0\0\0\0\0'), segment(0xe1, 'Exif\0\0II*\0\x08\0\0\0\0\0')]),
    ),
    'with a profile in parts': afterStart(segment(0xe2, 'ICC_PROFILE\0\x01\x02abc')),
    'that ends in its headers': new Uint8Array(baseline.subarray(0, 100)),
    'with a broken quantization table': new Uint8Array(baseline).map((byte, at) =>
      at === baseline.indexOf(Buffer.of(0xff, 0xdb)) + 4 ? 0x2f : byte,
    ),
  };
  for (const [name, file] of Object.entries(cases))
    test(name, () => assert.equal(readJpegFacts(modules, file), undefined));
});
