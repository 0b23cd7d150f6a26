import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { skipWithout } from '../support/tool.ts';
import {
  type Files,
  type LocalServerClient,
  packageFiles,
  photo,
  type ScannedImage,
  type Structured,
  sha256,
  snapshot,
  withLoadedPackage,
} from './desk.ts';

interface Plan extends Structured {
  plan_id: string;
  summary: Record<string, number>;
  files: { path: string; sha256_before: string; edits: Record<string, unknown>[] }[];
  images: { path: string; action: string; bytes: number; sha256: string }[];
  skipped: { file: string; line: number; raw: string; reason: string }[];
  diff: string;
  diff_truncated: boolean;
  next_diff_offset: number | null;
}

const preview = async (desk: LocalServerClient, args: Structured = {}) =>
  (await desk.call('preview_replacements', args)) as Plan;

/** Returns the lines that a diff adds. */
const added = ({ diff }: Plan): string[] =>
  diff
    .split('\n')
    .filter((line) => line.startsWith('+') && !line.startsWith('+++'))
    .map((line) => line.slice(1));

const apply = (desk: LocalServerClient, { plan_id }: Plan) =>
  desk.call('apply_replacements', { plan_id, approved: true });

describe('preview_replacements', () => {
  it('leaves packages inside the project alone', async () => {
    const data = await photo(1);
    const scanned = [{ at: '/img/hero.jpg', data }];
    const inside = Object.entries(await packageFiles(scanned)).map(([path, file]) => [`pkg/${path}`, file]);
    const more = { 'pkg/README.txt': '/img/hero.jpg', 'pkg/report.html': '<img src="/img/hero.jpg">' };
    const files = {
      'img/hero.jpg': data,
      'a.html': '<img src="/img/hero.jpg">',
      'map/mapping.json': '["/img/hero.jpg"]',
    };
    await withLoadedPackage({ ...files, ...more, ...Object.fromEntries(inside) }, scanned, async (desk) => {
      const { files: changed, skipped } = await preview(desk);
      assert.deepEqual(
        changed.map(({ path }) => path),
        ['a.html', 'map/mapping.json'],
      );
      assert.deepEqual(skipped, []);
    });
  });

  it('shows the edits and changes nothing', async () => {
    const data = await photo(1);
    const text = '<p>\n  <img src="/img/hero.jpg?v=3">\n';
    await withLoadedPackage(
      { 'img/hero.jpg': data, 'index.html': text },
      [{ at: '/img/hero.jpg', data }],
      async (desk) => {
        const before = await snapshot(desk.folder);
        const plan = await preview(desk);
        assert.match(plan.plan_id, /^plan_[0-9A-Z]{26}$/);
        assert.deepEqual(plan.files, [
          {
            path: 'index.html',
            sha256_before: sha256(text),
            edits: [
              { line: 2, column: 13, before: '/img/hero.jpg?v=3', after: '/img/hero.webp', seq: 1, confidence: 0.95 },
            ],
          },
        ]);
        const [image] = plan.images;
        assert.deepEqual([plan.images.length, image?.path, image?.action], [1, 'img/hero.webp', 'add']);
        const { bytes_saved, ...summary } = plan.summary;
        assert.deepEqual(summary, { files_changed: 1, edits: 1, images_added: 1, images_removed: 0, skipped: 0 });
        assert.equal(bytes_saved, data.length - image!.bytes);
        assert.deepEqual(added(plan), ['  <img src="/img/hero.webp">']);
        assert.equal(plan.diff_truncated, false);
        assert.equal(await desk.text(`.ic/plans/${plan.plan_id}.diff`), plan.diff);
        assert.deepEqual(await snapshot(desk.folder), before);
      },
    );
  });

  it('keeps the style of each URL', async () => {
    const data = await photo(2);
    const files: Files = {
      'src/img/my photo.jpg': data,
      'src/a/b/index.html': [
        '<img src="../../img/my%20photo.jpg">',
        '<img src="../../img/my photo.jpg#top">',
        '<img src="https://example.com/img/my%20photo.jpg?x=1&amp;y=2">',
        "<img src='//example.com/img/my%20photo.jpg'>",
        '<div style="background:url(&quot;/img/my%20photo.jpg&quot;)"></div>',
      ].join('\n'),
      'src/app.css': 'a{background:url(img/my\\ photo.jpg)} b{background:url("/img/my photo.jpg")}',
      'src/app.js': "import hero from './img/my photo.jpg';\nconst other = '/img/my%20photo.jpg';\n",
    };
    await withLoadedPackage(files, [{ at: '/img/my%20photo.jpg', data }], async (desk) => {
      const plan = await preview(desk);
      assert.deepEqual(added(plan), [
        '<img src="../../img/my%20photo.webp">',
        '<img src="../../img/my photo.webp#top">',
        '<img src="https://example.com/img/my%20photo.webp?x=1&amp;y=2">',
        "<img src='//example.com/img/my%20photo.webp'>",
        '<div style="background:url(&quot;/img/my%20photo.webp&quot;)"></div>',
        ...(plan.diff.match(/^\+a\{.*$/m) ?? []).map((line) => line.slice(1)),
        "import hero from './img/my photo.webp';",
        "const other = '/img/my%20photo.webp';",
      ]);
      assert.match(
        plan.diff,
        /^\+a\{background:url\(img\/my(?:\\ |%20)photo\.webp\)\} b\{background:url\("\/img\/my photo\.webp"\)\}$/m,
      );
      const { validation } = await apply(desk, plan);
      assert.deepEqual(validation, { ok: true, problems: [] });
    });
  });

  it('updates the type beside a URL, or leaves both', async () => {
    const [one, two] = [await photo(3), await photo(4)];
    const files: Files = {
      'a.jpg': one,
      'b.jpg': two,
      'c.jpg': await photo(5),
      'index.html': [
        '<picture><source type="image/jpeg" srcset="a.jpg 1x, b.jpg 2x"><img src="a.jpg"></picture>',
        '<picture><source srcset="a.jpg 1x, c.jpg 2x" type="image/jpeg"><img src="a.jpg"></picture>',
        '<link rel="preload" as="image" href="a.jpg" type="image/jpeg">',
      ].join('\n'),
      'a.css': 'a{background:image-set("a.jpg" type("image/jpeg") 1x)}',
    };
    const images = [
      { at: '/a.jpg', data: one },
      { at: '/b.jpg', data: two },
    ];
    await withLoadedPackage(files, images, async (desk) => {
      const plan = await preview(desk);
      assert.deepEqual(added(plan), [
        'a{background:image-set("a.webp" type("image/webp") 1x)}',
        '<picture><source type="image/webp" srcset="a.webp 1x, b.webp 2x"><img src="a.webp"></picture>',
        '<picture><source srcset="a.jpg 1x, c.jpg 2x" type="image/jpeg"><img src="a.webp"></picture>',
        '<link rel="preload" as="image" href="a.webp" type="image/webp">',
      ]);
      assert.deepEqual(
        plan.skipped.map(({ line, raw, reason }) => [line, raw, reason]),
        [[2, 'a.jpg', 'ambiguous']],
      );
    });
  });

  it('wraps plain images in a picture element, and swaps the URLs of the rest', async () => {
    const [one, two] = [await photo(6), await photo(7)];
    const files: Files = {
      'a.jpg': one,
      'b.jpg': two,
      'index.html': [
        '<img src="a.jpg" alt="x">',
        '<img srcset="a.jpg 1x, b.jpg 2x" src="a.jpg">',
        `<img src='a.jpg' srcset='a.jpg 300w, b.jpg 600w' sizes='(min-width: 1px) "x", 50vw'>`,
        '<img src="a.jpg" srcset="a.jpg 1x, other.jpg 2x">',
        '<a href="b.jpg">b</a>',
      ].join('\n'),
      'a.css': 'a{background:url(a.jpg)}',
    };
    const images = [
      { at: '/a.jpg', data: one },
      { at: '/b.jpg', data: two },
    ];
    await withLoadedPackage(files, images, async (desk) => {
      const plan = await preview(desk, { strategy: 'picture' });
      assert.deepEqual(added(plan), [
        'a{background:url(a.webp)}',
        '<picture style="display: contents"><source type="image/webp" srcset="a.webp" style="display: none"><img src="a.jpg" alt="x"></picture>',
        '<picture style="display: contents"><source type="image/webp" srcset="a.webp 1x, b.webp 2x" style="display: none"><img srcset="a.jpg 1x, b.jpg 2x" src="a.jpg"></picture>',
        `<picture style="display: contents"><source type="image/webp" srcset="a.webp 300w, b.webp 600w" sizes="(min-width: 1px) &quot;x&quot;, 50vw" style="display: none"><img src='a.jpg' srcset='a.jpg 300w, b.jpg 600w' sizes='(min-width: 1px) "x", 50vw'></picture>`,
        '<img src="a.webp" srcset="a.webp 1x, other.jpg 2x">',
        '<a href="b.webp">b</a>',
      ]);
      assert.deepEqual((await apply(desk, plan)).validation, { ok: true, problems: [] });
      // A second run finds nothing to do.
      const again = await preview(desk, { strategy: 'picture' });
      assert.deepEqual(again.files, []);
      await desk.fails('nothing_to_do', 'apply_replacements', { plan_id: again.plan_id, approved: true });
    });
  });

  it('edits only files that are included and not excluded', async () => {
    const data = await photo(8);
    const page = '<img src="/a.jpg">';
    const files: Files = {
      'a.jpg': data,
      'index.html': page,
      'blog/one.html': page,
      'blog/two.html': page,
      'test/page.test.js': "const x = '/a.jpg';",
    };
    await withLoadedPackage(files, [{ at: '/a.jpg', data }], async (desk) => {
      const paths = async (args: Structured) => (await preview(desk, args)).files.map(({ path }) => path);
      assert.deepEqual(await paths({}), ['blog/one.html', 'blog/two.html', 'index.html']);
      assert.deepEqual(await paths({ include: ['blog'] }), ['blog/one.html', 'blog/two.html']);
      assert.deepEqual(await paths({ include: ['blog/*.html'], exclude: ['two.html'] }), ['blog/one.html']);
      assert.deepEqual(await paths({ include: ['test/page.test.js'] }), ['test/page.test.js']);
      const { skipped } = await preview(desk, { exclude: ['blog/'] });
      assert.deepEqual(
        skipped.map(({ file, reason }) => [file, reason]),
        [
          ['blog/one.html', 'excluded'],
          ['blog/two.html', 'excluded'],
          ['test/page.test.js', 'test_or_story'],
        ],
      );
    });
  });

  it('prefers an existing file name to a pattern', async () => {
    const data = await photo(20);
    const page = '<img src="/a.jpg">';
    const files: Files = { 'a.jpg': data, 'pages/[slug].html': page, 'pages/s.html': page, 'sub/pages/x.html': page };
    await withLoadedPackage(files, [{ at: '/a.jpg', data }], async (desk) => {
      const paths = async (args: Structured) => (await preview(desk, args)).files.map(({ path }) => path);
      assert.deepEqual(await paths({ exclude: ['pages/[slug].html'] }), ['pages/s.html', 'sub/pages/x.html']);
      assert.deepEqual(await paths({ include: ['./pages/[slug].html'] }), ['pages/[slug].html']);
      assert.deepEqual(await paths({ include: ['pages/'] }), ['pages/[slug].html', 'pages/s.html']);
      assert.deepEqual(await paths({ exclude: ['PAGES/*.html'] }), [
        'pages/[slug].html',
        'pages/s.html',
        'sub/pages/x.html',
      ]);
    });
  });

  it('keeps an original that a page with invalid UTF-8 refers to', async () => {
    const data = await photo(21);
    const files: Files = {
      'é.jpg': data,
      'index.html': '<img src="é.jpg">',
      'old.html': Buffer.from('<img src="\xe9.jpg">', 'latin1'),
    };
    await withLoadedPackage(files, [{ at: '/%C3%A9.jpg', data }], async (desk) => {
      const { summary } = await preview(desk, { keep_originals: false });
      assert.deepEqual([summary.edits, summary.images_removed], [1, 0]);
    });
  });

  it('leaves a URL that spans two lines', async () => {
    const data = await photo(22);
    const files: Files = {
      'a.jpg': data,
      'a.css': 'a{background:url("/a.jpg")}\nb{background:url("/a.j\\\npg")}',
      'a.js': "const one = '/a.j\\\npg';\nconst two = '/a.jpg';",
    };
    await withLoadedPackage(files, [{ at: '/a.jpg', data }], async (desk) => {
      const plan = await preview(desk, { keep_originals: false });
      const { edits, skipped, images_removed: removed } = plan.summary;
      assert.deepEqual([edits, skipped, removed], [2, 2, 0]);
      assert.deepEqual(new Set(plan.skipped.map(({ reason }) => reason)), new Set(['ambiguous']));
    });
  });

  it('encodes spaces and commas of a URL for srcset', async () => {
    const data = await photo(23);
    const files: Files = { 'img/a b,.jpg': data, 'index.html': '<img src="/img/a b,.jpg">' };
    await withLoadedPackage(files, [{ at: '/img/a%20b,.jpg', data }], async (desk) => {
      assert.deepEqual(added(await preview(desk, { strategy: 'picture' })), [
        '<picture style="display: contents"><source type="image/webp" srcset="/img/a%20b%2C.webp" style="display: none"><img src="/img/a b,.jpg"></picture>',
      ]);
    });
  });

  it('treats a failed question as no', async () => {
    const data = await photo(24);
    const answer = () => {
      throw new Error('no person');
    };
    const files: Files = { 'a.jpg': data, 'index.html': '<img src="a.jpg">' };
    await withLoadedPackage(
      files,
      [{ at: '/a.jpg', data }],
      async (desk) => {
        const { plan_id } = await preview(desk);
        await desk.fails('approval_required', 'apply_replacements', { plan_id, approved: true });
        assert.equal(await desk.text('index.html'), '<img src="a.jpg">');
      },
      { answer },
    );
  });

  it('names new files after the sources, not after the built files', async () => {
    const data = await photo(1);
    const files = { 'src/profile-pic.jpg': data, 'src/app.js': "import pic from './profile-pic.jpg';\n" };
    await withLoadedPackage(files, [{ at: '/static/profile-pic.50ae26b1.jpg', data }], async (desk) => {
      const plan = await preview(desk);
      assert.deepEqual(
        plan.images.map(({ path }) => path),
        ['src/profile-pic.webp'],
      );
      assert.deepEqual(added(plan), ["import pic from './profile-pic.webp';"]);
    });
  });

  it('uses no name that is taken', async () => {
    const [one, two] = [await photo(9), await photo(10)];
    const files: Files = {
      'a.jpg': one,
      'a.webp': 'other',
      'b.jpg': two,
      'b.webp': 'other',
      'b.jpg.webp': 'other',
      'index.html': '<img src="a.jpg"><img src="b.jpg">',
    };
    const images: ScannedImage[] = [
      { at: '/a.jpg', data: one },
      { at: '/b.jpg', data: two },
    ];
    await withLoadedPackage(files, images, async (desk) => {
      const plan = await preview(desk);
      assert.deepEqual(added(plan), ['<img src="a.jpg.webp"><img src="b-2.webp">']);
      await apply(desk, plan);
      assert.equal(await desk.text('a.webp'), 'other');
      assert.equal(await desk.text('b.jpg.webp'), 'other');
    });
  });

  it('reuses the new file if it already exists', async () => {
    const data = await photo(11);
    await withLoadedPackage(
      { 'a.jpg': data, 'index.html': '<img src="a.jpg">' },
      [{ at: '/a.jpg', data }],
      async (desk) => {
        await apply(desk, await preview(desk));
        const before = await snapshot(desk.folder);
        // The page is edited back to the old image, but the new image stays.
        await writeFile(join(desk.folder, 'index.html'), '<img src="a.jpg" alt="">');
        const plan = await preview(desk);
        assert.deepEqual([plan.images, added(plan)], [[], ['<img src="a.webp" alt="">']]);
        const { images_added } = await apply(desk, plan);
        assert.deepEqual(images_added, []);
        await desk.call('rollback', { approved: true });
        assert.equal((await snapshot(desk.folder))['a.webp'], before['a.webp']);
      },
    );
  });

  it('removes an original only when nothing refers to it', async () => {
    const [one, two, three] = [await photo(12), await photo(13), await photo(14)];
    const files: Files = {
      'one.jpg': one,
      'two.jpg': two,
      'three.jpg': three,
      'index.html': '<img src="one.jpg"><img src="two.jpg"><img src="three.jpg">',
      'app.js': 'load("two" + ".jpg", base + "/three.jpg");',
    };
    const images = [
      { at: '/one.jpg', data: one },
      { at: '/two.jpg', data: two },
      { at: '/three.jpg', data: three },
    ];
    await withLoadedPackage(files, images, async (desk) => {
      const before = await snapshot(desk.folder);
      const plan = await preview(desk, { keep_originals: false });
      const removed = plan.images.filter(({ action }) => action === 'remove').map(({ path }) => path);
      assert.deepEqual(removed, ['one.jpg']);
      assert.equal((await preview(desk)).summary.images_removed, 0);
      await apply(desk, plan);
      assert.equal((await snapshot(desk.folder))['one.jpg'], undefined);
      await desk.call('rollback', { approved: true });
      assert.deepEqual(await snapshot(desk.folder), before);
    });
  });

  it('makes a diff that git applies with the same result', { skip: skipWithout('git') }, async () => {
    const data = await photo(15);
    const files: Files = {
      'a b/img/ž.jpg': data,
      'a b/crlf.html': '\ufeff<p>\r\n<img src="img/ž.jpg">\r\n',
      'a b/end.html': '<img src="img/%C5%BE.jpg">',
      'a b/latin1.html': Buffer.from('<p>caf\xe9</p>\n<img src="img/%C5%BE.jpg">\n', 'latin1'),
    };
    await withLoadedPackage(files, [{ at: '/img/%C5%BE.jpg', data }], async (desk) => {
      const plan = await preview(desk);
      // Files that are not UTF-8 are left alone.
      assert.equal(plan.summary.edits, 2);
      const before = await snapshot(desk.folder);
      await apply(desk, plan);
      const after = await snapshot(desk.folder);
      await desk.call('rollback', { approved: true });
      assert.deepEqual(await snapshot(desk.folder), before);
      execFileSync('git', ['apply', `.ic/plans/${plan.plan_id}.diff`], {
        cwd: desk.folder,
        env: { ...process.env, GIT_CEILING_DIRECTORIES: join(desk.folder, '..') },
      });
      const patched = await snapshot(desk.folder);
      for (const { path } of plan.files) assert.equal(patched[path], after[path], path);
    });
  });

  it('shortens a long diff, and writes all of it to a file', async () => {
    const data = await photo(16);
    const line = `<img src="/a.jpg" alt="${'x'.repeat(200)}">\n`;
    await withLoadedPackage(
      { 'a.jpg': data, 'index.html': line.repeat(1200) },
      [{ at: '/a.jpg', data }],
      async (desk) => {
        const plan = await preview(desk);
        assert.equal(plan.diff_truncated, true);
        const parts = [plan.diff];
        for (let next = plan.next_diff_offset; next !== null; ) {
          const part = await preview(desk, { plan_id: plan.plan_id, diff_offset: next });
          assert.equal(part.plan_id, plan.plan_id);
          parts.push(part.diff);
          next = part.next_diff_offset;
        }
        for (const part of parts) assert.ok(Buffer.byteLength(part) <= 20_000);
        assert.equal(parts.join(''), await desk.text(`.ic/plans/${plan.plan_id}.diff`));
        await desk.fails('invalid_parameter', 'preview_replacements', { plan_id: plan.plan_id, diff_offset: 1e9 });
        const whole = await desk.text(`.ic/plans/${plan.plan_id}.diff`);
        assert.ok(whole.startsWith(plan.diff) && whole.length > 400_000);
        assert.equal((await apply(desk, plan)).edits, 1200);
      },
    );
  });
});
