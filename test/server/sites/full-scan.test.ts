import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { withFolder } from '../../support/folder.ts';
import { isNightly, nightlyOnly } from '../../support/nightly.ts';
import { type ScanTestReport, scanGeneratedSite } from '../../support/website/story.ts';

/** Large enough for every role, for missing images and for duplicate images. */
const SITE = isNightly ? { pages: 24, images: 50 } : { pages: 14, images: 22 };
const KILLS = 3;

describe('the scan of a whole website', { timeout: 600_000 }, () => {
  let undisturbed: ScanTestReport;

  before(async () => {
    undisturbed = await withFolder((dataDir) => scanGeneratedSite({ dataDir, ...SITE }));
  });

  it('finds every reference and nothing else', () => {
    const { scan, missed, wrong } = undisturbed;
    assert.equal(scan.status, 'done', JSON.stringify(scan));
    assert.deepEqual({ missed, wrong }, { missed: [], wrong: [] });
  });

  it('counts correctly', () => {
    const { expected, miscounted, scan } = undisturbed;
    assert.ok(expected.missing > 0 && expected.duplicates > 0, JSON.stringify(expected));
    assert.deepEqual(miscounted, {});
    const { totals } = scan;
    assert.ok(totals.bytes_saved! > 0 && totals.assets_mapped! > 0);
  });

  it('fetches each URL once', () => {
    assert.equal(undisturbed.askedAgain, 0);
  });

  it('gives the same result when killed midway, and charges nothing twice', { skip: nightlyOnly }, async () => {
    const killed = await withFolder((dataDir) => scanGeneratedSite({ dataDir, ...SITE, kills: KILLS, seed: 3 }));
    assert.equal(killed.kills, KILLS);
    assert.deepEqual({ missed: killed.missed, wrong: killed.wrong }, { missed: [], wrong: [] });
    assert.deepEqual(killed.scan, undisturbed.scan);
  });
});
