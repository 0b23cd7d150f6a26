/** A result that has less than its source says so, whichever operation made it. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import sharp from 'sharp';
import type { Warning } from '../../../engine/result.ts';
import { compress } from '../../support/engine.ts';
import { flat, png } from '../../support/test-images.ts';
import { blurFaces } from '../blur-faces/support.ts';
import { makePack } from '../favicon/pack.ts';
import { edit } from '../gif/support.ts';
import { idPhoto } from '../id-photo/support.ts';
import { pipeline } from '../pipeline/support.ts';

interface Choice {
  page?: number;
}

/** The warnings of each operation that makes an image, without those that the pages have nothing to do with. */
const OPERATIONS: Record<string, (file: Uint8Array, choice: Choice) => Promise<{ warnings: readonly Warning[] }>> = {
  compress: (file, choice) => compress(file, { format: 'png', ...choice }),
  'blur-faces': (file, choice) => blurFaces(file, { boxes: '1,1,9,9', format: 'png', ...choice }),
  favicon: async (file, choice) => (await makePack(file, choice)).result,
  gif: (file, choice) => edit(file, choice),
  'id-photo': (file, choice) => idPhoto(file, { width_mm: 10, height_mm: 10, dpi: 100, ...choice }),
};

describe('a source of several pages', () => {
  let file: Buffer;

  before(async () => {
    const pages = await Promise.all([png(flat(520, 520, 255, 0, 0)), png(flat(520, 520, 0, 0, 255))]);
    file = await sharp(pages, { join: { animated: true } })
      .tiff()
      .toBuffer();
  });

  for (const [name, run] of Object.entries(OPERATIONS)) {
    it(`makes ${name} warn unless a page is requested`, async () => {
      assert.deepEqual((await run(file, {})).warnings, ['pages_dropped']);
      for (const page of [1, 2]) assert.deepEqual((await run(file, { page })).warnings, []);
    });
  }

  it('makes a pipeline warn, in the dry run too', async () => {
    const { warnings, plan } = await pipeline(file, [{ op: 'convert', params: { format: 'png' } }]);
    assert.deepEqual([warnings, plan.warnings], [['pages_dropped'], ['pages_dropped']]);
  });
});

it('no source of one page makes an operation warn', async () => {
  const file = await png(flat(520, 520, 255, 0, 0));
  for (const run of Object.values(OPERATIONS)) assert.deepEqual((await run(file, {})).warnings, []);
});
