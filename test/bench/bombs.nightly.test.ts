import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import { deflatedZeros, gzipZeros, zlibZeros } from '../../bench/bombs/bytes.ts';
import { BOMBS } from '../../bench/bombs/index.ts';
import { recognise } from '../../codecs/recognise.ts';
import { parseTicks } from '../../engine/thread-time.ts';

const FAMILIES = [
  'jpeg',
  'bmp',
  'gif',
  'webp',
  'png',
  'tiff',
  'psd',
  'jpeg2000',
  'exr',
  'dicom',
  'heif',
  'jxl',
  'icons',
  'svg',
  'pdf',
  'djvu',
  'science',
  'raster',
  'raw',
  'magick',
  'cut',
];
/** Maximum upload of the free plan. */
const MAX_BYTES = 20_000_000;

describe('the list of decompression bombs', () => {
  test('has at least 120 bombs with different names, from every family', () => {
    assert.ok(BOMBS.length >= 120, `${BOMBS.length} bombs`);
    assert.equal(new Set(BOMBS.map(({ name }) => name)).size, BOMBS.length);
    assert.deepEqual([...new Set(BOMBS.map(({ family }) => family))], FAMILIES);
  });

  for (const family of FAMILIES) {
    test(`${family}: every file is small and recognised as its intended format`, async () => {
      for (const { name, format, filename, make } of BOMBS.filter((bomb) => bomb.family === family)) {
        const bytes = await make();
        assert.deepEqual(recognise(bytes, filename), { format }, name);
        assert.ok(bytes.length > 0 && bytes.length < MAX_BYTES, `${name}: ${bytes.length} bytes`);
      }
    });
  }

  test('is the same on every run', async () => {
    for (const { name, make } of BOMBS.filter(({ family }) => ['gif', 'djvu'].includes(family))) {
      assert.ok(Buffer.from(await make()).equals(await make()), name);
    }
  });
});

describe('deflated zeros', () => {
  // Shorter than a chunk, one chunk, and more.
  for (const bytes of [0, 1, 100_000, 16 * 2 ** 20, 40_000_000]) {
    test(`${bytes} of them inflate back`, () => {
      const zeros = Buffer.alloc(bytes);
      assert.ok(inflateRawSync(deflatedZeros(bytes)).equals(zeros));
      // zlib and gzip also check their checksums.
      assert.ok(inflateSync(zlibZeros(bytes)).equals(zeros));
      assert.ok(gunzipSync(gzipZeros(bytes)).equals(zeros));
    });
  }
});

test('processor time is user plus system time, whatever the process is called', () => {
  const after = 'S 1 2 3 4 5 6 7 8 9 10 70 7 0 0 20 0 11 0';
  assert.equal(parseTicks(`42 (a) b (c)) ${after}`), 77);
});
