/** The mask: estimated, returned, sent back with corrections, or invalid. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { corpus, corpusSkipReason } from '../../support/corpus.ts';
import { testEngine } from '../../support/engine.ts';
import { failureOf } from '../../support/failure.ts';
import { modelsSkipReason } from '../../support/models.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { decode, difference, flat, jpeg, pattern, png, type RawImage } from '../../support/test-images.ts';
import { verifies } from '../../support/verifies.ts';
import { cut, cutInput, discImage } from './support.ts';

const alphaOf = async (bytes: Uint8Array): Promise<RawImage> => {
  const { data, info } = await sharp(bytes).extractChannel(3).raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: 1 };
};

/** Returns the intersection of two masks as a share of their union. */
function overlap(one: RawImage, other: RawImage): number {
  let both = 0;
  let either = 0;
  for (let at = 0; at < one.data.length; at += 1) {
    both += Math.min(one.data[at]!, other.data[at]!);
    either += Math.max(one.data[at]!, other.data[at]!);
  }
  return both / either;
}

describe('the model', () => {
  it('finds a disc on a plain background, at the full size', { skip: modelsSkipReason || nightlyOnly }, async () => {
    verifies('remove-background.endpoint');
    const { photo, mask } = discImage({ width: 700, height: 500 });
    const result = await cut(await png(photo));
    assert.deepEqual([result.width, result.height, result.format, result.warnings], [700, 500, 'png', []]);
    assert.ok(overlap(await alphaOf(result.bytes), mask) > 0.96);
  });

  it('finds the subject in photographs', { skip: modelsSkipReason || corpusSkipReason || nightlyOnly }, async () => {
    for (const name of ['animal-1', 'car-1']) {
      // The cut-out of another tool with a larger model.
      const other = await alphaOf(corpus(`subject/rembg--${name}.out.png`)!);
      const { bytes } = await cut(corpus(`subject/rembg--${name}.jpg`)!);
      const found = overlap(await alphaOf(bytes), other);
      assert.ok(found > 0.85, `${name}: ${found}`);
    }
  });

  it('fails with no_subject for an image without one', { skip: modelsSkipReason || nightlyOnly }, async () => {
    for (const image of [flat(200, 150, 120, 130, 140), flat(1, 1, 255, 0, 0)])
      await failureOf('no_subject', async () => cut(await png(image)));
    await failureOf('no_subject', async () => cut(await png(flat(50, 50, 9, 9, 9)), { mask: true }));
  });

  it('causes a warning when its mask is uncertain', {
    skip: modelsSkipReason || corpusSkipReason || nightlyOnly,
  }, async () => {
    const { warnings } = await cut(corpus('faces/ulffd--imgs--1.jpg')!, { mask: true });
    assert.deepEqual(warnings, ['low_confidence']);
  });

  it('is missing on a worker without models, unless a mask is sent', async () => {
    const { photo, mask } = discImage({ width: 60, height: 40 });
    const engine = await testEngine();
    const image = await png(photo);
    const failure = await failureOf('model_unavailable', () => engine.run('remove-background', cutInput(image, {})));
    assert.match(String(failure.hint), /models pull u2netp/);
    const sent = await engine.run('remove-background', cutInput(image, {}, { mask: await png(mask) }));
    assert.equal(sent.outcome, 'done');
  });
});

describe('mask=true', () => {
  it('returns the mask of the whole image: grey, white is subject, at most 1024 pixels', async () => {
    verifies('remove-background.mask');
    const { photo, mask } = discImage({ width: 2000, height: 1500 });
    const parts = { mask: await png(mask) };
    // None of these options changes the mask.
    const options = { mask: true, format: 'jpeg', background: 'gradient', frame: '50x50', feather: 0 } as const;
    const result = await cut(await png(photo), options, parts);
    assert.deepEqual([result.format, result.width, result.height], ['png', 1024, 768]);
    const { channels, space } = await sharp(result.bytes).metadata();
    assert.deepEqual([channels, space], [1, 'b-w']);
    const { data } = await sharp(result.bytes).extractChannel(0).raw().toBuffer({ resolveWithObject: true });
    assert.deepEqual([data[0], data[384 * 1024 + 512]], [0, 255]);
  });

  it('has the size of a smaller image, and is upright for a rotated image', async () => {
    const { photo, mask } = discImage({ width: 300, height: 200 });
    const turned = await sharp(await png(photo))
      .rotate(90)
      .withMetadata({ orientation: 8 })
      .png()
      .toBuffer();
    const result = await cut(turned, { mask: true }, { mask: await png(mask) });
    assert.deepEqual([result.width, result.height], [300, 200]);
  });

  it('includes the effect of feather and refine', { skip: nightlyOnly }, async () => {
    const { photo, mask } = discImage({ width: 1000, height: 700 });
    const image = await png(photo);
    const parts = { mask: await png(mask) };
    const grey = async (options: object) => decode((await cut(image, { mask: true, ...options }, parts)).bytes);
    const crisp = await grey({ feather: 0 });
    assert.ok(difference(crisp, await grey({ feather: 3 })).max > 40);
    assert.ok(difference(crisp, await grey({ feather: 0, refine: true })).max > 0);
  });
});

describe('an uploaded mask', () => {
  it("replaces the model's mask, and is returned unchanged", async () => {
    verifies('remove-background.mask.sent');
    const { photo, mask } = discImage({ width: 640, height: 480, edge: 9 });
    const { bytes } = await cut(await png(photo), { feather: 0 }, { mask: await png(mask) });
    assert.ok(difference(await alphaOf(bytes), mask).max <= 1);
    const answered = await cut(await png(photo), { feather: 0, mask: true }, { mask: await png(mask) });
    const again = await cut(await png(photo), { feather: 0 }, { mask: answered.bytes });
    assert.ok(difference(await alphaOf(again.bytes), mask).max <= 1);
  });

  it('is returned almost unchanged after it was reduced for a large image', async () => {
    const { photo, mask } = discImage({ width: 1900, height: 1300, edge: 30 });
    const image = await png(photo);
    const answered = await cut(image, { feather: 0, mask: true }, { mask: await png(mask) });
    const again = await cut(image, { feather: 0 }, { mask: answered.bytes });
    assert.ok(difference(await alphaOf(again.bytes), mask).max <= 12);
  });

  it('may be grey, coloured, with a palette or with transparency, in any format and size', {
    skip: nightlyOnly,
  }, async () => {
    const { photo, mask } = discImage({ width: 400, height: 300 });
    const image = await png(photo);
    const grey = sharp(await png(mask));
    const clear = await sharp({ create: { width: 400, height: 300, channels: 3, background: '#ffffff' } })
      .joinChannel(mask.data, { raw: { width: 400, height: 300, channels: 1 } })
      .png()
      .toBuffer();
    const sent: Record<string, Buffer> = {
      rgb: await grey.clone().toColourspace('srgb').png().toBuffer(),
      palette: await grey.clone().png({ palette: true }).toBuffer(),
      deep: await grey.clone().toColourspace('grey16').png().toBuffer(),
      webp: await grey.clone().webp({ lossless: true }).toBuffer(),
      jpeg: await grey.clone().jpeg({ quality: 95 }).toBuffer(),
      clear,
      large: await grey.clone().resize(1200, 900).png().toBuffer(),
      small: await grey.clone().resize(133, 100).png().toBuffer(),
    };
    for (const [name, bytes] of Object.entries(sent)) {
      const result = await cut(image, { feather: 0 }, { mask: bytes });
      assert.ok(overlap(await alphaOf(result.bytes), mask) > 0.97, name);
    }
  });

  it('must be an image with the same aspect ratio', { skip: nightlyOnly }, async () => {
    const image = await png(discImage({ width: 400, height: 300 }).photo);
    const wrong: Record<string, Uint8Array> = {
      text: Buffer.from('white is subject'),
      truncated: (await png(flat(400, 300, 255, 255, 255))).subarray(0, 60),
      square: await png(flat(300, 300, 255, 255, 255)),
      'on its side': await png(flat(300, 400, 255, 255, 255)),
      'two pixels wider': await png(flat(402, 300, 255, 255, 255)),
    };
    for (const [name, mask] of Object.entries(wrong)) {
      const { status, param } = await failureOf('invalid_mask', () => cut(image, {}, { mask }));
      assert.deepEqual([status, param], [422, 'mask'], name);
    }
    // The nearest sizes to 4:3 in whole pixels.
    for (const [width, height] of [
      [401, 300],
      [200, 150],
      [100, 75],
      [99, 75],
      [7, 5],
    ] as const)
      await cut(image, {}, { mask: await png(flat(width, height, 255, 255, 255)) });
  });

  it('must have a subject', async () => {
    const image = await jpeg(pattern(80, 60));
    await failureOf('no_subject', async () => cut(image, {}, { mask: await png(flat(80, 60, 0, 0, 0)) }));
    const all = await cut(image, {}, { mask: await png(flat(80, 60, 255, 255, 255)) });
    assert.ok((await alphaOf(all.bytes)).data.every((alpha) => alpha === 255));
  });
});
