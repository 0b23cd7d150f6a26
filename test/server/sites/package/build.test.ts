import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { unzipSync } from 'fflate';
import { buildPackage, packageIdOf } from '../../../../server/sites/package/build.ts';
import { failureOf } from '../../../support/failure.ts';
import { withFolder } from '../../../support/folder.ts';
import { pattern, sharpOf } from '../../../support/test-images.ts';
import { skipWithout } from '../../../support/tool.ts';
import { verifies } from '../../../support/verifies.ts';
import { BUILT_AT, type ScanRows, withScanRows } from './rows.ts';

const NAMES = [
  'htaccess.txt',
  'mapping.csv',
  'mapping.json',
  'nginx.conf',
  'package.zip',
  'redirects.txt',
  'report.csv',
  'report.html',
];

const image = await sharpOf(pattern(400, 300)).webp().toBuffer();

/** Creates two pages, a style sheet, three mapped images and one that is not mapped. */
async function makeSite(rows: ScanRows): Promise<void> {
  await rows.scan();
  const home = await rows.page('https://example.com/', { title: 'Home', imageBytes: 20_000, bytesSaved: 12_000 });
  const about = await rows.page('https://example.com/about');
  const sheet = await rows.source('stylesheet', 'https://example.com/site.css');
  await rows.link(home.source, sheet);
  await rows.link(about.source, sheet);
  const hero = await rows.mapped('https://example.com/images/hero.jpg', image, {
    pages: 2,
    references: 3,
    roles: '["img_src","css_background"]',
  });
  await rows.reference(hero, about.source, '/images/hero.jpg');
  await rows.reference(hero, home.source, 'images/hero.jpg');
  await rows.reference(hero, sheet, '/images/hero.jpg');
  const logo = await rows.mapped('https://example.com/logo.png', 'logo', { pages: 2, approval: 'approved' });
  await rows.reference(logo, sheet, '../logo.png');
  await rows.mapped('https://cdn.example.com/a/photo.jpg', 'photo');
  const plain = await rows.asset('https://example.com/small.gif', { status: 'skipped', skipReason: 'no_gain' });
  await rows.finding(plain, 'missing_alt', 'warning');
}

describe('building a package', () => {
  verifies('sites.scans.update.package');

  it('writes every file, and a ZIP that another program can read', async () => {
    await withScanRows(async (rows) => {
      await makeSite(rows);
      await buildPackage(await rows.context());
      const listed = await rows.services.database.siteDownloads.list(rows.id);
      assert.deepEqual(
        listed.map(({ name }) => name),
        NAMES,
      );
      assert.ok(listed.every(({ builtAt }) => builtAt === BUILT_AT));
      const zip = await rows.download('package.zip');
      const files = unzipSync(zip);
      assert.deepEqual(Object.keys(files), [
        'AGENT.md',
        'README.txt',
        'files/_hosts/cdn.example.com/a/photo.webp',
        'files/images/hero.webp',
        'files/logo.webp',
        'mapping.csv',
        'mapping.json',
        'report.html',
        'rules/.htaccess',
        'rules/_redirects',
        'rules/nginx.conf',
      ]);
      assert.deepEqual(Buffer.from(files['files/images/hero.webp']!), image);
      const alone = { 'mapping.json': 'mapping.json', 'rules/.htaccess': 'htaccess.txt', 'report.html': 'report.html' };
      for (const [packed, name] of Object.entries(alone))
        assert.deepEqual(Buffer.from(files[packed]!), await rows.download(name));
      const { replacements } = await rows.mapping();
      for (const { to, to_sha256 } of replacements)
        assert.equal(createHash('sha256').update(files[to]!).digest('hex'), to_sha256);
      // The files live as long as their scan.
      const file = await rows.services.database.files.find(listed[0]!.fileId);
      assert.equal(file!.expiresAt, '9999-12-31T00:00:00.000Z');
    });
  });

  it('writes a ZIP that passes unzip -t', { skip: skipWithout('unzip') }, async () => {
    await withScanRows(async (rows) => {
      await makeSite(rows);
      await buildPackage(await rows.context());
      await withFolder(async (folder) => {
        const path = join(folder, 'package.zip');
        await writeFile(path, await rows.download('package.zip'));
        assert.match(execFileSync('unzip', ['-t', path], { encoding: 'utf8' }), /No errors detected/);
        assert.match(execFileSync('unzip', ['-v', path], { encoding: 'utf8' }), /1980-01-01 00:00.*files\/logo\.webp/);
      });
    });
  });

  it('describes the package and each replacement in mapping.json', async () => {
    await withScanRows(async (rows) => {
      await makeSite(rows);
      await buildPackage(await rows.context());
      const { replacements, settings, scanned_pages: pages, markup_places: places, ...head } = await rows.mapping();
      assert.deepEqual(head, {
        contract_version: 1,
        package_id: packageIdOf(rows.id, BUILT_AT),
        scan_id: rows.id,
        domain: 'example.com',
        created_at: BUILT_AT,
        totals: { pages_found: 1 },
      });
      assert.equal((settings as { quality: number }).quality, 80);
      assert.deepEqual(places, []);
      assert.equal(replacements.length, 3);
      assert.deepEqual(replacements[0], {
        seq: 1,
        from: 'https://example.com/images/hero.jpg',
        from_path: '/images/hero.jpg',
        raw: ['/images/hero.jpg', 'images/hero.jpg'],
        to: 'files/images/hero.webp',
        to_path: '/images/hero.webp',
        from_sha256: 'original of https://example.com/images/hero.jpg',
        from_bytes: 10_000,
        from_format: 'jpeg',
        from_width: 400,
        from_height: 300,
        to_sha256: createHash('sha256').update(image).digest('hex'),
        to_bytes: image.length,
        to_format: 'webp',
        to_width: 400,
        to_height: 300,
        saved_bytes: 10_000 - image.length,
        similarity: 0.99,
        approval: 'auto',
        srcset: [],
        unresized: null,
        avif: null,
        srcset_markup: null,
        roles: ['img_src', 'css_background'],
        pages: ['https://example.com/', 'https://example.com/about'],
        pages_total: 2,
      });
      assert.deepEqual(pages.slice(0, 2), ['https://example.com/', 'https://example.com/about']);
      assert.deepEqual([replacements[1]!.approval, replacements[1]!.pages.length], ['approved', 2]);
      const csv = (await rows.downloadText('mapping.csv')).split('\r\n');
      assert.equal(
        csv[0],
        'seq,from,to_path,from_bytes,to_bytes,saved_bytes,from_format,to_format,width,height,similarity,approval,pages_total',
      );
      assert.equal(csv[2], '2,https://example.com/logo.png,/logo.webp,10000,4,9996,jpeg,webp,400,300,0.99,approved,2');
      assert.deepEqual([csv.length, csv.at(-1)], [5, '']);
    });
  });

  it('lists the references with fixable markup, and for each image the first of similar ones', async () => {
    await withScanRows(async (rows) => {
      await makeSite(rows);
      const about = { page: 'https://example.com/about', source: 2 };
      const icon = await rows.asset('https://example.com/icon.svg', { kind: 'vector', sha256: null, bytes: null });
      await rows.finding(icon, 'missing_alt', 'warning');
      await rows.finding(icon, 'missing_lazy', 'notice');
      const shown = { tag: 'img', role: 'img_src', line: 7, column: 12 } as const;
      await rows.reference(icon, about.source, 'icon.svg', { ...shown, imageNumber: 5, lacksAlt: 1 });
      await rows.reference(icon, about.source, '/icon.svg', { ...shown, imageNumber: 6, lacksDimensions: 1 });
      await rows.reference(icon, about.source, '/icon.svg', { ...shown, imageNumber: 7, preloaded: 1, lazy: 1 });
      // Neither of these is an `img` that is shown by its `src`.
      await rows.reference(icon, about.source, '/icon.svg', { role: 'link_icon', tag: 'link', lacksAlt: 1 });
      await rows.reference(icon, about.source, '/icon.svg', { ...shown, inNoscript: 1, lacksAlt: 1 });
      const other = await rows.asset('https://example.com/fine.png');
      await rows.finding(other, 'heavy', 'warning');
      await rows.reference(other, about.source, 'fine.png', { ...shown, imageNumber: 3, lacksAlt: 1 });
      for (let number = 0; number < 30; number += 1) {
        const page = await rows.page(`https://example.com/many/${number}`);
        await rows.reference(icon, page.source, '/icon.svg', { ...shown, imageNumber: 1, lacksAlt: 1 });
      }
      const failed = await rows.page('https://example.com/failed', { status: 'failed' });
      await rows.reference(icon, failed.source, '/icon.svg', { ...shown, imageNumber: 9, lacksAlt: 1 });
      await buildPackage(await rows.context());
      const { markup_places: places } = await rows.mapping();
      const own = { from: 'https://example.com/icon.svg', from_sha256: null, from_bytes: null };
      assert.deepEqual(places.slice(0, 3), [
        {
          ...own,
          raw: 'icon.svg',
          page: about.page,
          line: 7,
          column: 12,
          is_first: true,
          findings: ['missing_alt'],
        },
        {
          ...own,
          raw: '/icon.svg',
          page: about.page,
          line: 7,
          column: 12,
          is_first: false,
          findings: ['missing_dimensions', 'missing_lazy'],
        },
        { ...own, raw: '/icon.svg', page: about.page, line: 7, column: 12, is_first: true, findings: [] },
      ]);
      // At most twenty places that are alike, including the first.
      assert.deepEqual([places.length, places.at(-1)!.page], [22, 'https://example.com/many/18']);
    });
  });

  it('makes the same bytes from the same rows', async () => {
    await withScanRows(async (rows) => {
      await makeSite(rows);
      const built = async () => {
        await buildPackage(await rows.context());
        return await Promise.all(NAMES.map(async (name) => (await rows.download(name)).toString('base64')));
      };
      assert.deepEqual(await built(), await built());
    });
  });

  it('replaces the previous package and deletes its files', async () => {
    await withScanRows(async (rows) => {
      await makeSite(rows);
      await buildPackage(await rows.context());
      const before = await rows.services.database.siteDownloads.list(rows.id);
      const used = rows.services.results.usedBytes;
      await rows.db.updateTable('siteAssets').set({ mapped: 0 }).where('seq', '=', 2).execute();
      await buildPackage(await rows.context());
      assert.deepEqual(
        (await rows.mapping()).replacements.map(({ seq }) => seq),
        [1, 3],
      );
      for (const { fileId } of before) {
        assert.equal(await rows.services.database.files.find(fileId), undefined);
        await failureOf('not_found', () => rows.services.results.open({ id: fileId }));
      }
      assert.ok(rows.services.results.usedBytes < used);
    });
  });

  it('builds an empty package if nothing became smaller', async () => {
    await withScanRows(async (rows) => {
      await rows.scan();
      await buildPackage(await rows.context());
      assert.deepEqual((await rows.mapping()).replacements, []);
      assert.match(await rows.downloadText('report.html'), /No image of this website/);
    });
  });

  it('keeps the previous package and no new files when it is interrupted', async () => {
    await withScanRows(async (rows) => {
      await makeSite(rows);
      await buildPackage(await rows.context());
      const before = await rows.services.database.siteDownloads.list(rows.id);
      const used = rows.services.results.usedBytes;
      const breaker = new AbortController();
      const tell = () => breaker.abort(new RangeError('cancelled'));
      await assert.rejects(buildPackage(await rows.context({ signal: breaker.signal, tell })), RangeError);
      assert.deepEqual(await rows.services.database.siteDownloads.list(rows.id), before);
      assert.equal(rows.services.results.usedBytes, used);
    });
  });

  it('lists nothing of a scan that was cancelled during the build', async () => {
    await withScanRows(async (rows) => {
      await makeSite(rows);
      const used = rows.services.results.usedBytes;
      const context = await rows.context();
      const tell = () => void rows.db.updateTable('siteScans').set({ status: 'cancelled' }).execute();
      await buildPackage({ ...context, tell });
      assert.deepEqual(await rows.services.database.siteDownloads.list(rows.id), []);
      assert.equal(rows.services.results.usedBytes, used);
    });
  });

  it('fails if a new file is gone, and leaves nothing behind', async () => {
    await withScanRows(async (rows) => {
      await makeSite(rows);
      const { fileId, bytes } = (await rows.services.database.siteMapping.outputs(rows.id, [2]))[0]!;
      const used = rows.services.results.usedBytes;
      await rows.services.results.discard({ id: fileId });
      await failureOf('not_found', async () => await buildPackage(await rows.context()));
      assert.equal(rows.services.results.usedBytes, used - bytes);
    });
  });

  it('refuses what a ZIP cannot hold before it packs anything', async () => {
    await withScanRows(async (rows) => {
      await makeSite(rows);
      const used = rows.services.results.usedBytes;
      await rows.db
        .updateTable('siteOutputs')
        .set({ bytes: 3 * 2 ** 30 })
        .execute();
      const failure = await failureOf('file_too_large', async () => await buildPackage(await rows.context()));
      assert.match(
        failure.message,
        /^Expected at most 65,527 new files of 3\.9 GiB together for a package but received more/,
      );
      assert.equal(rows.services.results.usedBytes, used);
    });
  });
});
