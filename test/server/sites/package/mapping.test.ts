import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { mappedLines, readReplacements, replacementOf } from '../../../../server/sites/package/mapping.ts';
import { verifies } from '../../../support/verifies.ts';
import { collect, type ScanRows, withScanRows } from './rows.ts';

const SITE = 'https://example.com';

async function linesOf(rows: ScanRows) {
  const scan = (await rows.services.database.siteScans.find(rows.id))!;
  return await collect(mappedLines(rows.services.database, scan));
}

/** Returns the places of the new files of mapped assets at these addresses, each as `to` and `to_path`. */
async function placesOf(urls: readonly string[], others: readonly string[] = []): Promise<[string, string][]> {
  let places: [string, string][] = [];
  await withScanRows(async (rows) => {
    await rows.scan();
    for (const url of urls) await rows.mapped(url);
    for (const url of others) await rows.asset(url);
    places = (await linesOf(rows)).map(({ line: { to, to_path } }) => [to, to_path]);
  });
  return places;
}

describe('names of new files', () => {
  it('are the original names with the new extension, in the same folder', async () => {
    assert.deepEqual(
      await placesOf([
        `${SITE}/hero.jpg`,
        `${SITE}/a/b%20c/caf%C3%A9.PNG`,
        'http://www.example.com/photo.min.jpeg',
        'https://cdn.example.com/hero.jpg',
        'https://cdn.example.com:8443/hero.jpg',
      ]),
      [
        ['files/hero.webp', '/hero.webp'],
        ['files/a/b c/café.webp', '/a/b%20c/caf%C3%A9.webp'],
        ['files/photo.min.webp', '/photo.min.webp'],
        ['files/_hosts/cdn.example.com/hero.webp', '/hero.webp'],
        ['files/_hosts/cdn.example.com_8443/hero.webp', '/hero.webp'],
      ],
    );
  });

  it('keep the old extension if the short name is taken or would be, mapped or not', async () => {
    assert.deepEqual(
      await placesOf([`${SITE}/hero.jpg`, `${SITE}/hero.png`, `${SITE}/logo.jpg`], [`${SITE}/logo.webp`]),
      [
        ['files/hero.jpg.webp', '/hero.jpg.webp'],
        ['files/hero.png.webp', '/hero.png.webp'],
        ['files/logo.jpg.webp', '/logo.jpg.webp'],
      ],
    );
  });

  it('get a hash if the long name is taken too, or differs only in case', async () => {
    const places = await placesOf(
      [`${SITE}/hero.jpg`, `${SITE}/A/pic.jpg`, `${SITE}/a/PIC.jpg`],
      [`${SITE}/hero.webp`, `${SITE}/hero.jpg.webp`],
    );
    const shapes = [/^files\/hero-jpg--[0-9a-f]{12}\.webp$/, /^files\/A\/pic-jpg--[0-9a-f]{12}\.webp$/];
    for (const [index, shape] of shapes.entries()) assert.match(places[index]![0], shape);
    const folded = places.map(([to]) => to.toLowerCase());
    assert.equal(new Set(folded).size, 3);
  });

  it('are never those of the originals, even if the format stays', async () => {
    await withScanRows(async (rows) => {
      await rows.scan();
      await rows.mapped(`${SITE}/share.jpg`, 'a', {}, { format: 'jpeg' });
      await rows.mapped(`${SITE}/old.webp`, 'b');
      assert.deepEqual(
        (await linesOf(rows)).map(({ line }) => line.to_path),
        ['/share.min.jpg', '/old.min.webp'],
      );
    });
  });

  it('are safe on every system, whatever the URL', async () => {
    const strange = [
      `${SITE}/img.php?id=3`,
      `${SITE}/img.php?id=4`,
      `${SITE}/hero.jpg?v=${'x'.repeat(1500)}`,
      `${SITE}/aux.jpg`,
      `${SITE}/con/a.jpg`,
      `${SITE}/.git/hooks/a.jpg`,
      `${SITE}/a%2F..%2F..%2Fetc/b.jpg`,
      `${SITE}/..%5C..%5Cb.jpg`,
      `${SITE}/%00.jpg`,
      `${SITE}/%ff.jpg`,
      `${SITE}/e%CC%81.jpg`,
      `${SITE}/%c3%a9.jpg`,
      `${SITE}/%C3%89.jpg`,
      `${SITE}/%E2%80%AEgpj.jpg`,
      `${SITE}/a:b.jpg`,
      `${SITE}/dot./a.jpg`,
      `${SITE}//a.jpg`,
      `${SITE}/${'d'.repeat(150)}/${'n'.repeat(150)}.jpg`,
      `${SITE}/${'%E5%9B%BE'.repeat(80)}.jpg`,
      `${SITE}/noextension`,
      `${SITE}/`,
      `${SITE}/_hosts/cdn.example.com/a.jpg`,
      'https://cdn.example.com/a.jpg',
      `https://${'long.'.repeat(40)}example.com/a.jpg`,
      `${SITE}/x$y.jpg`,
      `${SITE}/hero--0123456789ab.jpg`,
    ];
    const places = await placesOf(strange);
    assert.equal(places.length, strange.length);
    assert.equal(new Set(places.map(([to]) => to.toLowerCase())).size, strange.length);
    for (const [to, toPath] of places) {
      assert.ok(to.startsWith('files/') && Buffer.byteLength(to) <= 200, to);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what may not be there
      assert.ok(!/[\u0000-\u001f<>:"|?*\\$%\u202e]/.test(to), to);
      for (const part of to.split('/')) {
        assert.ok(part !== '' && !/^\.|[. ]$/.test(part), to);
        assert.ok(!/^(con|aux)(\.|$)/i.test(part), to);
      }
      assert.match(toPath, /^(?:\/(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-F]{2})+)+$/);
      assert.ok(!decodeURIComponent(toPath).split('/').includes('..'), toPath);
    }
    assert.match(places[0]![1], /^\/img-php-id-3--[0-9a-f]{12}\.webp$/);
  });

  it('do not depend on which images are mapped', async () => {
    await withScanRows(async (rows) => {
      await rows.scan();
      await rows.mapped(`${SITE}/hero.jpg`);
      await rows.mapped(`${SITE}/hero.png`);
      const before = (await linesOf(rows))[1]!.line.to;
      await rows.db.updateTable('siteAssets').set({ mapped: 0 }).where('seq', '=', 1).execute();
      assert.equal((await linesOf(rows))[0]!.line.to, before);
    });
  });
});

describe('lines of the replacement map', () => {
  verifies('sites.assets.get');

  it('share the file of the first image with the same content, each at its own path', async () => {
    await withScanRows(async (rows) => {
      await rows.scan();
      const first = await rows.mapped(`${SITE}/a/logo.png`, 'logo');
      const own = { mapped: 1, chosen: 'o1', status: 'optimized', duplicateOf: first } as const;
      const second = await rows.asset(`${SITE}/b/sign.png`, own);
      await rows.mapped('http://example.com/a/logo.png', 'logo', { duplicateOf: first });
      const other = await rows.mapped(`${SITE}/b/other.png`, 'another result', { duplicateOf: first });
      const lines = await linesOf(rows);
      assert.deepEqual(
        lines.map(({ line }) => [line.seq, line.to, line.to_path]),
        [
          [first, 'files/a/logo.webp', '/a/logo.webp'],
          [second, 'files/a/logo.webp', '/b/sign.webp'],
          [3, 'files/a/logo.webp', '/a/logo.webp'],
          [other, 'files/b/other.webp', '/b/other.webp'],
        ],
      );
    });
  });

  it('list variants beside the chosen result', async () => {
    await withScanRows(async (rows) => {
      await rows.scan();
      const seq = await rows.mapped(`${SITE}/hero.jpg`, 'large', {}, { id: 'c2', kind: 'candidate' });
      await rows.db.updateTable('siteAssets').set({ chosen: 'c2' }).execute();
      await rows.output(seq, await rows.file('not chosen'), { id: 'o1' });
      await rows.output(seq, await rows.file('wide'), { id: 'w960', kind: 'variant', width: 960 });
      await rows.output(seq, await rows.file('small'), { id: 'w480', kind: 'variant', width: 480 });
      const [{ line, files }] = (await linesOf(rows)) as [Awaited<ReturnType<typeof linesOf>>[number]];
      assert.equal(line.to_bytes, 5);
      assert.deepEqual(
        line.srcset.map(({ to, to_path, width, bytes, sha256 }) => [to, to_path, width, bytes, sha256.length]),
        [
          ['files/hero.480w.webp', '/hero.480w.webp', 480, 5, 64],
          ['files/hero.960w.webp', '/hero.960w.webp', 960, 4, 64],
        ],
      );
      assert.deepEqual(
        files.map(({ name }) => name),
        ['files/hero.webp', 'files/hero.480w.webp', 'files/hero.960w.webp'],
      );
    });
  });

  it('include an unresized file beside a resized one', async () => {
    await withScanRows(async (rows) => {
      await rows.scan();
      const seq = await rows.mapped(`${SITE}/a b.jpg`, 'new', {}, { width: 100, height: 75 });
      await rows.output(seq, await rows.file('whole'), { id: 'f1', kind: 'candidate' });
      await rows.output(seq, await rows.file('small'), { id: 'w50', kind: 'variant', width: 50 });
      await rows.mapped(`${SITE}/plain.jpg`);
      const [{ line, files }, plain] = (await linesOf(rows)) as [
        Awaited<ReturnType<typeof linesOf>>[number],
        Awaited<ReturnType<typeof linesOf>>[number],
      ];
      const { sha256, ...unresized } = line.unresized!;
      assert.deepEqual([line.to_width, line.to_bytes, sha256.length], [100, 3, 64]);
      assert.deepEqual(unresized, {
        to: 'files/a b.400w.webp',
        to_path: '/a%20b.400w.webp',
        bytes: 5,
        width: 400,
        height: 300,
      });
      assert.equal(line.srcset_markup, '/a%20b.50w.webp 50w, /a%20b.webp 100w, /a%20b.400w.webp 400w');
      assert.deepEqual(
        files.map(({ name }) => name),
        ['files/a b.webp', 'files/a b.400w.webp', 'files/a b.50w.webp'],
      );
      assert.deepEqual([plain.line.unresized, plain.line.srcset_markup], [null, null]);
      // The larger file is chosen by hand, so there is no unresized file beside it.
      await rows.db.updateTable('siteAssets').set({ chosen: 'f1' }).where('seq', '=', seq).execute();
      await rows.db
        .updateTable('siteOutputs')
        .set({ kind: sql<'optimized'>`case when id = 'f1' then 'optimized' else 'candidate' end` })
        .where('id', 'in', ['f1', 'o1'])
        .where('assetSeq', '=', seq)
        .execute();
      const [chosen] = await linesOf(rows);
      assert.deepEqual([chosen!.line.to_width, chosen!.line.unresized], [400, null]);
    });
  });

  it('include an AVIF file beside each WebP file that is larger', async () => {
    await withScanRows(async (rows) => {
      await rows.scan();
      const seq = await rows.mapped(`${SITE}/a.jpg`, 'webp', {}, { width: 100, height: 75 });
      const candidate = { kind: 'candidate', format: 'avif' } as const;
      await rows.output(seq, await rows.file('whole'), { id: 'f1', kind: 'candidate' });
      await rows.output(seq, await rows.file('avi'), { ...candidate, id: 'a1', width: 100, height: 75 });
      await rows.output(seq, await rows.file('wide'), { ...candidate, id: 'a2' });
      const [{ line, files }] = (await linesOf(rows)) as [Awaited<ReturnType<typeof linesOf>>[number]];
      const { sha256: _, unresized, ...avif } = line.avif!;
      assert.deepEqual(avif, { to: 'files/a.avif', to_path: '/a.avif', bytes: 3, width: 100, height: 75 });
      assert.deepEqual([unresized!.to, unresized!.bytes, unresized!.width], ['files/a.400w.avif', 4, 400]);
      assert.deepEqual(
        files.map(({ name }) => name),
        ['files/a.webp', 'files/a.400w.webp', 'files/a.avif', 'files/a.400w.avif'],
      );
      const choose = async (id: string) => {
        await rows.db.updateTable('siteAssets').set({ chosen: id }).where('seq', '=', seq).execute();
        await rows.db
          .updateTable('siteOutputs')
          .set({ kind: sql<'optimized'>`case when id = ${id} then 'optimized' else 'candidate' end` })
          .where('assetSeq', '=', seq)
          .execute();
        return (await linesOf(rows))[0]!.line;
      };
      // The larger file is chosen by hand, with its own AVIF beside it.
      const larger = await choose('f1');
      assert.deepEqual([larger.avif?.width, larger.avif?.unresized], [400, null]);
      // The AVIF itself is chosen, so there is no AVIF beside it.
      const own = await choose('a1');
      assert.deepEqual([own.to_format, own.avif], ['avif', null]);
    });
  });

  it('name at most 20 pages in the order they were found, also through imported style sheets', async () => {
    await withScanRows(async (rows) => {
      await rows.scan();
      const inner = await rows.source('stylesheet', `${SITE}/inner.css`);
      const outer = await rows.source('stylesheet', `${SITE}/outer.css`);
      await rows.link(outer, inner);
      // Style sheets may import each other.
      await rows.link(inner, outer);
      const seq = await rows.mapped(`${SITE}/bg.png`, 'bg', { pages: 30 });
      await rows.reference(seq, inner, 'bg.png');
      for (let page = 1; page <= 30; page += 1) {
        const { source } = await rows.page(`${SITE}/${page}`, page === 2 ? { status: 'failed' } : {});
        await rows.link(source, outer);
        if (page === 25) await rows.reference(seq, source, '/bg.png');
      }
      const sitemap = await rows.source('sitemap', `${SITE}/sitemap.xml`);
      await rows.reference(seq, sitemap, `${SITE}/bg.png`, { pageSeq: 1 });
      const [{ line }] = (await linesOf(rows)) as [Awaited<ReturnType<typeof linesOf>>[number]];
      assert.deepEqual(
        line.pages,
        Array.from({ length: 21 }, (_, index) => `${SITE}/${index + 1}`).filter((_, index) => index !== 1),
      );
      assert.equal(line.pages_total, 30);
      assert.deepEqual(line.raw, ['bg.png', '/bg.png', `${SITE}/bg.png`]);
    });
  });

  it('are the same read one by one, in parts and all together', async () => {
    await withScanRows(async (rows) => {
      await rows.scan();
      for (let n = 0; n < 12; n += 1) await rows.mapped(`${SITE}/${n % 6}.${n < 6 ? 'jpg' : 'png'}`, `${n}`);
      const plain = await rows.asset(`${SITE}/plain.jpg`);
      const { database } = rows.services;
      const scan = (await database.siteScans.find(rows.id))!;
      const all = (await linesOf(rows)).map(({ line }) => line);
      assert.equal(all.length, 12);
      assert.deepEqual(await readReplacements(database, scan, { limit: 100 }), all);
      assert.deepEqual(await readReplacements(database, scan, { offset: 5, limit: 3 }), all.slice(5, 8));
      assert.deepEqual(await readReplacements(database, scan, { offset: 12, limit: 3 }), []);
      for (const line of all) assert.deepEqual(await replacementOf(database, scan, line.seq), line);
      for (const seq of [plain, 999, 0]) assert.equal(await replacementOf(database, scan, seq), null);
    });
  });
});
