/** Photos that are placed on a face: the arithmetic, and real faces at known positions. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import type { IdPhotoResult } from '../../../engine/operations/id-photo/definition.ts';
import { alignHead, headOf, headRange } from '../../../engine/operations/id-photo/head.ts';
import { type IdPhotoParams, idPhotoParams } from '../../../engine/operations/id-photo/params.ts';
import { PRESETS } from '../../../engine/operations/id-photo/presets.ts';
import { sourceParams } from '../../../engine/operations/parameters.ts';
import { ownBuffer, testModelEngine } from '../../support/engine.ts';
import { failureOf } from '../../support/failure.ts';
import { decode, pattern, pixel, png } from '../../support/test-images.ts';
import { verifies } from '../../support/verifies.ts';
import { ASTRONAUT, astronaut, findFaces, noFaces, withFaces } from '../faces/support.ts';
import { pipeline } from '../pipeline/support.ts';
import { idPhoto } from './support.ts';

const declaration = idPhotoParams.extend(sourceParams.shape);

async function aligned(image: Uint8Array, options: Partial<IdPhotoParams>): Promise<IdPhotoResult & { bytes: Buffer }> {
  const params = declaration.parse({ align: 'face', format: 'png', ...options });
  const result = await (await testModelEngine()).run('id-photo', { image: { data: ownBuffer(image) }, params });
  return { ...result, bytes: Buffer.from(result.data) };
}

const photo = { size: { width: 350, height: 450 }, dpi: 254, preset: undefined };
const image = { width: 1000, height: 1000 };
const head = { eyes: { x: 500, y: 500 }, height: 300, slope: 0 };

describe('the place of a head', () => {
  it('is from the chin of the box to as far above the eyes, also where the face is sloped', () => {
    const landmarks = {
      eyes: [
        { x: 80, y: 100 },
        { x: 120, y: 100 },
      ],
      mouth: [
        { x: 85, y: 140 },
        { x: 115, y: 140 },
      ],
    } as const;
    const face = { x: 60, y: 70, width: 80, height: 100, score: 1, landmarks };
    assert.deepEqual(headOf(face), { eyes: { x: 100, y: 100 }, height: 140, slope: 0 });
    const [left, right] = landmarks.eyes;
    const sloped = headOf({ ...face, landmarks: { ...landmarks, eyes: [left, { ...right, y: 140 }] } });
    assert.ok(Math.abs(sloped.slope - 45) < 1e-9);
  });

  it('has the range of the preset at any resolution, else that of ICAO 9303', () => {
    const preset = PRESETS.get('us_passport_print')!;
    const { min, max } = headRange({ size: { width: 600, height: 600 }, dpi: 300, preset });
    assert.ok(Math.abs(min - 25 / 50.8) < 1e-9 && Math.abs(max - 35 / 50.8) < 1e-9);
    assert.deepEqual(headRange(photo), { min: 0.7, max: 0.8 });
    // A photo that is smaller than the head of the preset.
    assert.deepEqual(headRange({ size: { width: 100, height: 100 }, dpi: 300, preset }), { min: 0.7, max: 0.8 });
  });

  it('is the middle of the range, with the eyes at 56%', () => {
    const { degrees, crop, isInRange, ...placed } = alignHead(image, head, photo);
    assert.deepEqual([degrees, isInRange], [0, true]);
    assert.ok(Math.abs(placed.eyes - 0.56) < 1e-9);
    assert.ok(Math.abs(placed.head - 0.75) < 1e-9);
    assert.deepEqual(crop, { x: 344, y: 324, width: 311, height: 400 });
  });

  it('moves inside its bounds where the image ends', () => {
    const { crop, isInRange, ...placed } = alignHead(image, { ...head, eyes: { x: 500, y: 165 } }, photo);
    assert.ok(isInRange && crop.y >= 0);
    assert.ok(placed.head >= 0.7 && placed.head <= 0.8 && placed.eyes > 0.56 && placed.eyes <= 0.6);
    const outside = alignHead(image, { ...head, eyes: { x: 500, y: 60 } }, photo);
    assert.deepEqual([outside.isInRange, outside.crop.y], [false, 0]);
  });

  it('is levelled from 5 to 15 degrees, where the image has the corners', () => {
    assert.equal(alignHead(image, { ...head, slope: 8 }, photo).degrees, -8);
    assert.equal(alignHead(image, { ...head, slope: 4 }, photo).degrees, 0);
    assert.equal(alignHead(image, { ...head, slope: 20 }, photo).degrees, 0);
    const tight = { width: 320, height: 410 };
    const cornered = alignHead(tight, { ...head, eyes: { x: 160, y: 180 }, slope: 8 }, photo);
    assert.deepEqual([cornered.degrees, cornered.isInRange], [0, true]);
  });
});

describe('align=face', { skip: noFaces }, () => {
  it('puts the largest face in the middle, at the size and height that the photo needs', async () => {
    verifies('id-photo.align');
    const small = await withFaces({ width: 800, height: 700 }, [{ x: 420, y: 260, width: 150 }]);
    const { bytes, alignment, warnings, width, height } = await aligned(await small.png().toBuffer(), {
      preset: 'generic_35x45',
    });
    assert.deepEqual([width, height, warnings], [413, 531, ['print_resolution_low']]);
    assert.ok(alignment?.isInRange);
    const [face] = (await findFaces(bytes)).faces;
    assert.ok(face);
    // Her eyes are at 56% of the photo, and the chin half a head of 75% below.
    assert.ok(Math.abs((face.y + face.height) / height - (0.44 + 0.375)) < 0.03, JSON.stringify(face));
    assert.ok(Math.abs((face.x + face.width / 2) / width - 0.5) < 0.05, JSON.stringify(face));
  });

  it('levels the eyes where they are visibly sloped', async () => {
    const tilted = await astronaut().rotate(-12, { background: '#808080' }).png().toBuffer();
    const { alignment, bytes } = await aligned(tilted, { width: 280, height: 360 });
    // The model measures slopes with an error of about 3 degrees.
    assert.ok(Math.abs(alignment!.degrees - 12) < 6, `${alignment!.degrees}`);
    const again = await aligned(bytes, { width: 280, height: 360 });
    assert.equal(again.alignment!.degrees, 0);
  });

  it('warns where there are several faces, or too little room', async () => {
    const places = [
      { x: 150, y: 150, width: 120 },
      { x: 500, y: 160, width: 90 },
    ];
    const two = await (await withFaces({ width: 800, height: 600 }, places)).png().toBuffer();
    const size = { width: 70, height: 90 };
    assert.deepEqual((await aligned(two, size)).warnings, ['low_confidence']);
    const { x, y, width, height } = ASTRONAUT;
    const cut = await astronaut().extract({ left: x, top: y, width, height }).png().toBuffer();
    assert.ok((await aligned(cut, size)).warnings.includes('head_out_of_range'));
  });

  it('is the same in a pipeline, also after another step', async () => {
    const file = await astronaut().png().toBuffer();
    const params = { width: 140, height: 180, align: 'face', format: 'png' };
    const alone = await aligned(file, { width: 140, height: 180 });
    const engine = await testModelEngine();
    const only = await pipeline(file, [{ op: 'id_photo', params }], { engine });
    assert.ok(Buffer.from(only.data).equals(alone.bytes));
    const flipped = await pipeline(
      file,
      [
        { op: 'flip', params: { flip: 'h' } },
        { op: 'id_photo', params },
      ],
      { engine },
    );
    const mirrored = await decode(await sharp(Buffer.from(flipped.data)).flop().png().toBuffer());
    const expected = await decode(alone.bytes);
    for (const [x, y] of [
      [70, 70],
      [40, 120],
      [100, 150],
    ] as const) {
      const [one, other] = [pixel(mirrored, x, y), pixel(expected, x, y)];
      assert.ok(
        one.every((sample, at) => Math.abs(sample - other[at]!) < 40),
        `${one} ${other}`,
      );
    }
  });

  it('refuses an image without a face', async () => {
    await failureOf('no_subject', async () => aligned(await png(pattern(300, 200)), { width: 70, height: 90 }));
  });
});

describe('align=face without a model or with a crop', () => {
  it('is refused', async () => {
    const options = { width: 70, height: 90, align: 'face' } as const;
    await failureOf('model_unavailable', async () => idPhoto(await png(pattern(20, 20)), options));
    const both = await failureOf('conflicting_parameters', async () =>
      idPhoto(await png(pattern(20, 20)), { ...options, crop: '0,0,10,10' }),
    );
    assert.equal(both.param, 'align');
  });
});
