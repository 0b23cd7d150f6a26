/** The comparison of `npm run bench:shown-sizes`, with a few pages instead of 200. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withFolder } from '../../support/folder.ts';
import { browserSkipReason } from '../../support/separate-browser.ts';
import { measureShownSizes } from '../../support/website/shown-sizes.ts';

describe('pages with the optimized files, in Chromium', { skip: browserSkipReason, timeout: 600_000 }, () => {
  it('show every image with enough pixels, in an unchanged box', async () => {
    await withFolder(async (dataDir) => {
      const sizes = await measureShownSizes(dataDir, { seed: 11, pages: 10 });
      assert.deepEqual(sizes.worse, []);
      assert.equal(sizes.replaced, sizes.images);
      // Most images of fixed size are resized. If every declared size were believed, many others would lose pixels.
      assert.ok(sizes.fixedResized >= sizes.fixed / 2, `${sizes.fixedResized} of ${sizes.fixed}`);
      assert.ok(sizes.worseIfBelieved > 20, `${sizes.worseIfBelieved}`);
    });
  });
});
