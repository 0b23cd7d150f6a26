import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countedFindings } from '../../../../console/pages/websites/findings/texts.ts';
import { sumAllImages, sumAssets } from '../../../../console/pages/websites/images/all-images.ts';
import { ConcurrencyLimiter } from '../../../../console/pages/websites/images/concurrency-limiter.ts';
import { thumbnailPath } from '../../../../console/pages/websites/images/thumbnail-path.ts';
import { shortAddress } from '../../../../console/pages/websites/labels.ts';
import type { SiteAsset, SiteOutput } from '../../../../console/pages/websites/types.ts';

const image = { kind: 'raster', bytes: 1000, bytes_saved: 600, mapped: true, findings: [] } as const;
const found = { severity: 'warning' as const, message: '', references: [], places: [], data: {} };

describe('totals over images', () => {
  it('count mapped images as saved, and nothing that is inside a page', () => {
    const { kinds, savings } = sumAssets([
      { ...image, findings: [{ ...found, code: 'heavy', savings_bytes: 600 }] },
      { ...image, mapped: false, findings: [{ ...found, code: 'heavy', savings_bytes: 5 }] },
      { ...image, kind: 'vector', bytes: 3000, bytes_saved: 0, findings: [] },
      { ...image, kind: 'data_uri', findings: [] },
      { ...image, bytes: null, findings: [{ ...found, code: 'broken', savings_bytes: null }] },
    ]);
    assert.deepEqual(kinds, [
      { kind: 'vector', images: 1, before: 3000, saved: 0 },
      { kind: 'raster', images: 2, before: 2000, saved: 600 },
    ]);
    assert.deepEqual([...savings], [['heavy', 605]]);
  });

  it('read the list page by page, up to a limit', async () => {
    for (const total of [0, 700, 10_000]) {
      const asked: number[] = [];
      const listAssets = async (_id: string, { limit = 0, offset = 0 } = {}) => {
        asked.push(offset);
        const length = Math.max(0, Math.min(limit, total - offset));
        return { assets: Array.from({ length }, () => image as unknown as SiteAsset), total, limit, offset };
      };
      const sums = await sumAllImages({ listAssets }, 'scan_1', new AbortController().signal);
      assert.deepEqual([sums.images, sums.total], [Math.min(total, 2000), total]);
      assert.equal(asked.length, Math.max(1, Math.ceil(Math.min(total, 2000) / 500)));
    }
  });
});

describe('the file shown as a thumbnail', () => {
  const output = (id: string, bytes: number) =>
    ({ id, bytes, url: `http://x/api/v1/files/${id}?which=v` }) as SiteOutput;
  const asset = { seq: 3, kind: 'raster', status: 'ready', bytes: 5000, optimized: null, variants: [] } as const;

  it('is the smallest new file, or else the original if it is not large', () => {
    const variants = [output('w480', 100)];
    assert.equal(
      thumbnailPath('scan_1', { ...asset, optimized: output('o1', 900), variants }),
      '/api/v1/files/w480?which=v',
    );
    const original = '/api/v1/sites/scans/scan_1/assets/3/file?which=original';
    assert.equal(thumbnailPath('scan_1', { ...asset, variants: [] }), original);
    assert.equal(thumbnailPath('scan_1', { ...asset, variants: [], bytes: 50_000_000 }), undefined);
    assert.equal(thumbnailPath('scan_1', { ...asset, variants: [], status: 'failed' }), undefined);
    assert.equal(thumbnailPath('scan_1', { ...asset, variants: [], kind: 'data_uri' }), undefined);
  });
});

describe('ConcurrencyLimiter', () => {
  it('runs a limited number of calls at a time, and skips aborted ones', async () => {
    const turns = new ConcurrencyLimiter(2);
    const { signal } = new AbortController();
    let running = 0;
    let most = 0;
    const work = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
    };
    const gone = assert.rejects(
      Promise.all([
        ...Array.from({ length: 7 }, () => turns.run(work, signal)),
        turns.run(work, AbortSignal.abort(new Error('gone'))),
      ]),
      /gone/,
    );
    await gone;
    await turns.run(work, signal);
    assert.equal(most, 2);
  });
});

describe('texts', () => {
  it('list the worst findings first, then the most frequent', () => {
    const codes = countedFindings({
      duplicate: 9,
      heavy: 2,
      oversized: 5,
      broken: 1,
      third_party: 50,
      cmyk: 0,
      new_one: 3,
    });
    assert.deepEqual(
      codes.map(({ code }) => code),
      ['broken', 'oversized', 'heavy', 'duplicate', 'third_party', 'new_one'],
    );
  });

  it('omit the part of an address that the whole website shares', () => {
    assert.equal(shortAddress('https://www.example.com/a%20b.jpg?x=1', 'example.com'), '/a b.jpg?x=1');
    assert.equal(shortAddress('https://cdn.example.net/a.jpg', 'example.com'), 'cdn.example.net/a.jpg');
    assert.equal(shortAddress('https://example.com/%E0%A4.jpg', 'example.com'), '/%E0%A4.jpg');
    assert.equal(shortAddress('data:image/gif;sha256,00', 'example.com'), 'Inside a page');
  });
});
