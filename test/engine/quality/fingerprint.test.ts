import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import sharp, { type Sharp } from 'sharp';
import { FINGERPRINT_SIDE, fingerprint, fingerprintDistance } from '../../../engine/quality/fingerprint.ts';
import { corpus, corpusFiles, corpusSkipReason } from '../../support/corpus.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { scene } from '../../support/scenes.ts';

const pixels = (at: (x: number, y: number) => number) =>
  Uint8Array.from({ length: FINGERPRINT_SIDE ** 2 }, (_, index) =>
    at(index % FINGERPRINT_SIDE, Math.floor(index / FINGERPRINT_SIDE)),
  );

async function fingerprintOf(image: Sharp): Promise<string> {
  const small = sharp(await image.png().toBuffer())
    .flatten({ background: '#ffffff' })
    .resize(FINGERPRINT_SIDE, FINGERPRINT_SIDE, { fit: 'fill' })
    .toColourspace('b-w');
  return fingerprint(new Uint8Array(await small.raw().toBuffer()));
}

/** Returns versions of an image as changed on the web. */
async function versions(open: () => Sharp): Promise<Record<string, Sharp>> {
  const { width = 1 } = await open().metadata();
  return {
    'JPEG quality 50': sharp(await open().jpeg({ quality: 50 }).toBuffer()),
    'half the size': open().resize(Math.round(width / 2)),
    'WebP quality 60': sharp(await open().webp({ quality: 60 }).toBuffer()),
    PNG: sharp(await open().png().toBuffer()),
    brighter: open().linear(1.06, 4),
    'small JPEG': sharp(await open().resize(200).jpeg({ quality: 40 }).toBuffer()),
  };
}

const photo = (seed: number) => () => {
  const { data, width, height } = scene('photo', 240, 180, seed);
  return sharp(data, { raw: { width, height, channels: 3 } });
};

describe('a fingerprint', () => {
  test('has 16 lowercase hexadecimal digits', () => {
    for (const at of [() => 0, () => 255, (x: number, y: number) => (x * y) % 256, (x: number) => x]) {
      assert.match(fingerprint(pixels(at)), /^[0-9a-f]{16}$/);
    }
  });

  test('holds the frequencies 1 to 8, row by row from the highest bit', () => {
    const wave = (u: number, v: number) =>
      pixels(
        (x, y) => 128 + 60 * Math.cos((Math.PI * (2 * x + 1) * u) / 64) * Math.cos((Math.PI * (2 * y + 1) * v) / 64),
      );
    assert.equal(fingerprint(wave(1, 1)), '8000000000000000');
    assert.equal(fingerprint(wave(2, 1)), '4000000000000000');
    assert.equal(fingerprint(wave(1, 2)), '0080000000000000');
    assert.equal(fingerprint(wave(8, 8)), '0000000000000001');
    assert.equal(fingerprint(wave(9, 1)), '0000000000000000', 'a frequency above is not held');
    assert.equal(fingerprint(wave(0, 1)), '0000000000000000', 'nor is frequency 0');
  });

  test('of a flat image and of a plain gradient has no random bits', () => {
    for (const value of [0, 1, 100, 255]) assert.equal(fingerprint(pixels(() => value)), '0000000000000000');
    assert.equal(fingerprint(pixels((x) => x * 7)), '0000000000000000');
    assert.equal(fingerprint(pixels((x, y) => 100 + ((x * 31 + y * 17) % 2))), '0000000000000000');
  });

  test('stays the same when the image is compressed, resized, converted or slightly brightened', {
    skip: nightlyOnly,
  }, async () => {
    for (const seed of [1, 2, 3, 4]) {
      const open = photo(seed);
      const original = await fingerprintOf(open());
      for (const [what, version] of Object.entries(await versions(open))) {
        const distance = fingerprintDistance(original, await fingerprintOf(version));
        assert(distance <= 6, `${what} of photo ${seed} is ${distance} away`);
      }
    }
  });

  test('differs between images', async () => {
    const hashes = await Promise.all([1, 2, 3, 4, 5, 6].map((seed) => fingerprintOf(photo(seed)())));
    hashes.forEach((one, index) => {
      for (const other of hashes.slice(0, index)) assert(fingerprintDistance(one, other) > 10, `${one} and ${other}`);
    });
  });

  test('differs between an image and its mirror image', async () => {
    const [image, mirrored] = [await fingerprintOf(photo(1)()), await fingerprintOf(photo(1)().flop())];
    assert(fingerprintDistance(image, mirrored) > 10);
  });
});

test('the distance is the number of different bits', () => {
  assert.equal(fingerprintDistance('0000000000000000', '0000000000000000'), 0);
  assert.equal(fingerprintDistance('0000000000000000', 'ffffffffffffffff'), 64);
  assert.equal(fingerprintDistance('8000000000000001', '0000000000000000'), 2);
  assert.equal(fingerprintDistance('00000000000000f0', '000000000000000f'), 8);
});

test('real photographs keep their fingerprint and have different ones', {
  skip: corpusSkipReason || nightlyOnly,
}, async () => {
  const files = corpusFiles('faces')
    .filter((path) => path.endsWith('.jpg'))
    .slice(0, 8);
  assert(files.length >= 5, 'the corpus has faces');
  const hashes = await Promise.all(
    files.map(async (path) => {
      const open = () => sharp(corpus(path)!);
      const original = await fingerprintOf(open());
      for (const [what, version] of Object.entries(await versions(open))) {
        const distance = fingerprintDistance(original, await fingerprintOf(version));
        assert(distance <= 6, `${what} of ${path} is ${distance} away`);
      }
      return original;
    }),
  );
  hashes.forEach((one, index) => {
    for (const other of hashes.slice(0, index)) assert(fingerprintDistance(one, other) > 10, `${one} and ${other}`);
  });
});
