/** The sizes in a plan equal those of the run, to the pixel. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { nightlyOnly } from '../../support/nightly.ts';
import { jpeg, pattern, png } from '../../support/test-images.ts';
import { verifies } from '../../support/verifies.ts';
import { pipeline, type RawStep } from './support.ts';

const resize = (params: object): RawStep => ({ op: 'resize', params });
const rotate = (degrees: number): RawStep => ({ op: 'rotate', params: { rotate: degrees } });
const ratio = (crop_ratio: string): RawStep => ({ op: 'crop', params: { crop_ratio } });

const ANGLES = [1, 7, 33, 45, 89, 90, 91, 123, 180, 181, 270, 359, -1, -45, -200];
const SIZES = [
  [1, 1],
  [1, 97],
  [53, 31],
  [200, 113],
] as const;

const CHAINS: readonly (readonly [string, readonly RawStep[]])[] = [
  ['ratios', [ratio('3:2'), ratio('1:7'), ratio('0.5:0.3')]],
  ['ratio, angle, size', [ratio('16:9'), rotate(17), resize({ width: 61 })]],
  ['two angles', [rotate(12), rotate(-12)]],
  ['angle, border, angle', [rotate(5), { op: 'border', params: { border: 3 } }, rotate(100)]],
  ['percent', [resize({ percent: 33 }), resize({ percent: 77 }), resize({ percent: 1 })]],
  ['cover', [resize({ width: 37, height: 41, fit: 'cover', enlarge: true })]],
  ['contain', [resize({ width: 37, height: 410, fit: 'contain' })]],
  ['contain in less', [resize({ width: 370, height: 41, fit: 'contain', max_width: 91, max_height: 17 })]],
  ['exact', [resize({ width: 3, height: 200, fit: 'exact', enlarge: true })]],
  ['one side', [resize({ height: 19, enlarge: true })]],
  [
    'print',
    [resize({ print_width: 12.7, dpi: 144 }), resize({ print_width: 5, print_height: 5, dpi: 300, fit: 'cover' })],
  ],
  [
    'pad',
    [{ op: 'pad', params: { width: 77, height: 3 } }, rotate(90), { op: 'pad', params: { width: 3, height: 99 } }],
  ],
  ['circle', [{ op: 'crop', params: { crop_ratio: '1:1', crop_shape: 'circle' } }, rotate(30)]],
  ['photo', [rotate(8), { op: 'id_photo', params: { width: 120, height: 160 } }]],
  ['sheet', [{ op: 'id_photo', params: { width_mm: 35, height_mm: 45, dpi: 72, sheet: true } }]],
  ['icon', [rotate(20), { op: 'compress', params: { format: 'ico' } }]],
];

describe('planned sizes', () => {
  for (const [width, height] of SIZES) {
    const skip = (width > 100 || height > 90) && nightlyOnly;

    it(`of ${width} x ${height} pixels turned by any angle`, { skip }, async () => {
      verifies('pipeline.dry-run.sizes');
      const source = await png(pattern(width, height));
      for (const degrees of ANGLES) {
        const ran = await pipeline(source, [rotate(degrees), { op: 'convert', params: { format: 'png' } }]);
        const { width: turned, height: tall } = await sharp(ran.bytes).metadata();
        assert.deepEqual([turned, tall], [ran.plan.steps[0]?.width, ran.plan.steps[0]?.height], `${degrees}`);
      }
    });

    it(`of ${width} x ${height} pixels after several steps`, { skip }, async () => {
      verifies('pipeline.dry-run.sizes');
      // A JPEG is decoded at a smaller size if the first step allows it.
      for (const source of [await png(pattern(width, height)), await jpeg(pattern(width * 9, height * 9))]) {
        for (const [name, steps] of CHAINS) {
          const ran = await pipeline(source, steps);
          const read = await sharp(ran.bytes)
            .metadata()
            .catch(() => undefined);
          // sharp does not read icons. Their directory contains the size.
          const size = read ? [read.width, read.height] : [ran.bytes[6] || 256, ran.bytes[7] || 256];
          assert.deepEqual(size, [ran.plan.result.width, ran.plan.result.height], name);
        }
      }
    });
  }
});
