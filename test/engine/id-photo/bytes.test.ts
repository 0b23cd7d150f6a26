/** The range of bytes: met by quality alone, padded up to the minimum, or reported as not met. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { failureOf } from '../../support/failure.ts';
import { isNightly, nightlyOnly } from '../../support/nightly.ts';
import { SCENES, scene } from '../../support/scenes.ts';
import { decode, difference, type RawImage, sharpOf } from '../../support/test-images.ts';
import { verifies } from '../../support/verifies.ts';
import { idPhoto } from './support.ts';

const PHOTO = { width: 350, height: 450 } as const;
const source = (raw: RawImage) => sharpOf(raw).png().toBuffer();
const drawn = source(scene('photo', 350, 450));
const photo = () => drawn;

function coloursOf({ data, channels }: RawImage): number {
  const seen = new Set<number>();
  for (let at = 0; at < data.length; at += channels) seen.add(data.readUIntBE(at, channels));
  return seen.size;
}

async function assertSize(bytes: Uint8Array): Promise<void> {
  const { width, height } = await sharp(bytes).metadata();
  assert.deepEqual([width, height], [PHOTO.width, PHOTO.height]);
}

describe('max_bytes', () => {
  it('is met with the best quality that fits, at the same size', async () => {
    verifies('id-photo.max-bytes', 'id-photo.quality-only');
    for (const kind of isNightly ? SCENES : (['photo', 'grain'] as const)) {
      const image = await source(scene(kind, 350, 450));
      const free = await idPhoto(image, PHOTO);
      assert.equal(free.outcome, 'done');
      for (const share of isNightly ? [0.8, 0.4, 0.2] : [0.8, 0.2]) {
        const max_bytes = Math.max(4000, Math.round(free.bytes.length * share));
        const { bytes, outcome } = await idPhoto(image, { ...PHOTO, max_bytes });
        if (outcome === 'unreachable') continue;
        assert.equal(outcome, 'target_met');
        assert.ok(bytes.length <= max_bytes, `${kind}: ${bytes.length} of ${max_bytes}`);
        // From quality 89 to 90, the chroma resolution doubles. This is the largest step in size.
        assert.ok(
          bytes.length > max_bytes * 0.6 || free.bytes.length <= max_bytes,
          `${kind}: only ${bytes.length} of ${max_bytes}`,
        );
        await assertSize(bytes);
      }
    }
  });

  it('does not change a file that already fits', async () => {
    const free = await idPhoto(await photo(), PHOTO);
    const { bytes, outcome } = await idPhoto(await photo(), { ...PHOTO, max_bytes: free.bytes.length });
    assert.equal(outcome, 'target_met');
    assert.deepEqual(bytes, free.bytes);
    const tighter = await idPhoto(await photo(), { ...PHOTO, max_bytes: free.bytes.length - 1 });
    assert.equal(tighter.outcome, 'target_met');
    assert.ok(tighter.bytes.length < free.bytes.length);
  });

  it('that cannot be met gives the smallest file, with a warning', { skip: nightlyOnly }, async () => {
    verifies('id-photo.max-bytes.unreachable', 'id-photo.quality-only');
    const grain = await source(scene('grain', 350, 450));
    for (const format of ['jpeg', 'png'] as const) {
      const smallest = await idPhoto(grain, { ...PHOTO, format, max_bytes: 1000 });
      assert.equal(smallest.outcome, 'unreachable', format);
      assert.ok(smallest.bytes.length > 1000);
      await assertSize(smallest.bytes);
      const max_bytes = smallest.bytes.length;
      if (format === 'jpeg') {
        const poor = await sharp(grain).jpeg({ quality: 10 }).toBuffer();
        assert.ok(max_bytes < poor.length, `${max_bytes} and ${poor.length}`);
      }
      const met = await idPhoto(grain, { ...PHOTO, format, max_bytes });
      assert.deepEqual([met.outcome, met.bytes.length], ['target_met', max_bytes], format);
      const missed = await idPhoto(grain, { ...PHOTO, format, max_bytes: max_bytes - 1 });
      assert.deepEqual([missed.outcome, missed.bytes.length], ['unreachable', max_bytes], format);
    }
  });

  it('is met by a PNG with a palette, only when necessary', { skip: nightlyOnly }, async () => {
    verifies('id-photo.max-bytes');
    const image = scene('photo', 350, 450);
    const free = await idPhoto(await source(image), { ...PHOTO, format: 'png' });
    assert.deepEqual(difference(await decode(free.bytes), image), { max: 0, mean: 0 });
    const max_bytes = Math.round(free.bytes.length / 3);
    const { bytes, outcome } = await idPhoto(await source(image), { ...PHOTO, format: 'png', max_bytes });
    assert.equal(outcome, 'target_met');
    assert.ok(bytes.length <= max_bytes);
    assert.ok(coloursOf(await decode(bytes)) <= 256);
    await assertSize(bytes);
  });

  it('is nearly used up by a PNG, although few palettes are tried', { skip: nightlyOnly }, async () => {
    verifies('id-photo.max-bytes', 'id-photo.quality-only');
    const image = await source(scene('photo', 350, 450));
    const png = (max_bytes?: number) =>
      idPhoto(image, { ...PHOTO, format: 'png', ...(max_bytes === undefined ? {} : { max_bytes }) });
    const smallest = (await png(1000)).bytes.length;
    const whole = (await png()).bytes.length;
    let last = 0;
    for (const times of [1, 1.3, 1.7, 2.2]) {
      const max_bytes = Math.round(smallest * times);
      assert.ok(max_bytes < whole);
      const { bytes, outcome } = await png(max_bytes);
      assert.equal(outcome, 'target_met');
      assert.ok(bytes.length <= max_bytes && bytes.length > max_bytes * 0.6, `${bytes.length} of ${max_bytes}`);
      assert.ok(bytes.length >= last);
      last = bytes.length;
    }
    assert.ok(last > smallest);
  });
});

describe('min_bytes', () => {
  for (const format of ['jpeg', 'png'] as const) {
    it(`pads a ${format} without changing its image`, async () => {
      verifies('id-photo.min-bytes', 'id-photo.quality-only');
      const free = await idPhoto(await photo(), { ...PHOTO, format });
      const min_bytes = free.bytes.length + 200_000;
      const padded = await idPhoto(await photo(), { ...PHOTO, format, min_bytes });
      assert.deepEqual([padded.outcome, padded.bytes.length, padded.dpi], ['target_met', min_bytes, 300]);
      assert.deepEqual(difference(await decode(padded.bytes), await decode(free.bytes)), { max: 0, mean: 0 });
      const enough = await idPhoto(await photo(), { ...PHOTO, format, min_bytes: 1000 });
      assert.deepEqual([enough.outcome, enough.bytes], ['target_met', free.bytes]);
    });
  }
});

describe('a range of bytes', () => {
  it('of a single size is met exactly', async () => {
    verifies('id-photo.min-bytes', 'id-photo.max-bytes');
    const free = await idPhoto(await photo(), PHOTO);
    for (const size of [20_000, free.bytes.length + 1, free.bytes.length + 3, 123_456]) {
      const { bytes, outcome } = await idPhoto(await photo(), { ...PHOTO, min_bytes: size, max_bytes: size });
      assert.deepEqual([bytes.length, outcome], [size, 'target_met']);
      await assertSize(bytes);
    }
  });

  it('of a preset is met', async () => {
    verifies('id-photo.preset', 'id-photo.preset.overridden');
    const image = await source(scene('grain', 420, 540));
    const own = await idPhoto(image, { preset: 'ca_visa_online' });
    assert.equal(own.outcome, 'target_met');
    assert.ok(own.bytes.length >= 61_440 && own.bytes.length <= 240_000, `${own.bytes.length}`);
    const overridden = await idPhoto(image, { preset: 'ca_visa_online', max_bytes: 100_000 });
    assert.ok(overridden.bytes.length >= 61_440 && overridden.bytes.length <= 100_000, `${overridden.bytes.length}`);
  });

  it('that is empty is rejected', async () => {
    await failureOf('conflicting_parameters', async () =>
      idPhoto(await photo(), { ...PHOTO, min_bytes: 3000, max_bytes: 2000 }),
    );
  });
});
