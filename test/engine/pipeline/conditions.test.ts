/** Every condition, met and not met. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type Condition,
  type ConditionFacts,
  condition,
  holds,
  usesField,
} from '../../../engine/pipeline/conditions.ts';
import { corpus, corpusSkipReason } from '../../support/corpus.ts';
import { flat, jpeg, pattern, png, sharpOf } from '../../support/test-images.ts';
import { verifies } from '../../support/verifies.ts';
import { plan, type RawStep } from './support.ts';

const FACTS: ConditionFacts = {
  width: 1000,
  height: 500,
  hasAlpha: false,
  bytes: 20_000,
  format: 'jpeg',
  animated: false,
  hasGps: true,
  dpi: 300,
};

/** Conditions that hold for the facts, and conditions that do not. */
const CASES: readonly [keyof Condition, readonly Condition[], readonly Condition[]][] = [
  ['min_width', [{ min_width: 1000 }, { min_width: 0 }], [{ min_width: 1001 }]],
  ['max_width', [{ max_width: 1000 }], [{ max_width: 999 }]],
  ['min_height', [{ min_height: 500 }], [{ min_height: 501 }]],
  ['max_height', [{ max_height: 500 }], [{ max_height: 499 }]],
  ['min_megapixels', [{ min_megapixels: 0.5 }], [{ min_megapixels: 0.51 }]],
  ['max_megapixels', [{ max_megapixels: 0.5 }], [{ max_megapixels: 0.49 }]],
  ['min_ratio', [{ min_ratio: 2 }], [{ min_ratio: 2.1 }]],
  ['max_ratio', [{ max_ratio: 2 }], [{ max_ratio: 1.9 }]],
  ['orientation', [{ orientation: 'landscape' }], [{ orientation: 'portrait' }, { orientation: 'square' }]],
  ['min_bytes', [{ min_bytes: 20_000 }], [{ min_bytes: 20_001 }]],
  ['max_bytes', [{ max_bytes: 20_000 }], [{ max_bytes: 19_999 }]],
  ['format', [{ format: 'jpeg' }, { format: ['png', 'jpeg'] }], [{ format: 'png' }, { format: ['png', 'gif'] }]],
  ['not_format', [{ not_format: 'png' }], [{ not_format: ['jpeg', 'png'] }]],
  ['has_alpha', [{ has_alpha: false }], [{ has_alpha: true }]],
  ['animated', [{ animated: false }], [{ animated: true }]],
  ['has_gps', [{ has_gps: true }], [{ has_gps: false }]],
  ['min_dpi', [{ min_dpi: 300 }], [{ min_dpi: 301 }]],
  ['max_dpi', [{ max_dpi: 300 }], [{ max_dpi: 299 }]],
  ['any', [{ any: [{ format: 'png' }, { min_width: 5 }] }], [{ any: [{ format: 'png' }, { max_width: 5 }] }]],
  ['not', [{ not: { format: 'png' } }], [{ not: { format: 'jpeg' } }]],
];

describe('a condition', () => {
  for (const [key, held, missed] of CASES) {
    it(`of ${key}`, () => {
      verifies('pipeline.step.when');
      for (const one of held) {
        assert.ok(holds(condition.parse(one), FACTS), JSON.stringify(one));
        assert.ok(usesField(one, key) && usesField({ any: [{ not: one }] }, key));
        assert.ok(!holds({ not: one }, FACTS));
      }
      for (const one of missed) assert.ok(!holds(condition.parse(one), FACTS), JSON.stringify(one));
    });
  }

  it('has every declared key here', () => {
    const named = CASES.map(([key]) => key);
    const known = Object.keys((condition as unknown as { shape: object }).shape);
    assert.deepEqual(named.toSorted(), known.toSorted());
  });

  it('is true when all its keys are', () => {
    assert.ok(holds({}, FACTS));
    assert.ok(!holds({ min_width: 10, max_height: 499 }, FACTS));
  });

  it('counts sides that differ by 2% as square', () => {
    const square = (width: number, height: number) => holds({ orientation: 'square' }, { ...FACTS, width, height });
    assert.deepEqual([square(100, 98), square(98, 100), square(100, 97), square(97, 100)], [true, true, false, false]);
  });

  it('is false for a resolution that is not recorded', () => {
    for (const one of [{ min_dpi: 0 }, { max_dpi: 1000 }]) assert.ok(!holds(one, { ...FACTS, dpi: undefined }));
  });

  it('is rejected with an unknown key', () => {
    assert.ok(!condition.safeParse({ min_weight: 3 }).success);
    assert.ok(!condition.safeParse({ not: { any: [{ wide: true }] } }).success);
  });
});

const STEP: RawStep = { op: 'adjust', params: { brightness: 10 } };

/** Returns whether the step runs on this image. */
async function stepRuns(source: Uint8Array, when: Condition, before: readonly RawStep[] = []): Promise<boolean> {
  const { steps } = await plan(source, [...before, { ...STEP, when }]);
  const { reason } = steps.at(-1)!;
  assert.ok(reason === null || reason === 'condition');
  return reason === null;
}

describe('the image of a condition', () => {
  it('is transparent when a pixel is, whatever the header says', async () => {
    const clear = await png(pattern(40, 30, 4));
    const opaque = await png(flat(40, 30, 1, 2, 3, 255));
    assert.deepEqual(
      [await stepRuns(clear, { has_alpha: true }), await stepRuns(opaque, { has_alpha: true })],
      [true, false],
    );
    assert.deepEqual(
      [await stepRuns(clear, { has_alpha: false }), await stepRuns(opaque, { has_alpha: false })],
      [false, true],
    );
    assert.ok(await stepRuns(await jpeg(pattern(40, 30)), { has_alpha: false }));
  });

  it('is as transparent as the previous steps have made it', async () => {
    // The left half of the image is opaque.
    const clear = await png(pattern(40, 30, 4));
    const left = { op: 'crop', params: { crop: '0,0,20,30' } };
    assert.ok(!(await stepRuns(clear, { has_alpha: true }, [left])));
    const photo = await jpeg(pattern(40, 30));
    const turn = (params: object) => ({ op: 'rotate', params: { rotate: 30, ...params } });
    assert.ok(await stepRuns(photo, { has_alpha: true }, [turn({})]));
    assert.ok(!(await stepRuns(photo, { has_alpha: true }, [turn({ background: '#ffffff' })])));
    assert.ok(await stepRuns(photo, { has_alpha: true }, [{ op: 'crop', params: { crop_shape: 'circle' } }]));
    const cut = (background?: string) => ({ op: 'remove_background', params: background ? { background } : {} });
    assert.ok(await stepRuns(photo, { has_alpha: true }, [cut()]));
    assert.ok(!(await stepRuns(clear, { has_alpha: true }, [cut('#ffffff'), { op: 'upscale' }])));
  });

  it('has the size that the previous steps have given it', async () => {
    const photo = await jpeg(pattern(400, 300));
    const half = { op: 'resize', params: { percent: 50 } };
    assert.deepEqual(
      [await stepRuns(photo, { max_width: 200 }), await stepRuns(photo, { max_width: 200 }, [half])],
      [false, true],
    );
    const upright = { op: 'rotate', params: { rotate: 90 } };
    assert.ok(await stepRuns(photo, { orientation: 'portrait', max_ratio: 0.75 }, [upright]));
  });

  it('has the bytes and the format of the source', async () => {
    const photo = await jpeg(pattern(400, 300));
    const half = { op: 'resize', params: { percent: 50 } };
    assert.ok(await stepRuns(photo, { min_bytes: photo.length, max_bytes: photo.length, format: 'jpeg' }, [half]));
    assert.ok(!(await stepRuns(photo, { min_bytes: photo.length + 1 })));
  });

  it('has the resolution that the source records', async () => {
    const dense = await sharpOf(pattern(40, 30)).withMetadata({ density: 144 }).png().toBuffer();
    assert.deepEqual([await stepRuns(dense, { min_dpi: 144 }), await stepRuns(dense, { max_dpi: 143 })], [true, false]);
  });

  it('has the location of a photograph', { skip: corpusSkipReason }, async () => {
    const located = corpus('jpeg/exif-samples--DSCN0010.jpg');
    assert.ok(located, 'a photograph with a position');
    assert.ok(await stepRuns(located, { has_gps: true }));
    assert.ok(await stepRuns(await jpeg(pattern(4, 3)), { has_gps: false }));
  });
});
