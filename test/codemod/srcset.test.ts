/** Tests the fixes of `missing_srcset`: what is written, what is left alone, and what a browser shows. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Replacement } from '../../replacement-package/replacement.ts';
import { withBrowser } from '../support/browser.ts';
import { withServer } from '../support/http-server.ts';
import { nightlyOnly } from '../support/nightly.ts';
import { browserSkipReason } from '../support/separate-browser.ts';
import { jpeg, pattern } from '../support/test-images.ts';
import { type Files, type LocalServerClient, type ScannedImage, snapshot, withLoadedPackage } from './desk.ts';
import { added, apply, HOST, place, preview } from './markup.ts';

const kinds = ['missing_srcset'];
const WIDTHS = [200, 400, 800];
const data = await jpeg(pattern(1200, 900));
const MARKUP_PLACE = place('/img/a.jpg', data, ['missing_srcset']);

/** The names that packages give the file of the original size. */
const UNRESIZED = { to: 'files/img/a.1200w.webp', to_path: '/img/a.1200w.webp' } as NonNullable<
  Replacement['unresized']
>;

/**
 * Runs `work` on a project with `img/a.jpg` of 1200 x 900 pixels. The package has copies with widths of 200, 400 and
 * 800.
 */
async function withImage(
  files: Files,
  work: (desk: LocalServerClient) => Promise<void>,
  { image = {}, more = {} }: { image?: Partial<ScannedImage>; more?: Parameters<typeof withLoadedPackage>[3] } = {},
): Promise<void> {
  await withLoadedPackage(
    { 'img/a.jpg': data, ...files },
    [{ at: '/img/a.jpg', data, widths: WIDTHS, ...image }],
    work,
    {
      markupPlaces: [MARKUP_PLACE],
      scannedPages: [`${HOST}/`],
      ...more,
    },
  );
}

describe('preview_markup_fixes: missing_srcset', () => {
  it('adds smaller files beside the file of src, and undoes it', async () => {
    const page = '<!doctype html>\r\n<p><img src="img/a.jpg" width="400" height="300" alt=""></p>';
    await withImage({ 'index.html': page }, async (desk) => {
      const before = await snapshot(desk.folder);
      const plan = await preview(desk, { kinds });
      assert.deepEqual(added(plan), [
        '<p><img srcset="img/a.400w.webp 400w, img/a.800w.webp 800w, img/a.jpg 1200w" sizes="400px" ' +
          'src="img/a.jpg" width="400" height="300" alt=""></p>',
      ]);
      const copies = ['img/a.400w.webp', 'img/a.800w.webp'];
      assert.deepEqual(
        plan.images.map(({ path, action }) => [path, action]),
        copies.map((path) => [path, 'add']),
      );
      assert.equal(plan.summary.images_added, 2);
      assert.deepEqual(await snapshot(desk.folder), before);
      assert.deepEqual((await apply(desk, plan)).validation, { ok: true, problems: [] });
      assert.deepEqual(Object.keys(await snapshot(desk.folder)).sort(), [...Object.keys(before), ...copies].sort());
      const { ok, problems } = await desk.call('validate_replacements');
      assert.deepEqual([ok, problems], [true, []]);
      const again = await preview(desk, { kinds });
      assert.deepEqual([again.files, again.skipped], [[], []]);
      await desk.call('rollback', { approved: true });
      assert.deepEqual(await snapshot(desk.folder), before);
    });
  });

  it('uses sizes="auto" for lazy images with width and height', async () => {
    const all = 'img/a.200w.webp 200w, img/a.400w.webp 400w, img/a.800w.webp 800w, img/a.jpg 1200w';
    const large = 'img/a.400w.webp 400w, img/a.800w.webp 800w, img/a.jpg 1200w';
    const cases: [tag: string, srcset: string, sizes: string][] = [
      ['<img src="img/a.jpg" width="400" height="300" loading="lazy">', all, 'auto, 400px'],
      // A browser that supports `sizes="auto"` would give the box this wrong aspect ratio.
      ['<img src="img/a.jpg" width="400" height="200" loading="lazy">', large, '400px'],
      ['<img src="img/a.jpg" width="400" loading="lazy">', large, '400px'],
      ['<img src="img/a.jpg" width="400" height="300" loading="eager">', large, '400px'],
    ];
    await withImage({ 'index.html': cases.map(([tag]) => tag).join('\n') }, async (desk) => {
      assert.deepEqual(
        added(await preview(desk, { kinds })),
        cases.map(([tag, srcset, sizes]) => tag.replace('<img', `<img srcset="${srcset}" sizes="${sizes}"`)),
      );
    });
  });

  it('considers the other additions of the same plan', async () => {
    const found = place('/img/a.jpg', data, ['missing_srcset', 'missing_lazy', 'missing_dimensions']);
    await withImage(
      { 'index.html': '<p><img src="img/a.jpg" alt=""></p>' },
      async (desk) => {
        assert.deepEqual(added(await preview(desk)), [
          '<p><img width="1200" height="900" loading="lazy" srcset="img/a.200w.webp 200w, img/a.400w.webp 400w, ' +
            'img/a.800w.webp 800w, img/a.jpg 1200w" sizes="auto, 1200px" src="img/a.jpg" alt=""></p>',
        ]);
        const alone = await preview(desk, { kinds });
        assert.deepEqual(
          alone.skipped.map(({ reason }) => reason),
          ['no_width'],
        );
      },
      { more: { markupPlaces: [found] } },
    );
  });

  it('recognizes the files that have replaced an image', async () => {
    await withImage(
      { 'index.html': '<p><img src="img/a.jpg" width="300"></p>', 'other.html': '<img src="img/a.jpg" width="300">' },
      async (desk) => {
        const { plan_id } = await desk.call('preview_replacements');
        await desk.call('apply_replacements', { plan_id, approved: true });
        const plan = await preview(desk, { kinds });
        assert.deepEqual(added(plan), [
          '<p><img srcset="img/a.400w.webp 400w, img/a.webp 600w" sizes="300px" src="img/a.webp" width="300"></p>',
          '<img srcset="img/a.400w.webp 400w, img/a.webp 600w, img/a.800w.webp 800w, img/a.1200w.webp 1200w" ' +
            'sizes="300px" src="img/a.1200w.webp" width="300">',
        ]);
        assert.deepEqual((await apply(desk, plan)).validation, { ok: true, problems: [] });
      },
      { image: { isResized: true, more: { unresized: UNRESIZED } } },
    );
  });

  it('writes the correct file names in the syntax of each language', async () => {
    const at = '/img/my%20a,b,.jpg';
    const files = {
      'img/my a,b,.jpg': data,
      'a.jsx': 'export const One = () => <img src="/img/my%20a,b,.jpg" width="400" />;',
      'a.mdx': '# Title\n\n<img src="/img/my%20a,b,.jpg" width="400" />\n',
      'a.njk': '{% if x %}<img src="/img/my%20a,b,.jpg?v=3" width="400">{% endif %}',
    };
    await withLoadedPackage(
      files,
      [{ at, data, widths: [800] }],
      async (desk) => {
        const plan = await preview(desk, { kinds });
        assert.deepEqual(plan.skipped, []);
        const copy = '/img/my%20a,b,.800w.webp 800w';
        assert.deepEqual(
          plan.files.map(({ edits: [edit] }) => edit!.after),
          [
            ` srcSet="${copy}, /img/my%20a,b,.jpg 1200w" sizes="400px"`,
            ` srcSet="${copy}, /img/my%20a,b,.jpg 1200w" sizes="400px"`,
            ` srcset="${copy}, /img/my%20a,b,.jpg?v=3 1200w" sizes="400px"`,
          ],
        );
        assert.deepEqual((await apply(desk, plan)).validation, { ok: true, problems: [] });
      },
      { markupPlaces: [place(at, data, ['missing_srcset'])] },
    );
  });

  it('leaves uncertain images, and says why', { skip: nightlyOnly }, async () => {
    const tags: [tag: string, reason: string | undefined][] = [
      ['<img src="img/a.jpg">', 'no_width'],
      ['<img src="img/a.jpg" width="50%">', 'no_width'],
      ['<img src="img/a.jpg" width="1000">', 'no_gain'],
      ['<img src="img/a.jpg" width="2000" loading="lazy">', 'no_gain'],
      ['<img src="img/a.jpg" width="400" style="width: 100%">', 'styled'],
      ['<img src="img/a.jpg" width="400" sizes="50vw">', 'size_given'],
      ['<picture><source srcset="b.webp"><img src="img/a.jpg" width="400"></picture>', 'in_picture'],
      ['<img src="img/a.jpg" width="400" class="lazyload">', 'lazy_by_script'],
      ['<img src="img/a.jpg" width="400" data-src="b.jpg">', 'lazy_by_script'],
      ['<img src="img/a.jpg" srcset="img/a.jpg 1x" width="400">', undefined],
    ];
    await withImage({ 'index.html': tags.map(([tag]) => tag).join('\n') }, async (desk) => {
      const { files, skipped } = await preview(desk, { kinds });
      assert.deepEqual(files, []);
      assert.deepEqual(
        tags.map((_, index) => skipped.find(({ line }) => line === index + 1)?.reason),
        tags.map(([, reason]) => reason),
      );
    });
    const tag = '<img src="img/a.jpg" width="400">';
    const cases: [files: Files, reason: string, image?: Partial<ScannedImage>][] = [
      [{ 'index.html': tag }, 'no_copies', { widths: [] }],
      [{ 'index.html': `<link rel="preload" as="image" href="img/a.jpg">${tag}` }, 'preloaded'],
      [{ 'page.njk': '<img {{ attributes }} src="/img/a.jpg" width="400">' }, 'unknown_attributes'],
      [{ 'page.pug': 'img(src="/img/a.jpg" width="400")' }, 'not_an_img'],
    ];
    for (const [files, reason, image = {}] of cases)
      await withImage(
        files,
        async (desk) => {
          const plan = await preview(desk, { kinds });
          assert.deepEqual(
            [plan.files, plan.skipped.map((each) => each.reason)],
            [[], [reason]],
            Object.keys(files).join(),
          );
        },
        { image },
      );
  });

  it('leaves images that CSS could widen or show at file width, and names the style sheet', {
    skip: nightlyOnly,
  }, async () => {
    const cases: [css: string, doubt: RegExp | undefined][] = [
      ['img { max-width: 100%; height: auto }', undefined],
      ['img { max-width: 100%; height: 200px }', undefined],
      ['p { width: 50% }', undefined],
      ['img { width: 100% }', /another size/],
      ['img { min-width: 20em }', /another size/],
      ['img { max-width: max-content }', /another size/],
      ['img { width: auto }', /width of its file/],
      ['img { inline-size: auto }', /width of its file/],
      ['@media (min-width: 99em) { .wide img { width: 100vw } }', /another size/],
      ['p { display: grid }', /flex or grid container/],
      ['@tailwind base;', /a build makes/],
    ];
    for (const [css, doubt] of cases)
      await withImage(
        { 'index.html': '<!doctype html><body><p><img src="img/a.jpg" width="400"></p>', 'site.css': css },
        async (desk) => {
          const { files, skipped } = await preview(desk, { kinds });
          assert.deepEqual([files.length, skipped.length], doubt ? [0, 1] : [1, 0], css);
          if (!doubt) return;
          assert.deepEqual([skipped[0]!.reason, skipped[0]!.kind], ['stylesheet', 'missing_srcset']);
          assert.match(skipped[0]!.because!, doubt, css);
        },
      );
  });
});

/** Window width in CSS pixels, and device pixel ratio. */
const WINDOWS: readonly [width: number, ratio: number][] = [
  [360, 1],
  [360, 3],
  [1440, 1],
  [1440, 2],
  [2560, 1],
];

/** An image of a page: the file that Chromium has chosen, and its box. */
interface DisplayedImage {
  file: string;
  box: number[];
}

/** Returns the images of a project's page in each window. */
async function displayedImages(folder: string): Promise<DisplayedImage[][]> {
  const answer: RequestListener = async (request, response) => {
    const path = decodeURIComponent(request.url!.slice(1)) || 'index.html';
    const bytes = await readFile(join(folder, path)).catch(() => undefined);
    const type = path.endsWith('.html') ? { 'content-type': 'text/html' } : {};
    // From its cache Chromium would take a larger file than it needs.
    response.writeHead(bytes ? 200 : 404, { 'cache-control': 'no-store', ...type }).end(bytes);
  };
  return await withServer(answer, async ({ origin }) =>
    withBrowser(async ({ page, context }) => {
      const session = await context.newCDPSession(page);
      const all: DisplayedImage[][] = [];
      for (const [width, deviceScaleFactor] of WINDOWS) {
        const metrics = { width, height: 800, deviceScaleFactor, mobile: false };
        await session.send('Emulation.setDeviceMetricsOverride', metrics);
        await page.goto(origin);
        await page.evaluate(async () => {
          for (const image of document.images) {
            image.scrollIntoView();
            await image.decode();
          }
          window.scrollTo(0, 0);
        });
        all.push(
          await page.evaluate(() =>
            [...document.images].map((image) => {
              const { x, y, width: wide, height } = image.getBoundingClientRect();
              return { file: image.currentSrc.split('/').at(-1)!, box: [x, y, wide, height] };
            }),
          ),
        );
      }
      return all;
    }),
  );
}

describe('preview_markup_fixes: missing_srcset in Chromium', { skip: browserSkipReason, timeout: 600_000 }, () => {
  it('keeps every box, loads fewer bytes, and upscales no file', { skip: nightlyOnly }, async () => {
    const page = `<!doctype html><html><head><meta name="viewport" content="width=device-width">
<style>img { max-width: 100%; height: auto } .half { width: 50% }</style></head><body>
<p>x <img src="img/a.jpg" width="400" height="300" alt=""></p><div style="height: 5000px"></div>
<p><img src="img/b.jpg" width="400" height="300" loading="lazy" alt=""></p>
<p class="half"><img src="img/c.jpg" width="900" height="675" loading="lazy" alt=""></p>
<p>x</p></body></html>`;
    const names = ['a', 'b', 'c'];
    const images: ScannedImage[] = await Promise.all(
      names.map(async (name, index) => ({
        at: `/img/${name}.jpg`,
        data: await jpeg(pattern(1200, 900), 90 - index),
        widths: WIDTHS,
      })),
    );
    const files = Object.fromEntries(images.map(({ at, data: own }) => [at.slice(1), own]));
    const places = images.map(({ at, data: own }) => place(at, own, ['missing_srcset']));
    const work = async (desk: LocalServerClient) => {
      const before = await displayedImages(desk.folder);
      const plan = await preview(desk, { kinds });
      assert.equal(plan.files[0]!.edits.length, 3);
      await apply(desk, plan);
      const after = await displayedImages(desk.folder);
      const boxes = (all: DisplayedImage[][]) => all.map((images) => images.map(({ box }) => box));
      assert.deepEqual(boxes(after), boxes(before));
      for (const [index, [, ratio]] of WINDOWS.entries())
        for (const { file, box } of after[index]!) {
          const pixels = Number(/\.([0-9]+)w\./.exec(file)?.[1] ?? 1200);
          assert.ok(pixels >= Math.min(box[2]! * ratio, 1200), `${file} for ${box[2]} x ${ratio}`);
        }
      // Chromium may choose a larger file than it needs. In the first window, that of a phone, it never loads the
      // original.
      for (const { file } of after[0]!) assert.match(file, /w\.webp$/);
    };
    await withLoadedPackage({ ...files, 'index.html': page }, images, work, {
      markupPlaces: places,
      scannedPages: [`${HOST}/`],
    });
  });
});
