/** Tests that the strategy `picture` keeps the layout: compares pages in Chromium before and after. */
import assert from 'node:assert/strict';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { namesOf } from '../../web-documents/names.ts';
import { structuralSelectors } from '../../web-documents/structural-selectors.ts';
import { withBrowser } from '../support/browser.ts';
import { nightlyOnly } from '../support/nightly.ts';
import { Random } from '../support/random.ts';
import { browserSkipReason } from '../support/separate-browser.ts';
import { type Files, type LocalServerClient, photo, type Structured, withLoadedPackage } from './desk.ts';

interface Plan extends Structured {
  plan_id: string;
  diff: string;
  picture_fallbacks: { file: string; line: number; raw: string; reason: string; because: string }[];
}

const preview = async (desk: LocalServerClient) =>
  (await desk.call('preview_replacements', { strategy: 'picture' })) as Plan;

const WIDTHS = [360, 1440, 2560];

/** Returns the height of a page and the boxes of its images, at all widths. */
async function layoutsOf(folder: string, path: string): Promise<number[][]> {
  return await withBrowser(async ({ page }) => {
    const layouts: number[][] = [];
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto(pathToFileURL(join(folder, path)).href, { waitUntil: 'load' });
      layouts.push(
        await page.evaluate(() => [
          document.documentElement.scrollHeight,
          ...[...document.images].flatMap((image) => {
            const { x, y, width: w, height } = image.getBoundingClientRect();
            return [x, y, w, height];
          }),
        ]),
      );
    }
    return layouts;
  });
}

/** Applies a plan of the strategy `picture` to a page. Returns the layouts before and after. */
async function applyAndMeasure(files: Files, images: readonly string[]) {
  const data = await photo(40);
  const all = { ...files, ...Object.fromEntries(images.map((name) => [name, data])) };
  const scanned = images.map((name) => ({ at: `/${name}`, data }));
  return await withLoadedPackage(all, scanned, async (desk) => {
    const before = browserSkipReason ? [] : await layoutsOf(desk.folder, 'index.html');
    const plan = await preview(desk);
    const { validation } = await desk.call('apply_replacements', { plan_id: plan.plan_id, approved: true });
    assert.deepEqual(validation, { ok: true, problems: [] });
    const after = browserSkipReason ? [] : await layoutsOf(desk.folder, 'index.html');
    const html = await desk.text('index.html');
    const { markdown } = await desk.call('replacement_report');
    return { before, after, html, fallbacks: plan.picture_fallbacks, markdown: String(markdown) };
  });
}

const PAGE = (style: string, body: string) =>
  `<!doctype html><html><head><meta charset="utf-8"><style>\n${style}\n</style></head><body>\n${body}\n</body></html>`;

describe('the strategy picture', () => {
  it('keeps the boxes of flex and grid items, blocks and floats', {
    skip: browserSkipReason || nightlyOnly,
  }, async () => {
    const style = `
      .flex { display: flex; gap: 16px; align-items: center }
      .flex img { margin-left: 16px; flex: 1; min-width: 0; align-self: flex-end }
      .grid { display: grid; grid-template-columns: 1fr 2fr; gap: 8px }
      .grid img { width: 100%; grid-column: 2; justify-self: stretch }
      .block img { display: block; width: 50%; margin: 10px auto }
      .float img { float: right; margin: 4px }
      .percent { height: 200px } .percent img { height: 100% }
      .table { display: table } .table img { display: table-cell }`;
    const image = '<img src="a.jpg" class="wide" alt="">';
    const groups = ['flex', 'grid', 'block', 'float', 'percent', 'table', 'plain'];
    const body = groups.map((name) => `<div class="${name}">x ${image} y <span>z</span></div>`).join('\n');
    const { before, after, html, fallbacks } = await applyAndMeasure({ 'index.html': PAGE(style, body) }, ['a.jpg']);
    assert.deepEqual(fallbacks, []);
    assert.equal(
      html.match(/<picture style="display: contents"><source [^>]+><img src="a.jpg" class="wide"/g)?.length,
      7,
    );
    assert.deepEqual(after, before);
  });

  it('adds every file of a srcset, and no others', async () => {
    const [one, two, three] = [await photo(41), await photo(42), await photo(43)];
    const html = '<p><img src="a.jpg" srcset="b.jpg 1x, c.jpg 2x" alt=""></p>';
    const files: Files = { 'a.jpg': one, 'b.jpg': two, 'c.jpg': three, 'index.html': html };
    const images = [
      { at: '/a.jpg', data: one },
      { at: '/b.jpg', data: two },
      { at: '/c.jpg', data: three },
    ];
    await withLoadedPackage(files, images, async (desk) => {
      const { plan_id, images: added } = await preview(desk);
      assert.deepEqual(
        (added as { path: string }[]).map(({ path }) => path),
        ['b.webp', 'c.webp'],
      );
      const { validation } = await desk.call('apply_replacements', { plan_id, approved: true });
      assert.deepEqual(validation, { ok: true, problems: [] });
      await unlink(join(desk.folder, 'c.webp'));
      const { problems } = await desk.call('validate_replacements');
      assert.deepEqual(
        (problems as { code: string }[]).map(({ code }) => code),
        ['file_missing', 'reference_broken'],
      );
    });
  });

  it('swaps the URL if CSS matches the picture, and names the style sheet', {
    skip: browserSkipReason || nightlyOnly,
  }, async () => {
    const css = '.row > img { width: 50% }\n.other > img { width: 10px }';
    const body = [
      '<div class="row"><img src="a.jpg"></div>',
      '<div class="cell"><img src="b.jpg"></div>',
      '<p><img src="c.jpg"></p>',
    ].join('\n');
    const page = PAGE('p > .x { color: red }', body).replace(
      '<style>',
      '<link rel="stylesheet" href="site.css"><style>',
    );
    const { before, after, html, fallbacks, markdown } = await applyAndMeasure(
      { 'index.html': page, 'site.css': css },
      ['a.jpg', 'b.jpg', 'c.jpg'],
    );
    assert.deepEqual(fallbacks, [
      { file: 'index.html', line: 4, raw: 'a.jpg', reason: 'stylesheet', because: 'site.css:1 .row > img' },
    ]);
    assert.match(markdown, /`index\.html:4` \| `stylesheet` \| `site\.css:1 \.row > img`/);
    assert.match(html, /<div class="row"><img src="a.webp"><\/div>/);
    assert.match(html, /<div class="cell"><picture .*src="b.jpg"/);
    assert.match(html, /<p><picture .*src="c.jpg"/);
    assert.deepEqual(after, before);
  });

  it('reads the style sheets of builds, minified files and all parts of a project', async () => {
    const data = await photo(41);
    const page = '<body><div class="row"><img src="a.jpg"></div></body>';
    const cases: [Files, string?][] = [
      [{ 'dist/site.css': '.row>*{margin:0}' }, 'dist/site.css:1 .row>*'],
      [{ 'css/site.min.css': 'p{}.row>img{margin:0}' }, 'css/site.min.css:1 .row>img'],
      [{ 'src/a.scss': '.row {\n  @include x { > img { width: 1px } }\n}' }, 'src/a.scss:2 > img'],
      [{ 'src/a.sass': '.row\n  > img\n    width: 1px' }, 'src/a.sass:2 > img'],
      [
        {
          'src/A.vue': '<template><p></p></template>\n<style lang="scss">\n.row { img { &:first-child {} } }\n</style>',
        },
        'src/A.vue:3 &:first-child',
      ],
      [{ 'src/a.html': '<div class="row space-x-4"></div><div class="row -space-y-2"></div>' }],
      [{ 'src/a.html': '<div class="row [&>img]:w-4"></div>' }],
      [{ 'src/a.css': '.other>img{}' }],
    ];
    for (const [files, because] of cases) {
      await withLoadedPackage(
        { 'index.html': page, 'a.jpg': data, ...files },
        [{ at: '/a.jpg', data }],
        async (desk) => {
          const { picture_fallbacks: fallbacks } = await preview(desk);
          assert.deepEqual(
            fallbacks.map((each) => each.because),
            because === undefined ? [] : [because],
            JSON.stringify(files),
          );
        },
      );
    }
  });

  it('swaps the URL if the parent is unknown, a style sheet is third-party, or styles are forbidden', async () => {
    const data = await photo(42);
    const image = '<div class="cell"><img src="/a.jpg"></div>';
    const meta = (policy: string) => `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
    const cases: [Files, string | undefined][] = [
      [{ 'a.html': `<body>${image}`, 'a.css': '.row>img{}' }, undefined],
      [{ 'a.html': `<body>${image}{{ more }}`, 'a.css': '.row>img{}' }, 'stylesheet'],
      [{ 'a.html': '<img src="/a.jpg">', 'a.css': '.row>img{}' }, 'stylesheet'],
      [{ 'a.html': '<body><x-row><img src="/a.jpg"></x-row>', 'a.css': '.row>img{}' }, 'stylesheet'],
      [{ 'a.html': '<img class="x" src="/a.jpg">', 'a.css': '.row>.y{}' }, undefined],
      [{ 'a.svelte': '<img class:y={on} src="/a.jpg">', 'a.css': '.row>.y{}' }, 'stylesheet'],
      [{ 'a.svelte': '<img {...rest} src="/a.jpg">', 'a.css': '.row>.y{}' }, 'stylesheet'],
      [{ 'a.vue': '<template><img :class="c" src="/a.jpg"></template>', 'a.css': '.row>.y{}' }, 'stylesheet'],
      [{ 'a.html': `<body><link rel="stylesheet" href="https://cdn.example/a.css">${image}` }, 'foreign_stylesheet'],
      [{ 'a.html': `<body>${image}`, 'a.css': '@import url(//cdn.example/a.css);' }, 'foreign_stylesheet'],
      [{ 'a.html': `<body><link rel=stylesheet href="https://fonts.googleapis.com/css2?x">${image}` }, undefined],
      [{ 'a.html': `<body><link rel=stylesheet href="https://www.example.com/a.css">${image}` }, undefined],
      [{ 'a.html': `${meta("style-src 'self'")}<body>${image}` }, 'content_security_policy'],
      [{ 'a.html': `${meta("default-src 'self'; img-src *")}<body>${image}` }, 'content_security_policy'],
      [{ 'a.html': `${meta("style-src 'unsafe-inline' 'nonce-x'")}<body>${image}` }, 'content_security_policy'],
      [{ 'a.html': `${meta("default-src 'self'; style-src 'unsafe-inline'")}<body>${image}` }, undefined],
      [{ 'a.html': `${meta('img-src *')}<body>${image}` }, undefined],
      [{ 'a.md': 'text\n\n> - <img src="/a.jpg">\n\nmore' }, 'markdown_paragraph'],
      [{ 'a.md': 'text <img src="/a.jpg"> more' }, undefined],
    ];
    for (const [files, reason] of cases) {
      await withLoadedPackage({ 'a.jpg': data, ...files }, [{ at: '/a.jpg', data }], async (desk) => {
        const { picture_fallbacks: fallbacks, diff } = await preview(desk);
        assert.equal(fallbacks[0]?.reason, reason, JSON.stringify(files));
        assert.equal(diff.includes('<picture'), reason === undefined, diff);
        assert.ok(diff.includes('/a.webp'));
      });
    }
  });

  it('writes the syntax of each language', async () => {
    const data = await photo(43);
    const source = 'type="image/webp" srcset="/a.webp" style="display: none"';
    const picture = '<picture style="display: contents">';
    const cases: [string, string, string][] = [
      [
        'a.mdx',
        'Text <img src="/a.jpg" className="x" /> more',
        `Text <picture style={{ display: 'contents' }}><source type="image/webp" srcSet="/a.webp" style={{ display: 'none' }} /><img src="/a.jpg" className="x" /></picture> more`,
      ],
      ['a.xhtml', '<p><img src="/a.jpg" /></p>', `<p>${picture}<source ${source} /><img src="/a.jpg" /></picture></p>`],
      [
        'a.astro',
        '---\n---\n{on && <img src="/a.jpg" />}',
        `{on && ${picture}<source ${source} /><img src="/a.jpg" /></picture>}`,
      ],
      [
        'a.vue',
        '<template><img src="/a.jpg" v-if="on"></template>',
        `<template>${picture}<source ${source}><img src="/a.jpg" v-if="on"></picture></template>`,
      ],
      [
        'a.svelte',
        '<img src="/a.jpg" on:click={go}>',
        `${picture}<source ${source}><img src="/a.jpg" on:click={go}></picture>`,
      ],
      ['a.pug', 'p\n  img(src="/a.jpg")', '  img(src="/a.webp")'],
      ['a.jsx', 'export const a = <img src="/a.jpg" />;', 'export const a = <img src="/a.webp" />;'],
    ];
    for (const [path, before, after] of cases) {
      await withLoadedPackage({ 'a.jpg': data, [path]: `${before}\n` }, [{ at: '/a.jpg', data }], async (desk) => {
        const plan = await preview(desk);
        const { validation } = await desk.call('apply_replacements', { plan_id: plan.plan_id, approved: true });
        assert.deepEqual(validation, { ok: true, problems: [] });
        assert.ok((await desk.text(path)).includes(after), await desk.text(path));
      });
    }
  });

  it('detects every selector that would match differently in Chromium', {
    skip: browserSkipReason || nightlyOnly,
  }, async () => {
    const random = new Random(23);
    const compounds = ['img', '*', '.a', '#i', '.row', 'p', 'picture', 'source', ':first-child', ':only-child'];
    const more = ['img:last-child', '.a:not(:first-child)', ':is(img, p)', ':not(p)', ':not(img)', '[class]', 'div'];
    const parts = [...compounds, ...more, ':has(> img)', 'p:has(+ .a)', 'img:nth-of-type(2)', ':not(.row > img)'];
    const one = () => random.pick(parts);
    const selectors = new Set(parts);
    while (selectors.size < 3000) {
      let selector = one();
      for (let more = 1 + random.integer(3); more > 0; more--)
        selector += `${random.pick([' ', ' > ', ' + ', ' ~ '])}${one()}`;
      selectors.add(selector);
    }
    const pages = [
      '<div class="row"><img id="i" class="a"><p></p></div>',
      '<div class="row"><p></p><img id="i" class="a"></div>',
      '<div class="row"><img><img id="i" class="a"><img><p class="a"></p></div>',
      '<div><p class="row"><img id="i" class="a"></p><p></p></div>',
      '<p class="row">x<picture class="x"><img></picture><img id="i" class="a"></p>',
    ];
    const changed = await withBrowser(
      async ({ page }) =>
        await page.evaluate(
          ({ all, bodies }) =>
            bodies.map((body) => {
              document.body.innerHTML = body;
              const elements = [...document.querySelectorAll('*')];
              const before = all.map((selector) => elements.map((each) => each.matches(selector)).join());
              const image = document.querySelector('#i')!;
              const picture = document.createElement('picture');
              picture.style.display = 'contents';
              image.replaceWith(picture);
              picture.append(document.createElement('source'), image);
              return all.map(
                (selector, index) => elements.map((each) => each.matches(selector)).join() !== before[index],
              );
            }),
          { all: [...selectors], bodies: pages },
        ),
    );
    const image = new Set(namesOf('img', 'i', 'a'));
    const parents = ['div', 'div', 'div', 'p', 'p'].map((tag) => new Set(namesOf(tag, null, 'row')));
    const missed: string[] = [];
    let [seen, found] = [0, 0];
    for (const [index, selector] of [...selectors].entries()) {
      const flagged = structuralSelectors(`${selector}{}`)!;
      for (const [page, parent] of parents.entries()) {
        const isFound = flagged.some(
          (each) =>
            each.own.every((name) => image.has(name)) &&
            (each.parent === null || each.parent.every((name) => parent.has(name))),
        );
        if (isFound) found += 1;
        if (!changed[page]![index]) continue;
        seen += 1;
        if (!isFound) missed.push(`${pages[page]} ${selector}`);
      }
    }
    assert.ok(seen > 1000 && found < selectors.size * pages.length, `${seen} of ${found}`);
    assert.deepEqual(missed, []);
  });
});
