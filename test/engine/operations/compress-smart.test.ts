/** Mode smart: the smallest file that still looks like the original. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import sharp from 'sharp';
import { prepareDistance } from '../../../engine/quality/distance.ts';
import { makeRandom } from '../../support/damage.ts';
import { compress } from '../../support/engine.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { rgb, scene } from '../../support/scenes.ts';
import {
  decode,
  difference,
  flat,
  grainyPattern,
  jpeg,
  pattern,
  png,
  type RawImage,
  sharpOf,
} from '../../support/test-images.ts';
import { verifies } from '../../support/verifies.ts';

/** Draws red print on blue of about the same luminance, with grain of up to `grain` levels. */
function colouredPrint(width: number, height: number, grain = 0): RawImage {
  const { data } = scene('print', width, height);
  const painted = Buffer.from(data);
  const random = makeRandom(1);
  for (let at = 0; at < data.length; at += 3) {
    const colour = data[at]! < 128 ? [200, 30, 40] : [20, 90, 190];
    painted.set(
      colour.map((value) => value + random(grain + 1)),
      at,
    );
  }
  return { data: painted, width, height, channels: 3 };
}

/** Draws print below an image with more colours than a palette can hold. */
function screenshot(width: number, height: number): RawImage {
  const { data } = scene('print', width, height);
  const painted = Buffer.from(data);
  painted.set(pattern(width, 24).data);
  return { data: painted, width, height, channels: 3 };
}

describe('mode smart', () => {
  test('the file is smaller than the source and still looks like it', async () => {
    verifies('compress.mode.smart');
    const source = await jpeg(grainyPattern(240, 180), 98);
    const { bytes, similarity, explain, outcome } = await compress(source, { mode: 'smart', score: true });
    assert.equal(outcome, 'reduced');
    assert.ok(bytes.length < source.length / 2);
    assert.ok((similarity as number) >= 0.985);
    assert.equal(explain?.filter((trial) => trial.chosen).length, 1);
    assert.ok((explain?.length ?? 9) <= 8);
  });

  test('an image of few colours is kept lossless where that is smaller', async () => {
    const drawing = flat(200, 200, 255, 255, 255);
    for (let y = 50; y < 150; y += 1) drawing.data.fill(0, (y * 200 + 50) * 3, (y * 200 + 150) * 3);
    const { bytes, similarity } = await compress(await png(drawing), { mode: 'smart', format: 'webp', score: true });
    assert.equal(similarity, 1);
    assert.equal(difference(await decode(bytes), drawing).max, 0);
  });

  test('AVIF: the sampled part of a large image is encoded with the same effort as the whole', {
    skip: nightlyOnly,
  }, async () => {
    const source = await png(grainyPattern(1100, 1000));
    const { explain } = await compress(source, { mode: 'smart', format: 'avif' });
    const [first] = explain!;
    const whole = await compress(source, { format: 'avif', quality: first!.quality! });
    // The part's own blocks and edges make it larger. With the effort that its own size would allow, it would be a
    // fifth smaller.
    const ratio = first!.bytes / whole.bytes.length;
    assert.ok(ratio > 1, `${ratio}`);
  });

  for (const format of ['png', 'webp', 'jxl'] as const)
    test(`${format}: a mostly flat image is kept lossless where that is smaller`, async () => {
      const raw = screenshot(240, 180);
      const { bytes, explain } = await compress(await png(raw), { mode: 'smart', format });
      const [chosen] = explain!.filter((trial) => trial.chosen);
      assert.deepEqual([chosen?.quality, chosen?.bytes], [null, bytes.length]);
      assert.ok(explain!.some(({ quality }) => quality !== null));
      const seen = format === 'jxl' ? (await compress(bytes, { format: 'png', mode: 'lossless' })).bytes : bytes;
      assert.equal(difference(await decode(seen), raw).max, 0);
    });

  test('WebP: an image that chroma subsampling would damage at every quality is kept lossless', async () => {
    // With fine grain, a lossy file is smaller.
    const print = colouredPrint(320, 240, 9);
    const { bytes, explain } = await compress(await png(print), { mode: 'smart', format: 'webp' });
    const sizes = explain!.map(({ quality, bytes: size }) => [quality === null, size] as const);
    const lossless = sizes.find(([isLossless]) => isLossless)![1];
    assert.ok(sizes.some(([isLossless, size]) => !isLossless && size < lossless));
    assert.equal(bytes.length, lossless);
    assert.equal(difference(await decode(bytes), print).max, 0);
    assert.ok(explain!.length <= 8);
  });

  for (const format of ['jpeg', 'webp', 'avif'] as const)
    test(`${format}: its own result is kept`, async () => {
      // An AVIF takes many times as long as the others.
      const scale = format === 'avif' ? 0.4 : 1;
      for (const source of [
        await jpeg(grainyPattern(300 * scale, 220 * scale), 97),
        await png(colouredPrint(220 * scale, 160 * scale)),
      ]) {
        const first = await compress(source, { mode: 'smart', format });
        const second = await compress(first.bytes, { mode: 'smart', format });
        assert.equal(second.outcome, 'kept_original');
        assert.equal(Buffer.compare(second.bytes, first.bytes), 0);
      }
    });

  test('a strongly compressed file of another program is kept, and a lightly compressed one is not', async () => {
    const photograph = sharpOf(scene('photo', 400, 300));
    const [coarse, fine] = [
      await photograph.jpeg({ quality: 55 }).toBuffer(),
      await photograph.jpeg({ quality: 97 }).toBuffer(),
    ];
    const [kept, reduced] = [await compress(coarse, { mode: 'smart' }), await compress(fine, { mode: 'smart' })];
    assert.deepEqual([kept.outcome, reduced.outcome], ['kept_original', 'reduced']);
    assert.equal(difference(await decode(kept.bytes), await decode(coarse)).max, 0);
    assert.ok(reduced.bytes.length < 0.6 * fine.length);
  });

  test('detects colours that chroma subsampling would damage', { skip: nightlyOnly }, async () => {
    const print = colouredPrint(320, 240);
    const reference = prepareDistance({ ...print, data: new Uint8Array(print.data) });
    for (const format of ['jpeg', 'avif'] as const) {
      const { bytes } = await compress(await png(print), { mode: 'smart', format });
      const distance = reference.compare(await rgb(sharp(bytes)));
      assert.ok(distance < 1.3, `${format}: ${distance}`);
    }
  });

  test('the quality of a large image is measured on bands', { skip: nightlyOnly }, async () => {
    const large = sharpOf(scene('photo', 1700, 1300));
    const { bytes, explain, width, height } = await compress(await large.png({ compressionLevel: 1 }).toBuffer(), {
      ...{ mode: 'smart', format: 'jpeg' },
    });
    assert.deepEqual([width, height], [1700, 1300]);
    const pixels = await large.removeAlpha().raw().toBuffer();
    const reference = prepareDistance({ data: new Uint8Array(pixels), width, height });
    const distance = reference.compare(await rgb(sharp(bytes)));
    assert.ok(distance > 0.8 && distance < 1.4, `${distance}`);
    const [chosen, ...others] = explain!.filter((trial) => trial.chosen);
    assert.deepEqual([chosen?.bytes !== undefined, others.length], [true, 0]);
  });

  test('a photograph as PNG keeps colours that a palette would lose, and an image of few colours keeps all', async () => {
    const palette = await sharpOf(scene('photo', 200, 150))
      .png({ palette: true, colours: 200 })
      .toBuffer();
    // As TIFF, so that the source is not simply kept.
    for (const image of [sharpOf(pattern(300, 200)), sharp(palette)]) {
      const source = await image.tiff({ compression: 'lzw' }).toBuffer();
      const { bytes } = await compress(source, { mode: 'smart', format: 'png' });
      assert.equal(difference(await decode(bytes), await decode(source)).max, 0);
    }
  });

  test('target_bytes is an upper bound', async () => {
    const { bytes } = await compress(await png(grainyPattern(300, 200)), {
      mode: 'smart',
      format: 'jpeg',
      target_bytes: 6000,
    });
    assert.ok(bytes.length <= 6000);
    // With all its colours, the image takes 67 kB. A palette would be visible.
    const palette = await compress(await png(pattern(300, 200)), {
      mode: 'smart',
      format: 'png',
      target_bytes: 30_000,
    });
    assert.ok(palette.bytes.length <= 30_000);
  });
});
