import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import type { MarkupFinding, MarkupPlace } from '../../replacement-package/markup-place.ts';
import { type Files, type LocalServerClient, packageFiles, photo, snapshot, withLoadedPackage } from './desk.ts';
import { added, apply, HOST, place, preview } from './markup.ts';

const ALL: MarkupFinding[] = ['missing_dimensions', 'missing_lazy', 'missing_alt'];

/** Runs `work` on a project with one image, `a.jpg`, of 65 × 48 pixels. On `/` it has every markup finding. */
async function withImage<T>(
  files: (data: Buffer) => Files,
  work: (desk: LocalServerClient) => Promise<T>,
  more: { places?: (data: Buffer) => MarkupPlace[]; scannedPages?: string[] } = {},
): Promise<T> {
  const data = await photo(1);
  const markupPlaces = more.places?.(data) ?? [place('/a.jpg', data, ALL)];
  const scannedPages = more.scannedPages ?? [`${HOST}/`];
  return await withLoadedPackage({ 'a.jpg': data, ...files(data) }, [], work, { markupPlaces, scannedPages });
}

const SIZE = 'width="65" height="48"';
const ALT_TEXTS = [{ image: 'a.jpg', words: 'A red chair' }];

describe('preview_markup_fixes', () => {
  it('adds what is missing exactly as shown, and undoes it', async () => {
    const page = [
      '<!doctype html>\r\n<html><body>\r\n<p>\u010d</p>\r\n',
      '<img\r\n   src="/a.jpg" class="x">\r\n<img src=\'a.jpg\' alt="x" loading=eager width=1 height=1>\r\n',
      '</body></html>',
    ].join('');
    await withImage(
      () => ({ 'index.html': `\ufeff${page}`, 'other.html': '<p>no image</p>' }),
      async (desk) => {
        const before = await snapshot(desk.folder);
        const plan = await preview(desk, { words: ALT_TEXTS });
        assert.deepEqual(plan.skipped, []);
        assert.deepEqual(plan.needs_words, []);
        assert.deepEqual(added(plan), [`<img ${SIZE} loading="lazy" alt="A red chair"`]);
        assert.deepEqual(plan.files[0]!.edits, [
          {
            line: 4,
            column: 5,
            before: '',
            after: ` ${SIZE} loading="lazy" alt="A red chair"`,
            seq: null,
            confidence: 0.95,
          },
        ]);
        assert.deepEqual(await snapshot(desk.folder), before);
        const { validation, images_added: images } = await apply(desk, plan);
        assert.deepEqual([validation, images], [{ ok: true, problems: [] }, []]);
        const after = await desk.text('index.html');
        assert.equal(after, `\ufeff${page.replace('<img\r', `<img ${SIZE} loading="lazy" alt="A red chair"\r`)}`);
        const { ok, problems } = await desk.call('validate_replacements');
        assert.deepEqual([ok, problems], [true, []]);
        const { markdown } = (await desk.call('replacement_report')) as { markdown: string };
        assert.match(markdown, /^## Repaired markup\n\nApplied\. 1 img elements in 1 files, 0 images added\./);
        const again = await preview(desk, { words: ALT_TEXTS });
        assert.deepEqual([again.files, again.skipped, again.unused_words], [[], [], ['a.jpg']]);
        await desk.fails('nothing_to_do', 'apply_replacements', { plan_id: again.plan_id, approved: true });
        await desk.call('rollback', { approved: true });
        assert.deepEqual(await snapshot(desk.folder), before);
      },
    );
  });

  it('requires approval, and stops if a file has changed since the preview', async () => {
    await withImage(
      () => ({ 'index.html': '<img src="a.jpg">' }),
      async (desk) => {
        const { plan_id } = await preview(desk, { kinds: ['missing_dimensions'] });
        await desk.fails('approval_required', 'apply_replacements', { plan_id, approved: 'yes' });
        await writeFile(join(desk.folder, 'index.html'), '<b><img src="a.jpg"></b>');
        await desk.fails('file_changed', 'apply_replacements', { plan_id, approved: true });
        assert.equal(await desk.text('index.html'), '<b><img src="a.jpg"></b>');
      },
    );
  });

  it('fixes only the requested kinds, for images with findings', async () => {
    await withImage(
      (data) => ({ 'index.html': '<img src="a.jpg"><img src="b.jpg">', 'b.jpg': Buffer.concat([data, data]) }),
      async (desk) => {
        for (const [kind, after] of [
          ['missing_dimensions', ` ${SIZE}`],
          ['missing_lazy', ' loading="lazy"'],
        ]) {
          const { files } = await preview(desk, { kinds: [kind] });
          assert.deepEqual(
            files[0]!.edits.map((edit) => edit.after),
            [after],
          );
        }
      },
    );
  });

  it('does not mix up its plans with those of the other preview tool', async () => {
    await withImage(
      () => ({ 'index.html': '<img src="a.jpg">' }),
      async (desk) => {
        const markup = await preview(desk, { kinds: ['missing_lazy'] });
        const shown = await preview(desk, { plan_id: markup.plan_id });
        assert.deepEqual([shown.plan_id, shown.diff, shown.kinds], [markup.plan_id, markup.diff, ['missing_lazy']]);
        await desk.fails('plan_not_found', 'preview_replacements', { plan_id: markup.plan_id });
        const { plan_id } = await desk.call('preview_replacements');
        await desk.fails('plan_not_found', 'preview_markup_fixes', { plan_id });
      },
    );
  });

  it('reads no findings from a package of an earlier version', async () => {
    const data = await photo(1);
    const files = await packageFiles([{ at: '/a.jpg', data }]);
    const { markup_places: _, ...older } = JSON.parse(String(files['mapping.json']));
    const inside = Object.entries({ ...files, 'mapping.json': JSON.stringify(older) }).map(([path, file]) => [
      `pkg/${path}`,
      file,
    ]);
    await withLoadedPackage({ 'index.html': '<img src="a.jpg">', ...Object.fromEntries(inside) }, [], async (desk) => {
      await desk.call('load_replacement_package', { path: 'pkg' });
      const { files: changed, skipped } = await preview(desk);
      assert.deepEqual([changed, skipped], [[], []]);
    });
  });

  it('edits certain img elements in templates, JSX and Markdown, and lists all other places', async () => {
    const tag = '<img src="/a.jpg">';
    const files: Files = {
      'public/a.jpg': '',
      'page.njk': `{% if x %}\n${tag}\n{% endif %}`,
      'page.php': `<?php echo 1; ?>\n${tag}`,
      'page.erb': `<%= x %>\n${tag}`,
      'page.vue': `<template>\n${tag}\n</template>`,
      'page.svelte': `{#if x}\n${tag}\n{/if}`,
      'page.astro': `---\nconst x = 1;\n---\n${tag}`,
      'page.md': `# Title\n\n${tag}\n\n![words](/a.jpg)\n\n\`\`\`\n${tag}\n\`\`\`\n`,
      'page.mdx': '# Title\n\n<img src="/a.jpg" />\n',
      'app.jsx': [
        "const a = '/a.jpg';",
        'export const One = () => <img src="/a.jpg" />;',
        'export const Two = ({ more }) => <img src="/a.jpg" {...more} />;',
        'export const Three = () => <Img src="/a.jpg" />;',
      ].join('\n'),
      'app.tsx': "export const One = (): JSX.Element => <p>{true && <img src={'/a.jpg'}></img>}</p>;",
      'dynamic.njk': '<img {{ attrs }} src="/a.jpg">',
      'bound.vue': '<template>\n<img v-bind="all" src="/a.jpg">\n<img :loading="x" src="/a.jpg">\n</template>',
      'comment.html': `<!-- ${tag} -->`,
      'data.json': '{"src": "/a.jpg"}',
      'page.pug': 'img(src="/a.jpg")',
      'page.marko': tag,
      'page.templ': 'templ page() {\n<img src="/a.jpg">\n}',
    };
    const { 'public/a.jpg': _, ...rest } = files;
    await withImage(
      () => rest,
      async (desk) => {
        const plan = await preview(desk, { kinds: ['missing_lazy'] });
        const places = plan.files.map(({ path, edits }) => [path, ...edits.map(({ line }) => line)]);
        assert.deepEqual(places.sort(), [
          ['app.jsx', 2],
          ['app.tsx', 1],
          ['page.astro', 4],
          ['page.erb', 2],
          ['page.md', 3],
          ['page.mdx', 3],
          ['page.njk', 2],
          ['page.php', 2],
          ['page.svelte', 2],
          ['page.vue', 2],
        ]);
        assert.ok(added(plan).every((line) => line.includes('<img loading="lazy" src=')));
        assert.deepEqual(plan.skipped.map(({ file, line, reason }) => `${file}:${line} ${reason}`).sort(), [
          'app.jsx:1 not_an_img',
          'app.jsx:3 unknown_attributes',
          'app.jsx:4 not_an_img',
          'bound.vue:2 unknown_attributes',
          'comment.html:1 comment',
          'data.json:1 not_an_img',
          'dynamic.njk:1 unknown_attributes',
          'page.marko:1 not_an_img',
          'page.md:5 not_an_img',
          'page.md:8 code_block',
          'page.pug:1 not_an_img',
          'page.templ:2 not_an_img',
        ]);
        const { validation } = await apply(desk, plan);
        assert.deepEqual(validation, { ok: true, problems: [] });
      },
    );
  });

  it('leaves excluded files alone, and tests unless they are included', async () => {
    const tag = '<img src="/a.jpg">';
    await withImage(
      () => ({ 'index.html': tag, 'old/x.html': tag, 'test/x.test.html': tag }),
      async (desk) => {
        const kinds = ['missing_dimensions'];
        const plan = await preview(desk, { kinds, exclude: ['old'] });
        assert.deepEqual(
          plan.skipped.map(({ file, reason }) => [file, reason]),
          [
            ['old/x.html', 'excluded'],
            ['test/x.test.html', 'test_or_story'],
          ],
        );
        const { files } = await preview(desk, { kinds, include: ['test/x.test.html'] });
        assert.deepEqual(
          files.map(({ path }) => path),
          ['test/x.test.html'],
        );
      },
    );
  });
});

describe('preview_markup_fixes: missing_alt', () => {
  const kinds = ['missing_alt'];

  it('asks for alt texts, by image with its places', async () => {
    await withImage(
      () => ({ 'index.html': '<img src="/a.jpg">\n<img src="/a.jpg" alt="b">', 'x.html': '<img src="a.jpg">' }),
      async (desk) => {
        const plan = await preview(desk, { kinds });
        assert.deepEqual(plan.needs_words, [
          { image: 'a.jpg', page: `${HOST}/`, places: ['index.html:1', 'x.html:1'] },
        ]);
        assert.deepEqual([plan.files, plan.skipped], [[], []]);
        // An image can be named by its address as well.
        const words = [
          { image: `${HOST}/a.jpg`, words: '' },
          { image: 'b.jpg', words: 'nothing' },
        ];
        const done = await preview(desk, { kinds, words });
        assert.deepEqual(done.unused_words, ['b.jpg']);
        assert.deepEqual(added(done), ['<img alt="" src="/a.jpg">', '<img alt="" src="a.jpg">']);
      },
    );
  });

  it('escapes alt texts for every language', async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as it is written
    const words = 'A "b" <i> & {{ x }} ${y} #{z} @if `q` \\n <?php %> [1) \n two';
    const written =
      'A &#34;b&#34; &#60;i&#62; &#38; &#123;&#123; x &#125;&#125; &#36;&#123;y&#125; &#35;&#123;z&#125; &#64;if ' +
      '&#96;q&#96; &#92;n &#60;?php %&#62; &#91;1&#41; two';
    const files = Object.fromEntries(
      ['html', 'njk', 'php', 'erb', 'vue', 'svelte', 'astro', 'md', 'cshtml', 'ftl', 'vm'].map((ending) => [
        `x.${ending}`,
        '<p><img src="/a.jpg" /></p>',
      ]),
    );
    await withImage(
      () => ({ ...files, 'x.jsx': 'export const a = <p><img src="/a.jpg" /></p>;' }),
      async (desk) => {
        const plan = await preview(desk, { kinds, words: [{ image: 'a.jpg', words }] });
        assert.equal(plan.files.length, 12);
        assert.ok(added(plan).every((line) => line.includes(`<img alt="${written}" src=`)));
        assert.deepEqual((await apply(desk, plan)).validation, { ok: true, problems: [] });
      },
    );
  });

  it('makes no decision about an empty alt', async () => {
    await withImage(
      () => ({ 'index.html': '<a href="/"><img src="/a.jpg" alt=""></a>' }),
      async (desk) => {
        const { skipped } = await preview(desk, { kinds });
        assert.deepEqual(
          skipped.map(({ line, reason }) => [line, reason]),
          [[1, 'empty_alt']],
        );
      },
    );
  });
});

describe('preview_markup_fixes: missing_lazy', () => {
  const kinds = ['missing_lazy'];
  const tag = '<img src="/a.jpg">';
  const page = (body: string) => `<!doctype html>\n<html><body>${body}</body></html>`;

  it('never changes one of the first images on its page', async () => {
    await withImage(
      () => ({
        'index.html': page(`${tag}\n${tag}`),
        'about.html': page(tag),
        'unseen.html': page(tag),
        'part.njk': tag,
      }),
      async (desk) => {
        const plan = await preview(desk, { kinds });
        assert.deepEqual(
          plan.files.map(({ path, edits }) => [path, ...edits.map(({ line }) => line)]),
          [['index.html', 3]],
        );
        assert.deepEqual(
          plan.skipped.map(({ file, line, reason }) => [file, line, reason]),
          [
            // The lines of the file are not those of the page, so the image may be the first one.
            ['about.html', 2, 'first_on_page'],
            // The partial may belong to the page where the image is one of the first.
            ['part.njk', 1, 'first_on_page'],
            ['unseen.html', 2, 'page_not_scanned'],
          ],
        );
      },
      {
        scannedPages: [`${HOST}/`, `${HOST}/about`],
        places: (data) => [
          place('/a.jpg', data, [], { is_first: true, line: 2, column: 23 }),
          place('/a.jpg', data, ['missing_lazy'], { line: 3, column: 11 }),
          place('/a.jpg', data, [], { is_first: true, page: `${HOST}/about`, line: 90 }),
          place('/a.jpg', data, ['missing_lazy'], { page: `${HOST}/about`, line: 95 }),
        ],
      },
    );
  });

  it('leaves images that something else loads', async () => {
    const tags = [
      '<img src="/a.jpg" fetchpriority="high">',
      '<img src="/a.jpg" data-src="/b.jpg">',
      '<img src="/a.jpg" class="lazyload">',
      '<img src="/a.jpg" loading="eager">',
    ];
    await withImage(
      () => ({
        'part.html': tags.join('\n'),
        'part.jsx': 'export const a = <img src="/a.jpg" className="lazyload" />;',
      }),
      async (desk) => {
        const { files, skipped } = await preview(desk, { kinds });
        assert.deepEqual(files, []);
        assert.deepEqual(
          skipped.map(({ line, reason }) => [line, reason]),
          [
            [1, 'high_priority'],
            [2, 'lazy_by_script'],
            [3, 'lazy_by_script'],
            [1, 'lazy_by_script'],
          ],
        );
      },
    );
  });
});

describe('preview_markup_fixes: missing_dimensions', () => {
  const kinds = ['missing_dimensions'];

  it('uses the size at which a browser shows the file', async () => {
    const turned = await sharp(await photo(1))
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    const png = await sharp(await photo(2))
      .png()
      .toBuffer();
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="8"/>');
    const images = { 'turned.jpg': turned, 'plain.png': png, 'x.svg': svg };
    const page = Object.keys(images).map((name) => `<img src="${name}">`);
    await withLoadedPackage(
      { ...images, 'index.html': page.join('\n') },
      [],
      async (desk) => {
        const plan = await preview(desk, { kinds });
        assert.deepEqual(added(plan), [
          '<img width="48" height="65" src="turned.jpg">',
          '<img width="66" height="48" src="plain.png">',
        ]);
        assert.deepEqual(
          plan.skipped.map(({ raw, reason }) => [raw, reason]),
          [['x.svg', 'size_unknown']],
        );
      },
      { markupPlaces: Object.entries(images).map(([name, data]) => place(`/${name}`, data, kinds as MarkupFinding[])) },
    );
  });

  it('recognizes the files that have replaced an image', async () => {
    const data = await photo(1);
    const places = [place('/img/a.jpg', data, ['missing_dimensions'], { raw: 'img/a.jpg' })];
    await withLoadedPackage(
      { 'img/a.jpg': data, 'index.html': '<img src="img/a.jpg">' },
      [{ at: '/img/a.jpg', data }],
      async (desk) => {
        const { plan_id } = await desk.call('preview_replacements');
        await desk.call('apply_replacements', { plan_id, approved: true });
        const plan = await preview(desk, { kinds });
        assert.deepEqual(added(plan), [`<img ${SIZE} src="img/a.webp">`]);
        assert.deepEqual((await apply(desk, plan)).validation, { ok: true, problems: [] });
      },
      { markupPlaces: places, scannedPages: [`${HOST}/`] },
    );
  });

  it('leaves images whose size is set by something else', async () => {
    const tags: Record<string, string | undefined> = {
      '<img src="a.jpg" width="20">': 'size_given',
      '<img src="a.jpg" height="20">': 'size_given',
      '<img src="a.jpg" style="max-width: 100%">': 'styled',
      '<img src="a.jpg" srcset="a.jpg 1x, b.jpg 2x">': 'has_srcset',
      '<picture><source srcset="b.webp"><img src="a.jpg"></picture>': 'in_picture',
      '<img src="a.jpg" width="1" height="1">': undefined,
      '<img src="a.jpg" style="color: red">': 'edited',
    };
    await withImage(
      () => ({ 'index.html': Object.keys(tags).join('\n') }),
      async (desk) => {
        const { files, skipped } = await preview(desk, { kinds });
        const found = Object.keys(tags).map((_, index) => {
          if (files[0]!.edits.some(({ line }) => line === index + 1)) return 'edited';
          return skipped.find(({ line }) => line === index + 1)?.reason;
        });
        assert.deepEqual(found, Object.values(tags));
      },
    );
  });

  it('leaves images that a style sheet could distort, and names the style sheet', async () => {
    const cases: [css: string, doubt: RegExp | undefined, body?: string][] = [
      ['p { width: 50% }', undefined],
      ['img { border: 0; max-width: none }', undefined],
      ['img { max-width: 100% }', /width without height: auto/],
      ['img { max-width: 100%; height: auto }', undefined],
      ['.x { width: 50% }', undefined],
      ['img { width: 100% } @media (min-width: 1px) { img { height: auto } }', /without height: auto/],
      ['.wide img { width: 100% } img, video { height: auto }', undefined],
      ['.wide img { width: 100% } p img { height: auto }', /without height: auto/],
      ['.y { width: 100% } .y { height: auto }', undefined, '<p><img src="a.jpg" class="y"></p>'],
      ['img { height: 30px }', /height/],
      ['img { max-width: 100%; height: auto; max-height: 50vh }', /height/],
      ['img { aspect-ratio: 1 }', /ratio/],
      ['p { display: flex; flex-direction: column }', /flex or grid container/],
      ['.row { display: flex }', undefined],
      ['.row { display: flex }', /flex or grid container/, '<div class="row"><img src="a.jpg"></div>'],
      ['@import "gone.css";', /not in the project/],
      ['@tailwind base;', /a build makes/],
    ];
    for (const [css, doubt, body = '<p><img src="a.jpg"></p>'] of cases) {
      await withImage(
        () => ({ 'index.html': `<!doctype html><html><body>${body}</body></html>`, 'site.css': css }),
        async (desk) => {
          const { files, skipped } = await preview(desk, { kinds });
          assert.deepEqual([files.length, skipped.length], doubt ? [0, 1] : [1, 0], css);
          if (!doubt) return;
          assert.equal(skipped[0]!.reason, 'stylesheet');
          assert.match(skipped[0]!.because!, doubt, css);
          assert.match(skipped[0]!.because!, /site\.css/);
        },
      );
    }
  });

  it('treats unknown styles as unsafe', async () => {
    const link = (href: string) => `<link rel="stylesheet" href="${href}"><p><img src="a.jpg"></p>`;
    const cases: [files: Files, isDoubted: boolean][] = [
      [{ 'index.html': link('css/site.css'), 'css/site.css': '' }, false],
      [{ 'index.html': link('css/built.css') }, true],
      [{ 'index.html': link('https://cdn.example.org/bootstrap.css') }, true],
      [{ 'index.html': link('https://fonts.googleapis.com/css2?family=X') }, false],
      [{ 'index.html': '<img src="a.jpg">', 'app.js': "import 'bootstrap/dist/bootstrap.css';" }, true],
      [{ 'index.html': '<img src="a.jpg">', 'app.js': "import './own.css';", 'own.css': '' }, false],
      [{ 'index.html': '<img src="a.jpg">', 'package.json': '{"devDependencies": {"tailwindcss": "4"}}' }, true],
      [{ 'index.html': '<img src="a.jpg">', 'a.sass': 'img\n  width: 100%\n' }, true],
      [{ 'index.njk': '<p><img src="a.jpg"></p>', 'a.css': 'ul { display: flex }' }, true],
      [{ 'index.njk': '<p><img src="a.jpg" class="{{ x }}"></p>' }, true],
      [{ 'x.jsx': 'export const a = <p><img src="a.jpg" /></p>;', 'a.css': 'ul { display: flex }' }, false],
      [{ 'x.jsx': 'export const a = <ul><img src="a.jpg" /></ul>;', 'a.css': 'ul { display: flex }' }, true],
      [{ 'x.jsx': 'export const a = <X><img src="a.jpg" /></X>;', 'a.css': 'ul { display: flex }' }, true],
    ];
    for (const [files, isDoubted] of cases) {
      await withImage(
        () => files,
        async (desk) => {
          const { files: changed, skipped } = await preview(desk, { kinds });
          assert.deepEqual(
            [changed.length, skipped.map(({ reason }) => reason)],
            isDoubted ? [0, ['stylesheet']] : [1, []],
            JSON.stringify(files),
          );
        },
      );
    }
  });
});
