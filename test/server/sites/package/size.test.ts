import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildPackage } from '../../../../server/sites/package/build.ts';
import { nightlyOnly } from '../../../support/nightly.ts';
import { withScanRows } from './rows.ts';

const ASSETS = 5000;
const FILE_BYTES = 30_000;
const CHUNK = 500;

const chunksOf = <T>(values: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(values.length / CHUNK) }, (_, index) =>
    values.slice(index * CHUNK, (index + 1) * CHUNK),
  );

describe('the package of a large website', () => {
  it('needs less memory than the package has bytes, and its report lists the largest entries', {
    skip: nightlyOnly,
  }, async () => {
    await withScanRows(async (rows) => {
      await rows.scan();
      const { source } = await rows.page('https://example.com/');
      // All assets share one file.
      const file = await rows.file(Buffer.alloc(FILE_BYTES, 7));
      const numbers = Array.from({ length: ASSETS }, (_, index) => index + 1);
      const { db, id: scanId } = rows;
      for (const chunk of chunksOf(numbers)) {
        const asset = (seq: number) => ({
          scanId,
          seq,
          url: `https://example.com/images/${seq}.jpg`,
          kind: 'raster' as const,
          status: 'optimized' as const,
          approval: 'auto' as const,
          mapped: 1,
          chosen: 'o1',
          bytes: 100_000 + seq,
          bytesSaved: 70_000 + seq,
          format: 'jpeg',
          sha256: `${seq}`,
        });
        const output = {
          id: 'o1',
          kind: 'optimized' as const,
          filename: 'x',
          format: 'webp',
          width: 4,
          height: 3,
          ...file,
        };
        const reference = {
          scanId,
          sourceSeq: source,
          role: 'img_src',
          displayedSource: 'unknown',
          line: 1,
          column: 1,
          inNoscript: 0,
          lacksDimensions: 0,
          lacksAlt: 0,
          lazy: 0,
          preloaded: 0,
          candidates: 1,
        };
        await db.insertInto('siteAssets').values(chunk.map(asset)).execute();
        await db
          .insertInto('siteOutputs')
          .values(chunk.map((assetSeq) => ({ scanId, assetSeq, ...output })))
          .execute();
        await db
          .insertInto('siteReferences')
          .values(chunk.map((seq) => ({ ...reference, seq, assetSeq: seq, raw: `images/${seq}.jpg` })))
          .execute();
      }
      const held = () => {
        const { heapUsed, arrayBuffers } = process.memoryUsage();
        return heapUsed + arrayBuffers;
      };
      const before = held();
      let most = before;
      const watch = setInterval(() => {
        most = Math.max(most, held());
      }, 10);
      let told = 0;
      const tell = () => {
        told += 1;
      };
      await buildPackage(await rows.context({ tell }));
      clearInterval(watch);
      const zip = (await rows.services.database.siteDownloads.find(scanId, 'package.zip'))!;
      assert.ok(zip.bytes > ASSETS * FILE_BYTES);
      assert.ok(most - before < zip.bytes, `${most - before} bytes of ${zip.bytes}`);
      assert.ok(told >= ASSETS / 100);
      assert.equal((await rows.mapping()).replacements.length, ASSETS);
      const report = await rows.downloadText('report.html');
      assert.equal(report.split('class="row image"').length - 1, 500);
      assert.match(report, /500 of 5,000 new files, largest savings first\. The rest is in mapping\.csv\./);
      assert.ok(report.includes('/images/5000.jpg') && !report.includes('/images/4000.jpg'));
      assert.equal((await rows.downloadText('report.csv')).split('\r\n').length, ASSETS + 2);
    });
  });
});
