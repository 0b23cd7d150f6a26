/** Tests `picture` elements with AVIF and WebP, from packages that contain both. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { withBrowser } from '../support/browser.ts';
import { writeFiles } from '../support/folder.ts';
import { nightlyOnly } from '../support/nightly.ts';
import { browserSkipReason } from '../support/separate-browser.ts';
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
  withProject,
  zipped,
} from './desk.ts';

const AVIF = (srcset: string, more = '') =>
  `<source type="image/avif" srcset="${srcset}"${more} style="display: none">`;
const WEBP = (srcset: string, more = '') =>
  `<source type="image/webp" srcset="${srcset}"${more} style="display: none">`;
const PICTURE = '<picture style="display: contents">';

async function apply(desk: LocalServerClient, strategy = 'picture'): Promise<Structured> {
  const plan = await desk.call('preview_replacements', { strategy });
  const { validation } = await desk.call('apply_replacements', { plan_id: plan.plan_id, approved: true });
  assert.deepEqual(validation, { ok: true, problems: [] });
  return plan;
}

/** Returns the file that Chromium has chosen for each image of a page, with its width, and the layout boxes. */
async function shown(folder: string) {
  return await withBrowser(async ({ page }) => {
    await page.goto(pathToFileURL(join(folder, 'index.html')).href, { waitUntil: 'load' });
    return await page.evaluate(() => ({
      images: [...document.images].map(({ currentSrc, naturalWidth }) => [currentSrc.split('/').at(-1), naturalWidth]),
      boxes: [...document.images].map((image) => JSON.stringify(image.getBoundingClientRect())),
    }));
  });
}

describe('the strategy picture with AVIF beside WebP', { timeout: 600_000 }, () => {
  it('puts the AVIF source before the WebP one, and Chromium chooses by type', { skip: nightlyOnly }, async () => {
    const [one, two] = [await photo(60), await photo(61)];
    const html = `<!doctype html><html><body><div style="display: flex; gap: 16px"><img class="a" src="a.jpg" alt=""> x</div>
<img src="a.jpg" srcset="a.jpg 124w, b.jpg 125w" sizes="125px" alt=""></body></html>\r\n`;
    const files: Files = { 'a.jpg': one, 'b.jpg': two, 'index.html': html };
    const images: ScannedImage[] = [
      { at: '/a.jpg', data: one, hasAvif: true },
      { at: '/b.jpg', data: two, hasAvif: true },
    ];
    await withLoadedPackage(files, images, async (desk) => {
      const before = await snapshot(desk.folder);
      const layout = browserSkipReason ? undefined : await shown(desk.folder);
      const { diff, picture_fallbacks } = await apply(desk);
      assert.deepEqual(picture_fallbacks, []);
      const text = await desk.text('index.html');
      assert.ok(String(diff).includes(AVIF('a.avif')));
      assert.ok(
        text.includes(`${PICTURE}${AVIF('a.avif')}${WEBP('a.webp')}<img class="a" src="a.jpg" alt=""></picture> x`),
      );
      const [avif, webp] = ['avif', 'webp'].map((ending) => `a.${ending} 124w, b.${ending} 125w`);
      const sizes = ' sizes="125px"';
      assert.ok(text.includes(`${PICTURE}${AVIF(avif!, sizes)}${WEBP(webp!, sizes)}<img src="a.jpg" srcset="a.jpg`));
      const after = await snapshot(desk.folder);
      const added = Object.keys(after).filter((path) => !(path in before));
      assert.deepEqual(added, ['a.avif', 'a.webp', 'b.avif', 'b.webp']);
      assert.equal((await desk.call('validate_replacements')).ok, true);
      if (layout) {
        const as = ({ boxes }: Awaited<ReturnType<typeof shown>>) => boxes;
        const all = await shown(desk.folder);
        assert.deepEqual(all.images, [
          ['a.avif', 124],
          ['b.avif', 125],
        ]);
        assert.deepEqual(as(all), as(layout));
        // Simulates a browser without AVIF support, which skips sources of an unknown type.
        await writeFile(join(desk.folder, 'index.html'), text.replaceAll('image/avif', 'image/unknown'));
        const rest = await shown(desk.folder);
        assert.deepEqual(rest.images, [
          ['a.webp', 124],
          ['b.webp', 125],
        ]);
        assert.deepEqual(as(rest), as(layout));
        await writeFile(join(desk.folder, 'index.html'), text);
      }
      await desk.call('rollback', { approved: true });
      assert.deepEqual(await snapshot(desk.folder), before);
    });
  });

  it('has only the WebP source if one file has no AVIF, and never swaps to AVIF', async () => {
    const [one, two] = [await photo(62), await photo(63)];
    const html = '<p><img src="a.jpg" srcset="a.jpg 1x, b.jpg 2x"></p><p><img src="a.jpg"></p>';
    const files: Files = { 'a.jpg': one, 'b.jpg': two, 'index.html': html, 'a.css': 'p { background: url(a.jpg) }' };
    const images: ScannedImage[] = [
      { at: '/a.jpg', data: one, hasAvif: true },
      { at: '/b.jpg', data: two },
    ];
    await withLoadedPackage(files, images, async (desk) => {
      await apply(desk);
      const text = await desk.text('index.html');
      assert.ok(text.includes(`${PICTURE}${WEBP('a.webp 1x, b.webp 2x')}<img src="a.jpg" srcset`));
      assert.ok(text.includes(`${PICTURE}${AVIF('a.avif')}${WEBP('a.webp')}<img src="a.jpg"></picture>`));
      assert.equal(await desk.text('a.css'), 'p { background: url(a.webp) }');
      await desk.call('rollback', { approved: true });
      const { images: added } = await desk.call('preview_replacements');
      assert.deepEqual(
        (added as { path: string }[]).map(({ path }) => path),
        ['a.webp', 'b.webp'],
      );
    });
  });

  it('uses the unresized files on pages that the scan has not seen', async () => {
    const data = await photo(66);
    const html = '<p><img src="/a.jpg"></p>';
    const files: Files = { 'a.jpg': data, 'index.html': html, 'other.html': html };
    await withLoadedPackage(
      files,
      [{ at: '/a.jpg', data, isResized: true, hasAvif: true }],
      async (desk) => {
        await apply(desk);
        const sourcesOf = async (page: string) => {
          const found = (await desk.text(page)).matchAll(/type="image\/(\w+)" srcset="([^"]+)"/g);
          return await Promise.all(
            [...found].map(async ([, type, path]) => [type, (await sharp(join(desk.folder, path!)).metadata()).width]),
          );
        };
        assert.deepEqual(await sourcesOf('index.html'), [
          ['avif', 65],
          ['webp', 65],
        ]);
        assert.deepEqual(await sourcesOf('other.html'), [
          ['avif', 130],
          ['webp', 130],
        ]);
      },
      { scannedPages: ['https://example.com/'] },
    );
  });

  it('accepts packages without AVIF, and refuses an AVIF file of another format', async () => {
    const data = await photo(67);
    const image: ScannedImage = { at: '/a.jpg', data, hasAvif: true };
    const load = async (content: Files, work: (desk: LocalServerClient) => Promise<unknown>) =>
      await withProject({ 'a.jpg': data }, async (desk) => {
        await writeFiles(desk.folder, { '.ic/incoming.zip': zipped(content) });
        await work(desk);
      });
    const path = '.ic/incoming.zip';
    const earlier = await packageFiles([{ at: '/a.jpg', data }]);
    earlier['mapping.json'] = String(earlier['mapping.json']).replace('"avif":null,', '');
    await load(earlier, (desk) => desk.call('load_replacement_package', { path }));
    const both = await packageFiles([image]);
    await load(both, async (desk) => {
      assert.equal((await desk.call('load_replacement_package', { path })).files, 2);
    });
    const webp = both['files/a.webp'] as Buffer;
    await load({ ...both, 'files/a.avif': webp }, (desk) =>
      desk.fails('package_hash_mismatch', 'load_replacement_package', { path }),
    );
    const map = JSON.parse(String(both['mapping.json'])) as { replacements: { avif: object }[] };
    Object.assign(map.replacements[0]!.avif, { sha256: sha256(webp), bytes: webp.length });
    await load({ ...both, 'files/a.avif': webp, 'mapping.json': JSON.stringify(map) }, (desk) =>
      desk.fails('package_invalid', 'load_replacement_package', { path }),
    );
    const named = String(both['mapping.json']).replaceAll('a.avif', 'a.php');
    await load({ ...both, 'files/a.php': both['files/a.avif']!, 'mapping.json': named }, (desk) =>
      desk.fails('package_invalid', 'load_replacement_package', { path }),
    );
  });
});
