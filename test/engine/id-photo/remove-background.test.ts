/** ID photos with a replaced background. The model treats a bright disc on a plain background like a person. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type IdPhotoParams, idPhotoParams } from '../../../engine/operations/id-photo/params.ts';
import { sourceParams } from '../../../engine/operations/parameters.ts';
import type { ImageResult } from '../../../engine/result.ts';
import { ownBuffer, testModelEngine } from '../../support/engine.ts';
import { failureOf } from '../../support/failure.ts';
import { modelsSkipReason } from '../../support/models.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { decode, flat, pattern, pixel, png } from '../../support/test-images.ts';
import { verifies } from '../../support/verifies.ts';
import { discImage } from '../remove-background/support.ts';
import { idPhoto } from './support.ts';

const PHOTO = { width: 140, height: 180, format: 'png', remove_background: true } as const;
const declaration = idPhotoParams.extend(sourceParams.shape);

async function idPhotoWithModel(
  image: Uint8Array,
  options: Partial<IdPhotoParams>,
): Promise<ImageResult & { bytes: Buffer }> {
  const params = declaration.parse(options);
  const result = await (await testModelEngine()).run('id-photo', { image: { data: ownBuffer(image) }, params });
  return { ...result, bytes: Buffer.from(result.data) };
}

const near = (actual: readonly number[], expected: readonly number[]) =>
  actual.every((sample, at) => Math.abs(sample - expected[at]!) <= 4);

describe('remove_background', () => {
  it('paints the background behind the subject, and nothing else', {
    skip: modelsSkipReason || nightlyOnly,
  }, async () => {
    verifies('id-photo.remove-background');
    const { photo } = discImage({ width: 560, height: 720, subject: [240, 200, 40], background: [30, 60, 160] });
    const result = await idPhotoWithModel(await png(photo), { ...PHOTO, background: '#10e010' });
    assert.deepEqual([result.width, result.height, result.warnings, result.outcome], [140, 180, [], 'done']);
    const painted = await decode(result.bytes);
    for (const [x, y] of [
      [0, 0],
      [139, 0],
      [0, 179],
      [139, 179],
      [70, 20],
      [10, 90],
    ] as const)
      assert.deepEqual(pixel(painted, x, y), [0x10, 0xe0, 0x10]);
    assert.ok(near(pixel(painted, 70, 90), [240, 200, 40]));
    for (let at = 0; at < painted.data.length; at += 3) assert.ok(painted.data[at + 2]! < 90, `blue at ${at / 3}`);
  });

  it('finds the subject in the whole image before cropping; the background defaults to white', {
    skip: modelsSkipReason || nightlyOnly,
  }, async () => {
    const { photo } = discImage({ width: 600, height: 400, background: [20, 90, 30] });
    // The crop shows only the lower half of the disc, which alone would look like a wall.
    const result = await idPhotoWithModel(await png(photo), { ...PHOTO, crop: '230,200,140,180' });
    const painted = await decode(result.bytes);
    assert.ok(near(pixel(painted, 70, 20), [240, 200, 40]));
    assert.deepEqual(pixel(painted, 70, 170), [255, 255, 255]);
  });

  it('warns when there is no subject', { skip: modelsSkipReason || nightlyOnly }, async () => {
    await failureOf('no_subject', async () => idPhotoWithModel(await png(flat(300, 300, 90, 110, 130)), PHOTO));
  });

  it('reports a missing model', async () => {
    const failure = await failureOf('model_unavailable', async () => idPhoto(await png(pattern(20, 20)), PHOTO));
    assert.equal(failure.status, 503);
    assert.ok((failure.retryAfter ?? 0) > 0);
  });
});
