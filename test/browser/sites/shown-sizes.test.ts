/** What `npm run bench:shown-sizes` shows of 200 pages, of a few. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { noBrowser } from '../../support/browser.ts';
import { withFolder } from '../../support/folder.ts';
import { measureShownSizes } from '../../support/website/shown-sizes.ts';

describe('pages with the optimised files, in Chromium', { skip: noBrowser, timeout: 600_000 }, () => {
  it('show every image with as many pixels as it needs, in a box as before', async () => {
    await withFolder(async (dataDir) => {
      const sizes = await measureShownSizes(dataDir, { seed: 11, pages: 10 });
      assert.deepEqual(sizes.worse, []);
      assert.equal(sizes.replaced, sizes.images);
      // Most of those that are as small as they say are resized, and those that are not would have been.
      assert.ok(sizes.fixedResized >= sizes.fixed / 2, `${sizes.fixedResized} of ${sizes.fixed}`);
      assert.ok(sizes.worseIfBelieved > 20, `${sizes.worseIfBelieved}`);
    });
  });
});
