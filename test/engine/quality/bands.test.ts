import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { bandsOf } from '../../../engine/quality/bands.ts';
import { lumaOf, type Rgb, sampleRgb, stackBands } from '../../../engine/quality/rgb.ts';
import { similarity } from '../../../engine/quality/similarity.ts';
import { corpus, corpusSkipReason } from '../../support/corpus.ts';
import { rgb } from '../../support/scenes.ts';

describe('bands of an image', () => {
  it('are not used for images up to the limit', () => {
    assert.equal(bandsOf({ width: 100, height: 300 }, 30_000), undefined);
    assert.notEqual(bandsOf({ width: 100, height: 300 }, 29_999), undefined);
  });

  it('are spread from top to bottom, inside the image and within the limit', () => {
    for (const [width, height] of [
      [50, 2000],
      [1, 10_000],
      [5000, 40],
      [9000, 9000],
      [30_000, 3],
    ] as const)
      for (const maxPixels of [1, 5000, 25_600, 1_500_000]) {
        const bands = bandsOf({ width, height }, maxPixels);
        if (!bands) continue;
        const { tops, rows } = bands;
        const name = `${width} x ${height}, ${maxPixels}`;
        assert.ok(rows === 1 || width * rows * tops.length <= maxPixels, name);
        assert.ok(tops[0]! >= 0 && tops.at(-1)! + rows <= height, name);
        assert.ok(
          tops.every((top, band) => band === 0 || top >= tops[band - 1]! + rows),
          name,
        );
        const middles = tops.map((top) => top + rows / 2);
        const mean = middles.reduce((sum, middle) => sum + middle, 0) / middles.length;
        assert.ok(Math.abs(mean - height / 2) <= 1, `${name}: ${mean}`);
      }
  });

  it('contain rows of the image, one band below the other', () => {
    const data = Uint8Array.from({ length: 3 * 50 * 2000 }, (_, at) => (at * 7 + (at >> 9)) & 0xff);
    const sampled = sampleRgb({ data, width: 50, height: 2000 }, 50 * 128 * 4);
    const bands = bandsOf({ width: 50, height: 2000 }, 50 * 128 * 4)!;
    const { tops, rows } = bands;
    const inParts = stackBands(bands, 50, (take) => {
      for (let at = 0; at < data.length; at += 10_007) take(data.subarray(at, at + 10_007));
    });
    assert.deepEqual(inParts, sampled);
    assert.deepEqual([sampled.height, rows, tops.length], [512, 128, 4]);
    for (const [band, top] of tops.entries())
      assert.equal(
        Buffer.compare(
          sampled.data.subarray(band * rows * 150, (band + 1) * rows * 150),
          data.subarray(top * 150, (top + rows) * 150),
        ),
        0,
      );
  });

  it('of half an image have nearly the same similarity', { skip: corpusSkipReason }, async () => {
    const file = corpus('subject/rembg--animal-3.jpg')!;
    const original = await rgb(sharp(file));
    const half = (original.width * original.height) / 2;
    const luma = (image: Rgb) => lumaOf(sampleRgb(image, half));
    for (const quality of [40, 75]) {
      const version = await rgb(sharp(await sharp(file).jpeg({ quality }).toBuffer()));
      const [whole, part] = [similarity(lumaOf(original), lumaOf(version)), similarity(luma(original), luma(version))];
      assert.ok(Math.abs(part - whole) < 0.0015, `${part} instead of ${whole}`);
    }
  });
});
