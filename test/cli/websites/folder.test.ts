import assert from 'node:assert/strict';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { addressOfPage, pagesOfFolder } from '../../../cli/websites/folder-pages.ts';
import { parseSize } from '../../../cli/websites/sizes.ts';
import { withSite } from '../../server/sites/runner/scan-desk.ts';
import { withFolder, writeFiles } from '../../support/folder.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { documentOf, drawTestImages, run } from './command.ts';

const image = (path: string) => `<img src="${path}" width="480" height="360" alt="A place">\n`;

describe('a website in a folder', { timeout: 600_000 }, () => {
  it('is scanned as it would be served, with every page and every name', { skip: nightlyOnly }, async () => {
    const images = await drawTestImages();
    const photo = (number: number) => images.file('photo', number);
    await withFolder(async (parent) => {
      const folder = join(parent, 'site');
      await writeFiles(parent, { 'outside.jpg': photo(9), 'private/outside.html': image('/a.jpg') });
      await writeFiles(folder, {
        'index.html': [
          '<link rel="stylesheet" href="css/site.css">',
          image('a.jpg'),
          '<a href="/about">About</a>',
        ].join('\n'),
        'about.html': image('/a%20photo.jpg') + image('100%25.jpg') + image('inside.jpg'),
        'nobody links/here & there.html': image('../%C5%BEaba.jpg') + image('../žaba.jpg?v=2'),
        'shop/index.htm':
          image('link.jpg') + image('folder/inner.jpg') + image('/bad%zz.jpg') + image('/../../outside.jpg'),
        'node_modules/doc/index.html': image('/a.jpg'),
        '.git/index.html': image('/a.jpg'),
        'css/site.css': '.hero { background: url("../css.jpg") }\n',
        'robots.txt': 'User-agent: *\nDisallow: /',
        'a.jpg': photo(1),
        'a photo.jpg': photo(2),
        '100%.jpg': photo(3),
        'žaba.jpg': photo(4),
        'css.jpg': photo(5),
        'unused.jpg': photo(6),
      });
      await symlink(join(parent, 'outside.jpg'), join(folder, 'shop', 'link.jpg'));
      await symlink(join(parent, 'private'), join(folder, 'shop', 'folder'));
      await symlink(join(folder, 'a.jpg'), join(folder, 'inside.jpg'));

      const result = await run(['scan', folder, '--json']);
      assert.deepEqual([result.status, result.err], [0, '']);
      const { scan, pages, assets } = documentOf(result);
      assert.deepEqual(
        pages.map(({ url, status }) => [url, status]),
        [
          ['http://localhost/', 'scanned'],
          ['http://localhost/about.html', 'scanned'],
          ['http://localhost/nobody%20links/here%20&%20there.html', 'scanned'],
          ['http://localhost/shop/index.htm', 'scanned'],
        ],
      );
      const found = assets.map(({ url, bytes }) => [url.replace('http://localhost/', ''), bytes]);
      assert.deepEqual(
        found.sort(),
        [
          ['a.jpg', photo(1).length],
          ['inside.jpg', photo(1).length],
          ['a%20photo.jpg', photo(2).length],
          ['100%25.jpg', photo(3).length],
          ['%C5%BEaba.jpg', photo(4).length],
          ['%C5%BEaba.jpg?v=2', photo(4).length],
          ['css.jpg', photo(5).length],
          ['shop/link.jpg', null],
          ['shop/folder/inner.jpg', null],
          ['bad%zz.jpg', null],
          ['outside.jpg', null],
        ].sort(),
      );
      assert.equal(scan.totals.issues.broken, 4);
      // How the folder will be served is unknown, so `no_cache` is not reported.
      assert.equal(scan.totals.issues.no_cache, undefined);

      const { status, out } = await run(['scan', folder, '--fail-on', 'findings=error']);
      assert.equal(status, 1);
      assert.match(out, /^site: 4 pages, 11 images, /);
      assert.match(out, /\n {2}shop\/link[.]jpg\n.+\n.+\n {6}in shop\/index[.]htm line 1\n/);
      assert.match(out, /\n {2}a photo[.]jpg {2}[\d.]+ kB to /);
    });
  });

  it('is read for URLs of the website, and nothing else of this machine is reachable', {
    skip: nightlyOnly,
  }, async () => {
    const images = await drawTestImages();
    const [own, foreign] = [images.file('photo', 1), images.file('photo', 2)];
    await withSite({ '/secret.jpg': foreign }, async (site) => {
      await withFolder(async (folder) => {
        await writeFiles(folder, {
          'index.html':
            image('https://www.example.com/blog/a.jpg') + image('/blog/b/c.jpg') + image(`${site.origin}/secret.jpg`),
          'a.jpg': own,
          'b/c.jpg': own,
        });
        const args = ['scan', folder, '--site', 'https://www.example.com/blog', '--json', '--delay-ms', '0'];
        const guarded = documentOf(await run(args));
        assert.deepEqual(
          guarded.pages.map(({ url }) => url),
          ['https://www.example.com/blog/'],
        );
        const bytesOf = (document: typeof guarded) => document.assets.map(({ bytes }) => bytes);
        assert.deepEqual(bytesOf(guarded), [own.length, own.length, null]);
        assert.equal(guarded.scan.domain, 'example.com');
        assert.deepEqual(site.requests, []);
        const allowed = documentOf(await run([...args, '--allow-private', '127.0.0.0/8']));
        assert.deepEqual(bytesOf(allowed), [own.length, own.length, foreign.length]);
      });
    });
  });

  it('is suggested for --site if its pages use the future URL', { skip: nightlyOnly }, async () => {
    const images = await drawTestImages();
    await withSite({}, async ({ origin, requests }) => {
      await withFolder(async (folder) => {
        const own = image(`${origin}/a.jpg`) + image(`${origin}/b.jpg`) + image('b.jpg');
        await writeFiles(folder, { 'index.html': own, 'a.jpg': images.file('photo', 1) });
        const { status, out } = await run(['scan', folder, '--delay-ms', '0']);
        assert.equal(status, 0);
        assert.ok(
          out.includes(`\nNote: 1 image of ${origin} lies in this folder: --site ${origin} reads it from there.\n`),
          out,
        );
        assert.deepEqual(requests, []);
      });
    });
  });

  it('requires a page', async () => {
    const images = await drawTestImages();
    await withFolder(async (folder) => {
      const refused = async (...args: string[]) => {
        const result = await run([...args, folder]);
        assert.deepEqual([result.status, result.out], [2, '']);
        return result.err;
      };
      assert.match(await refused('scan'), /^Expected a folder with pages .+ imagecrew compress FOLDER[.]\n$/);
      await writeFiles(folder, { 'a.jpg': images.file('photo', 1) });
      assert.match(await refused('optimize'), /^Expected a folder with pages .+ imagecrew compress FOLDER[.]\n$/);
      assert.match(await refused('scan', '--source', 'sitemap'), /^Expected no --source with a folder/);
    });
  });

  it('lists its pages by depth, index pages first', async () => {
    await withFolder(async (folder) => {
      const names = [
        'z.html',
        'INDEX.HTML',
        'b/index.html',
        'b/a.xhtml',
        'index.html',
        'a.htm',
        'a/b/c.html',
        'not.css',
      ];
      await writeFiles(folder, Object.fromEntries(names.map((name) => [name, ''])));
      assert.deepEqual(await pagesOfFolder(folder), [
        'index.html',
        'INDEX.HTML',
        'a.htm',
        'z.html',
        'b/index.html',
        'b/a.xhtml',
        'a/b/c.html',
      ]);
      // The pages of a package that was written into the folder are not pages of the website.
      await writeFiles(folder, { 'b/mapping.json': '', 'b/report.html': '', 'b/AGENT.md': '' });
      assert.deepEqual(await pagesOfFolder(folder), ['index.html', 'INDEX.HTML', 'a.htm', 'z.html', 'a/b/c.html']);
    });
  });

  it('gives each page a URL that leads back to its name', () => {
    const base = 'https://example.com/blog/';
    for (const [path, address] of [
      ['index.html', ''],
      ['a/index.html', 'a/'],
      ['a/index.htm', 'a/index.htm'],
      ['a b.html', 'a%20b.html'],
      ['100%25.html', '100%2525.html'],
      ['what?.html', 'what%3F.html'],
      ['a#b.html', 'a%23b.html'],
      ['http:x.html', 'http:x.html'],
      [' x\n.html', '%20x%0A.html'],
      ['ž.html', '%C5%BE.html'],
    ] as const) {
      assert.equal(addressOfPage(path, base), base + address);
      if (!path.endsWith('index.html')) assert.equal(decodeURIComponent(address), path);
    }
  });
});

describe('sizes', () => {
  it('accept units of 1000 and of 1024', () => {
    const sizes = {
      '0': 0,
      '200kB': 200_000,
      '200 KB': 200_000,
      '1.5MB': 1_500_000,
      '2KiB': 2048,
      '1mib': 1_048_576,
      '7B': 7,
    };
    for (const [text, bytes] of Object.entries(sizes)) assert.equal(parseSize(text), bytes, text);
    for (const text of ['', 'kB', '-1', '1e3', '1,5MB', '200kg', '0x10', '1 k B'])
      assert.equal(parseSize(text), undefined, text);
  });
});
