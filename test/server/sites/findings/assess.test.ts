import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assess } from '../../../../server/sites/findings/assess.ts';
import { NearDuplicates } from '../../../../server/sites/findings/near-duplicates.ts';
import { secondsOnSlow4g } from '../../../../server/sites/findings/totals.ts';
import type { SitePage } from '../../../../storage/records/site-pages.ts';
import { nameNumber } from '../../../../web-documents/names.ts';
import { makeRandom } from '../../../support/damage.ts';
import { ScanFixture } from '../../../support/scan-rows.ts';
import { verifies } from '../../../support/verifies.ts';

/** Returns the sums of a page. */
function sums(page: SitePage | undefined) {
  const { assets, references, imageRequests, imageBytes, bytesSaved, heaviestAssetSeq } = page!;
  return { assets, references, imageRequests, imageBytes, bytesSaved, heaviestAssetSeq };
}

describe('the assessment of a scan', () => {
  it('counts on each page only style sheet images that its elements may use', async () => {
    await ScanFixture.with(async (rows, { database }) => {
      for (const seq of [1, 2, 3]) await rows.page(seq);
      await rows.source(11, {});
      for (const seq of [1, 2, 3]) await rows.link(seq, 11);
      for (const [index, bytes] of [100, 200, 400].entries()) await rows.asset(index + 1, { bytes });
      const needed = (...names: string[]) => JSON.stringify(names.map((name) => [nameNumber(name)]));
      await rows.reference(11, 1, { role: 'css_background', needed: needed('.hero', '.banner') });
      await rows.reference(11, 2, { role: 'css_background', needed: needed() });
      await rows.reference(11, 3, { role: 'css_background' });
      const names = (...all: string[]) => new Uint8Array(Uint32Array.from(all.map(nameNumber)).buffer);
      await database.siteCrawl.changePage(rows.id, 1, { names: names('.list', '.banner') });
      await database.siteCrawl.changePage(rows.id, 2, { names: names('.list') });
      await assess(rows.context);
      const bytes = [1, 2, 3].map(async (seq) => (await database.siteInventory.page(rows.id, seq))!.imageBytes);
      assert.deepEqual(await Promise.all(bytes), [500, 400, 700], 'of the third nothing is known');
      assert.deepEqual(await Promise.all([1, 2, 3].map(async (seq) => (await rows.findAsset(seq)).pages)), [3, 3, 3]);
    });
  });

  it('sums up each page with its style sheets, and counts duplicates once', async () => {
    verifies('sites.pages.list');
    await ScanFixture.with(async (rows, { database }) => {
      for (const seq of [1, 2]) await rows.page(seq);
      await rows.page(3, { status: 'found', selected: 0 });
      await rows.page(4, { status: 'failed' });
      // Two style sheets that import each other, and an image sitemap.
      for (const seq of [11, 12]) await rows.source(seq, {});
      await rows.source(13, { kind: 'sitemap' });
      await rows.link(1, 11, 13);
      await rows.link(2, 11, 13);
      await rows.link(11, 12);
      await rows.link(12, 11);
      for (const [index, bytes] of [10_000, 20_000, 40_000, 80_000, 160_000, 320_000, 5, 700].entries())
        await rows.asset(index + 1, { bytes });
      await rows.output(1, { bytes: 4000 });
      await database.siteCrawl.changeAsset(rows.id, 1, { mapped: 1 });
      await rows.output(3, { bytes: 10_000, similarity: 0.9 });
      // On the first page: an image used twice, one with two candidates, one that only crawlers load, one inline.
      await rows.reference(1, 1);
      await rows.reference(1, 1, { lacksAlt: 1 });
      await rows.reference(1, 2, { role: 'img_srcset', imageNumber: 3, candidates: 2 });
      await rows.reference(1, 3, { role: 'img_srcset', imageNumber: 3, candidates: 2 });
      await rows.reference(1, 4, { role: 'og_image' });
      await database.siteCrawl.changeAsset(rows.id, 7, { kind: 'data_uri', status: 'skipped', skipReason: 'excluded' });
      await rows.reference(1, 7);
      // On both pages: the images of the style sheets. On the second page: the image that the sitemap names for it.
      await rows.reference(11, 5, { role: 'css_background' });
      await rows.reference(12, 5, { role: 'css_background' });
      await rows.reference(13, 8, { role: 'image_sitemap', pageSeq: 2 });
      await rows.reference(3, 6);
      await assess(rows.context);

      const page = async (seq: number) => await database.siteInventory.page(rows.id, seq);
      assert.deepEqual(sums(await page(1)), {
        assets: 6,
        references: 8,
        imageRequests: 3,
        imageBytes: 10_000 + 40_000 + 160_000,
        bytesSaved: 6000,
        heaviestAssetSeq: 5,
      });
      assert.deepEqual(sums(await page(2)), {
        assets: 2,
        references: 3,
        imageRequests: 1,
        imageBytes: 160_000,
        bytesSaved: 0,
        heaviestAssetSeq: 5,
      });
      assert.equal(JSON.parse((await page(1))!.issues).missing_alt, 1);
      assert.equal(JSON.parse((await page(1))!.issues).low_similarity, 1);
      assert.equal(JSON.parse((await page(2))!.issues).missing_alt, undefined);
      assert.deepEqual([(await page(1))!.optimization, (await page(2))!.optimization], ['partial', 'none']);
      assert.equal((await page(4))!.attention, '["failed"]');
      // The page was tried again and is not HTML.
      await database.siteCrawl.changePage(rows.id, 4, { status: 'skipped', skipReason: 'not_html' });
      await assess(rows.context);
      assert.equal((await page(4))!.attention, '[]');
      await database.siteCrawl.changePage(rows.id, 4, { status: 'failed', skipReason: null });
      await assess(rows.context);

      const pagesOf = await Promise.all([1, 5, 6, 8].map(async (seq) => (await rows.findAsset(seq)).pages));
      assert.deepEqual(pagesOf, [1, 2, 0, 1]);
      const { references, roles } = await rows.findAsset(1);
      assert.deepEqual([references, roles], [2, '["img_src"]']);

      const totals = JSON.parse((await database.siteScans.find(rows.id))!.totals!);
      const { issues, ...numbers } = totals;
      assert.equal(issues.missing_alt, 1);
      assert.deepEqual(numbers, {
        pages_found: 4,
        pages_selected: 3,
        pages_scanned: 2,
        pages_failed: 1,
        pages_skipped: 0,
        pages_over_limit: 0,
        references: 9,
        assets: 8,
        assets_unique: 8,
        assets_optimized: 2,
        assets_mapped: 1,
        assets_skipped: 1,
        assets_failed: 0,
        bytes_original: 630_700,
        bytes_optimized: 624_700,
        bytes_saved: 6000,
        saved_percent: 1,
        requests_charged: 0,
        package_pages_charged: 0,
      });

      // A second assessment has the same result.
      const before = await page(1);
      await assess(rows.context);
      assert.deepEqual(await page(1), before);
      assert.deepEqual(JSON.parse((await database.siteScans.find(rows.id))!.totals!), totals);
    });
  });

  it('says which pages need attention, and how much of them is replaced', async () => {
    await ScanFixture.with(async (rows, { database }) => {
      await rows.page(1, { needsJavascript: 1 });
      for (const seq of [2, 3, 4]) await rows.page(seq);
      await rows.asset(1, { status: 'failed', httpStatus: 404, bytes: null, sha256: null });
      await rows.asset(2, { bytes: 1_500_000 }, { gps: true });
      await rows.asset(3, { bytes: 1 });
      await rows.output(2);
      await database.siteCrawl.changeAsset(rows.id, 2, { mapped: 1 });
      await rows.reference(2, 1);
      await rows.reference(2, 2);
      await rows.reference(3, 2);
      await rows.reference(3, 3);
      await assess(rows.context);
      const pages = await Promise.all([1, 2, 3, 4].map((seq) => database.siteInventory.page(rows.id, seq)));
      assert.deepEqual(
        pages.map((page) => [page!.attention, page!.optimization]),
        [
          ['["needs_javascript"]', 'not_needed'],
          ['["broken_assets","privacy"]', 'complete'],
          ['["heavy","privacy"]', 'partial'],
          ['[]', 'not_needed'],
        ],
      );
      assert.deepEqual(JSON.parse((await database.siteScans.find(rows.id))!.warnings), ['needs_javascript']);
    });
  });

  it('uses the largest displayed size of an image, and of these the most certain', async () => {
    await ScanFixture.with(async (rows) => {
      await rows.page(1);
      // The images have 800 x 600 pixels, so a height of 100 is more than a width of 120.
      for (const seq of [1, 2, 3]) await rows.asset(seq);
      const shown = async (
        seq: number,
        source: string,
        width: number | null,
        height: number | null,
        role = 'img_src',
      ) =>
        await rows.reference(1, seq, { displayedSource: source, displayedWidth: width, displayedHeight: height, role });
      await shown(1, 'attribute', 300, null);
      await shown(1, 'sizes', 900, null);
      await shown(1, 'style', 400, 50);
      await shown(1, 'attribute', 5000, null, 'og_image');
      await shown(2, 'style', 120, null);
      await shown(2, 'style', null, 100);
      await shown(2, 'attribute', 110, 40);
      await shown(3, 'descriptor', 400, null);
      await shown(3, 'style', 400, 300);
      await shown(3, 'sizes', 400, null);
      await assess(rows.context);
      const largest = await Promise.all(
        [1, 2, 3].map(async (seq) => {
          const { displayedWidth, displayedHeight, displayedSource } = await rows.findAsset(seq);
          return [displayedWidth, displayedHeight, displayedSource];
        }),
      );
      assert.deepEqual(largest, [
        [900, null, 'sizes'],
        [null, 100, 'style'],
        [400, 300, 'style'],
      ]);
    });
  });

  it('reports changes since the previous scan', async () => {
    await ScanFixture.with(async (before, services) => {
      await before.page(1);
      for (const seq of [1, 2, 3]) {
        await before.asset(seq, { cacheControl: seq === 1 ? null : 'max-age=86400' });
        await before.reference(1, seq);
      }
      await assess(before.context);
      const rows = await before.next();
      // One image is gone, one is new and one has another file. One finding is gone, and one is new.
      await rows.page(1);
      await rows.asset(1);
      await rows.asset(2, { sha256: 'f'.repeat(64), bytes: 39_000 });
      await rows.asset(4, { redirects: 1 });
      for (const seq of [1, 2, 4]) await rows.reference(1, seq);
      await assess(rows.context);
      rows.close();
      const { changes } = (await services.database.siteScans.find(rows.id))!;
      const { issues_new, issues_fixed, ...others } = JSON.parse(changes!);
      assert.deepEqual(others, { assets_new: 1, assets_gone: 1, assets_changed: 1, bytes_delta: -1000 });
      const own = async (scan: ScanFixture, seq: number) => [...(await scan.findings(seq)).keys()].sort();
      const [fresh, gone] = [await own(rows, 4), await own(before, 3)];
      assert.ok(fresh.includes('redirected'));
      assert.equal(issues_new, fresh.length);
      // The findings of the image that is gone, and the missing header of the first image.
      assert.equal(issues_fixed, gone.length + 1);
      assert.equal((await services.database.siteScans.find(before.id))!.changes, null);
    });
  });

  it('compares only pages that both scans have read', async () => {
    await ScanFixture.with(async (before, services) => {
      const changesOf = async (rows: ScanFixture) => {
        await assess(rows.context);
        rows.close();
        const { changes } = (await services.database.siteScans.find(rows.id))!;
        return changes === null ? null : JSON.parse(changes);
      };
      for (const seq of [1, 2]) await before.page(seq);
      // A style sheet of both pages, and one of the second page only.
      for (const seq of [3, 4]) await before.source(seq, { kind: 'stylesheet' });
      await before.link(1, 3);
      await before.link(2, 3, 4);
      for (const seq of [1, 2, 3, 4]) await before.asset(seq, { cacheControl: null });
      for (const seq of [1, 2, 3, 4]) await before.reference(seq, seq);
      // Only on the second page does the first image lack alternative text.
      await before.reference(2, 1, { lacksAlt: 1 });
      await assess(before.context);

      const part = await before.next();
      await part.page(1);
      await part.source(3, { kind: 'stylesheet' });
      await part.link(1, 3);
      for (const seq of [1, 3]) {
        await part.asset(seq, { cacheControl: seq === 1 ? null : 'max-age=86400' });
        await part.reference(seq, seq);
      }
      const none = { assets_new: 0, assets_gone: 0, assets_changed: 0, bytes_delta: 0, issues_new: 0, issues_fixed: 0 };
      assert.deepEqual(await changesOf(part), { ...none, issues_fixed: 1 });

      const other = await before.next();
      await other.page(9);
      await other.asset(9);
      await other.reference(9, 9);
      assert.equal(await changesOf(other), null);
    });
  });
});

describe('the load time of saved bytes', () => {
  it('is calculated at 1,638,400 bits per second, to a tenth of a second', () => {
    assert.deepEqual([0, 10_239, 10_240, 204_800, 2_500_000].map(secondsOnSlow4g), [0, 0, 0.1, 1, 12.2]);
  });
});

describe('near duplicates', () => {
  it('are all found among many images, whichever bits differ', async () => {
    const random = makeRandom(7);
    const word = () => BigInt(random(2 ** 16)) | (BigInt(random(2 ** 16)) << 16n);
    const found = new NearDuplicates();
    const pairs = 3000;
    const print = (bits: bigint) => bits.toString(16).padStart(16, '0');
    for (let seq = 1; seq <= pairs; seq += 1) {
      const bits = (word() << 32n) | word();
      let near = bits;
      // Four different bits, far from each other.
      for (const part of [0, 16, 32, 48]) near ^= 1n << BigInt(part + random(16));
      found.add({ seq, fingerprint: print(bits), width: 800, height: 600, sha256: null });
      found.add({ seq: seq + pairs, fingerprint: print(near), width: 400, height: 300, sha256: null });
    }
    const near = await found.find();
    for (let seq = 1; seq <= pairs; seq += 1)
      assert.deepEqual([near.get(seq), near.get(seq + pairs)], [[seq + pairs], [seq]]);
  });

  it('exclude images that differ in five bits, have the same size, or are plain', async () => {
    const found = new NearDuplicates();
    const add = (seq: number, fingerprint: string, width: number) =>
      found.add({ seq, fingerprint, width, height: 100, sha256: null });
    add(1, '00000000ffffffff', 100);
    add(2, '0000001fffffffff', 200);
    add(3, '00000000ffffffff', 100);
    add(4, '0000000000000000', 100);
    add(5, '0000000000000000', 200);
    assert.deepEqual([...(await found.find())], []);
  });
});
