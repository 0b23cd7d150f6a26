import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import {
  type Files,
  type LocalServerClient,
  photo,
  type ScannedImage,
  type Structured,
  withLoadedPackage,
} from './desk.ts';

const halfWidth = (side: number) => Math.ceil(side / 2);
const HOST = 'https://example.com';

interface Plan extends Structured {
  plan_id: string;
  summary: Record<string, number>;
  files: { path: string; edits: { after: string }[] }[];
  skipped: { file: string; reason: string }[];
  not_scanned: { file: string; page: string | null; references: number }[];
}

const preview = async (desk: LocalServerClient) => (await desk.call('preview_replacements')) as Plan;

/** Applies the plan. Returns the width of the new image that each source names. */
async function widths(
  desk: LocalServerClient,
  plan: Plan,
  folder: string,
): Promise<Record<string, number | undefined>> {
  await desk.call('apply_replacements', { plan_id: plan.plan_id, approved: true });
  const found: Record<string, number | undefined> = {};
  for (const { path, edits } of plan.files) {
    const name = edits[0]!.after.split('/').at(-1)!;
    found[path] = (await sharp(`${desk.folder}/${folder}/${name}`).metadata()).width;
  }
  return found;
}

const IMG = '<img src="/img/hero.jpg" width="20" height="20">';

/** Creates an image that is resized to half of its width. */
async function resizedImage(pages: readonly string[], more: ScannedImage['more'] = {}): Promise<ScannedImage> {
  const used = pages.map((page) => `${HOST}${page}`);
  return {
    at: '/img/hero.jpg',
    data: await photo(1),
    isResized: true,
    more: { pages: used, pages_total: used.length, ...more },
  };
}

const scannedPages = ['/', '/about', '/blog/first/', '/team.html', '/plain'].map((page) => `${HOST}${page}`);

describe('preview_replacements of resized images', () => {
  it('uses the resized file only for pages on which the scan has seen the image', async () => {
    const image = await resizedImage(['/', '/about', '/blog/first/', '/team.html']);
    const { width } = await sharp(image.data).metadata();
    const files: Files = { 'img/hero.jpg': image.data };
    const seen = ['index.html', 'about.html', 'blog/first/index.html', 'team.html'];
    const unseen = ['contact.html', 'plain.html', '_includes/header.html', 'css/site.css', 'components/card.jsx'];
    for (const path of [...seen, ...unseen])
      files[path] = path.endsWith('.css') ? 'a { background: url(/img/hero.jpg) }' : IMG;
    await withLoadedPackage(
      { ...files, 'components/card.jsx': `export const Card = () => ${IMG.replace('>', ' />')};` },
      [image],
      async (desk) => {
        const plan = await preview(desk);
        assert.deepEqual(plan.skipped, []);
        assert.deepEqual(Object.fromEntries(plan.not_scanned.map(({ file, page }) => [file, page])), {
          '_includes/header.html': '/_includes/header',
          'components/card.jsx': null,
          'contact.html': '/contact',
          'css/site.css': null,
          // The scan has read this page, without the image.
          'plain.html': '/plain',
        });
        assert.deepEqual(await widths(desk, plan, 'img'), {
          ...Object.fromEntries(seen.map((path) => [path, halfWidth(width)])),
          ...Object.fromEntries(unseen.map((path) => [path, width])),
        });
        const { markdown } = (await desk.call('replacement_report')) as { markdown: string };
        assert.match(markdown, /### Pages that were not scanned[\s\S]*`contact\.html` \| `\/contact` \| 1/);
      },
      { scannedPages },
    );
  });

  it('finds the pages of frameworks by their folders', async () => {
    const image = await resizedImage(['/about', '/blog/first/']);
    const { width } = await sharp(image.data).metadata();
    const page = `export default () => ${IMG.replace('>', ' />')};`;
    const files: Files = {
      'package.json': '{"dependencies": {"next": "15"}}',
      'public/img/hero.jpg': image.data,
      'app/(site)/about/page.jsx': page,
      'pages/blog/first.jsx': page,
      'app/[slug]/page.jsx': page,
      'app/layout.jsx': page,
      'about.jsx': page,
    };
    await withLoadedPackage(
      files,
      [image],
      async (desk) => {
        assert.deepEqual(await widths(desk, await preview(desk), 'public/img'), {
          'about.jsx': width,
          'app/(site)/about/page.jsx': halfWidth(width),
          'app/[slug]/page.jsx': width,
          'app/layout.jsx': width,
          'pages/blog/first.jsx': halfWidth(width),
        });
      },
      { scannedPages },
    );
  });

  it('trusts a scanned page even if the map lists only some of the pages with the image', async () => {
    const image = await resizedImage(['/other'], { pages_total: 30 });
    const { width } = await sharp(image.data).metadata();
    const files = { 'img/hero.jpg': image.data, 'about.html': IMG, 'contact.html': IMG };
    await withLoadedPackage(
      files,
      [image],
      async (desk) => {
        const plan = await preview(desk);
        assert.deepEqual(await widths(desk, plan, 'img'), { 'about.html': halfWidth(width), 'contact.html': width });
      },
      { scannedPages },
    );
  });

  it('leaves references of other pages if the unresized image saves nothing or is not in the package', async () => {
    const image = await resizedImage(['/about']);
    const { width, height } = await sharp(image.data).metadata();
    const small = { to_width: halfWidth(width), to_height: halfWidth(height) };
    const older: ScannedImage = { ...image, isResized: false, more: { ...image.more, ...small } };
    const light = await sharp(image.data).jpeg({ quality: 1 }).toBuffer();
    const larger: ScannedImage = { ...image, data: light, more: { ...image.more, to_format: 'jpeg' } };
    for (const each of [older, larger])
      await withLoadedPackage(
        { 'img/hero.jpg': each.data, 'about.html': IMG, 'contact.html': IMG },
        [each],
        async (desk) => {
          const plan = await preview(desk);
          assert.deepEqual(
            plan.files.map(({ path }) => path),
            ['about.html'],
          );
          assert.deepEqual(
            plan.skipped.map(({ file, reason }) => [file, reason]),
            [['contact.html', 'page_not_scanned']],
          );
        },
        { scannedPages },
      );
  });
});
