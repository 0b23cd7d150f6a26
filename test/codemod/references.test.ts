import assert from 'node:assert/strict';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type Files, type LocalServerClient, photo, type ScannedImage, snapshot, withLoadedPackage } from './desk.ts';

interface Found {
  file: string;
  line: number;
  column: number;
  raw: string;
  seq: number;
  match: string;
  confidence: number;
  editable: boolean;
  reason: string | null;
}

async function find(desk: LocalServerClient): Promise<Found[]> {
  return (await desk.call('find_references')).references as Found[];
}

/** Formats each reference as `raw match confidence reason`. */
const formatReferences = (found: readonly Found[]): string[] =>
  found.map(({ raw, match, confidence, reason }) => `${raw} ${match} ${confidence} ${reason}`);

/** Sources that name a social image and an image for people. By default only the latter is edited. */
const SOCIAL_SOURCES: Readonly<Record<string, string>> = {
  'src/pages/index.astro': `---
import fallback from '../../public/img/og.jpg';
import hero from '../../public/img/hero.jpg';
const { title, image = fallback } = Astro.props;
---
<meta property="og:image" content={new URL(image.src, Astro.url)} /><img src={hero.src} />`,
  'src/Head.jsx': `import card from '../public/img/og.jpg';
import hero from '../public/img/hero.jpg';
export const Head = () => <><meta name="twitter:image" content={card} /><img src={hero} /></>;`,
  'src/layout.tsx': `export const metadata = { title: 'x', openGraph: { images: [{ url: '/img/og.jpg' }] }, twitter: { images: ['/img/og.jpg'] } };
export const Hero = () => <img src="/img/hero.jpg" />;`,
  'src/seo.ts': `const shared = '/img/og.jpg';
useSeoMeta({ ogImage: shared, twitterImage: () => '/img/og.jpg' });
useHead({ meta: [{ property: 'og:image', content: '/img/og.jpg' }] });
const hero = '/img/hero.jpg';`,
  'docusaurus.config.js': `export default { themeConfig: { image: 'img/og.jpg', navbar: { logo: { src: 'img/hero.jpg' } } } };`,
  'post.md': `---\nogImage: /img/og.jpg\nimage: /img/hero.jpg\n---\n`,
  'data.json': `{"social_image": "/img/og.jpg", "image": "/img/hero.jpg"}`,
  'head.pug': `meta(property='og:image' content='/img/og.jpg')\nimg(src='/img/hero.jpg')\n`,
};

describe('images for crawlers', () => {
  for (const [path, text] of Object.entries(SOCIAL_SOURCES))
    for (const mapsSocial of [false, true])
      it(`${mapsSocial ? 'are edited with map_social' : 'stay'}: ${path}`, async () => {
        const [og, hero] = [await photo(61), await photo(62)];
        const images: ScannedImage[] = [
          { at: '/img/og.jpg', data: og },
          { at: '/img/hero.jpg', data: hero },
        ];
        const files = { 'public/img/og.jpg': og, 'public/img/hero.jpg': hero, [path]: text };
        await withLoadedPackage(
          files,
          images,
          async (desk) => {
            const found = await find(desk);
            assert.ok(found.some(({ seq }) => seq === 1) && found.some(({ seq }) => seq === 2));
            for (const { seq, reason } of found)
              assert.equal(reason, seq === 1 && !mapsSocial ? 'social_image' : null, JSON.stringify(found));
          },
          { settings: { map_social: mapsSocial } },
        );
      });
});

describe('images in a component of the framework', () => {
  const SOURCE = `import Image from 'next/image';
import hero from '../public/img/hero.jpg';
export const Page = () => <><Image src={hero} /><Image src="/img/hero.jpg" width={9} height={9} /></>;`;
  for (const [images, reason] of [
    ['{}', 'framework_optimizes'],
    ['{ unoptimized: true }', 'null'],
  ] as const)
    it(`depend on the configuration images: ${images}`, async () => {
      const data = await photo(63);
      const files = {
        'package.json': '{"dependencies": {"next": "13"}}',
        'next.config.js': `module.exports = { images: ${images} };`,
        'public/img/hero.jpg': data,
        'src/page.jsx': SOURCE,
      };
      await withLoadedPackage(files, [{ at: '/img/hero.jpg', data }], async (desk) => {
        assert.deepEqual(formatReferences(await find(desk)), [
          `../public/img/hero.jpg relative 0.9 ${reason}`,
          `/img/hero.jpg path 0.95 ${reason}`,
        ]);
      });
    });
});

describe('find_references', () => {
  it('returns each reference with its position, URL, confidence and reason', async () => {
    const data = await photo(1);
    const files = {
      'img/hero.jpg': data,
      'index.html':
        '<p>\n<img src="/img/hero.jpg">\n<meta property="og:image" content="https://example.com/img/hero.jpg">\n<!-- <img src="/img/hero.jpg"> -->',
    };
    await withLoadedPackage(files, [{ at: '/img/hero.jpg', data }], async (desk) => {
      const answer = await desk.call('find_references');
      const [first] = answer.references as Found[];
      assert.deepEqual(first, {
        id: 'ref_1',
        file: 'index.html',
        line: 2,
        column: 11,
        kind: 'img_src',
        raw: '/img/hero.jpg',
        seq: 1,
        match: 'path',
        confidence: 0.95,
        editable: true,
        reason: null,
      });
      assert.deepEqual(formatReferences(answer.references as Found[]).slice(1), [
        'https://example.com/img/hero.jpg url 1 social_image',
        '/img/hero.jpg path 0.95 comment',
      ]);
      assert.deepEqual(answer.images, [{ seq: 1, file: 'img/hero.jpg', match: 'content', confidence: 1 }]);
      assert.deepEqual([answer.total, answer.unmatched], [3, []]);
      assert.deepEqual(await snapshot(desk.folder), await snapshot(desk.folder));
    });
  });

  it('finds an image by every name that leads to it', async () => {
    const data = await photo(2);
    const page = (...addresses: string[]) => addresses.map((address) => `<img src="${address}">`).join('\n');
    const files: Files = {
      'public/img/hero photo.jpg': data,
      'src/pages/a/index.html': page(
        'https://example.com/img/hero%20photo.jpg',
        '//EXAMPLE.com/img/hero%20photo.jpg',
        'http://example.com/img/hero%20photo.jpg?v=2',
        '/img/hero%20photo.jpg',
        '/img/hero photo.jpg?v=3#x',
        'img/hero%20photo.jpg',
        '../../../public/img/hero%20photo.jpg',
        'https://cdn.example.net/img/hero%20photo.jpg',
        'data:image/gif;base64,R0lGODlhAQABAAAAACw=',
      ),
    };
    await withLoadedPackage(files, [{ at: '/img/hero%20photo.jpg', data }], async (desk) => {
      assert.deepEqual(formatReferences(await find(desk)), [
        'https://example.com/img/hero%20photo.jpg url 1 null',
        '//EXAMPLE.com/img/hero%20photo.jpg url 1 null',
        'http://example.com/img/hero%20photo.jpg?v=2 path 0.95 null',
        '/img/hero%20photo.jpg path 0.95 null',
        '/img/hero photo.jpg?v=3#x path 0.95 null',
        'img/hero%20photo.jpg path 0.95 null',
        '../../../public/img/hero%20photo.jpg relative 0.9 null',
      ]);
    });
  });

  it('compares the content of the target, not its name', async () => {
    const [scanned, other] = [await photo(3), await photo(4)];
    const files: Files = {
      // The scanned image under another name, and another image under the scanned name.
      'assets/original.jpg': scanned,
      'blog/hero.jpg': other,
      'blog/index.html': '<img src="hero.jpg"><img src="../assets/original.jpg">',
    };
    await withLoadedPackage(files, [{ at: '/hero.jpg', data: scanned }], async (desk) => {
      assert.deepEqual(
        (await find(desk)).filter(({ editable }) => editable).map(({ raw }) => raw),
        ['../assets/original.jpg'],
      );
    });
  });

  it('does not edit references to an image that has changed since the scan', async () => {
    const [scanned, recompressed, other] = [await photo(5), await photo(5), await photo(6)];
    const sameSize = Buffer.concat([recompressed, Buffer.from('\n')]);
    const images: ScannedImage[] = [
      { at: '/same.jpg', data: scanned },
      { at: '/other.jpg', data: await photo(7) },
    ];
    const files: Files = {
      'same.jpg': sameSize,
      'other.jpg': other,
      'index.html': '<img src="/same.jpg"><img src="/other.jpg">',
    };
    await withLoadedPackage(files, images, async (desk) => {
      assert.deepEqual(formatReferences(await find(desk)), [
        '/same.jpg path 0.6 low_confidence',
        '/other.jpg path 0.3 low_confidence',
      ]);
    });
  });

  it('matches the original of a hashed name only if the size matches too', async () => {
    const [built, source] = [await photo(8), Buffer.concat([await photo(8), Buffer.from('\n')])];
    const images: ScannedImage[] = [
      { at: '/assets/hero-B1x2y3Z4.jpg', data: built },
      { at: '/assets/card.4f2a9c1b.jpg', data: await photo(9) },
    ];
    const files: Files = {
      'src/hero.jpg': source,
      'src/card.jpg': await photo(10),
      'src/index.html': '<img src="./hero.jpg"><img src="./card.jpg">',
    };
    await withLoadedPackage(files, images, async (desk) => {
      const answer = await desk.call('find_references');
      assert.deepEqual(formatReferences(answer.references as Found[]), ['./hero.jpg hashed_name 0.6 low_confidence']);
      assert.deepEqual(answer.images, [{ seq: 1, file: 'src/hero.jpg', match: 'hashed_name', confidence: 0.6 }]);
      assert.deepEqual(answer.unmatched, [
        { seq: 2, from: 'https://example.com/assets/card.4f2a9c1b.jpg', built_file: null },
      ]);
    });
  });

  it('reports a bare name but never edits it, and reports images that are not in the project', async () => {
    const images: ScannedImage[] = [
      { at: '/deep/folder/logo.jpg', data: await photo(11) },
      { at: '/uploads/x.jpg', data: await photo(12) },
    ];
    const files: Files = { 'a/index.html': '<img src="../b/logo.jpg"><img src="/uploads/x.jpg">' };
    await withLoadedPackage(files, images, async (desk) => {
      assert.deepEqual(formatReferences(await find(desk)), [
        '../b/logo.jpg basename 0.3 low_confidence',
        '/uploads/x.jpg path 0.95 original_missing',
      ]);
    });
  });

  it('does not edit references that could mean two images', async () => {
    const [one, two] = [await photo(13), await photo(14)];
    const images: ScannedImage[] = [
      { at: '/img.jpg?id=1', data: one, more: { to: 'files/one.webp' } },
      { at: '/img.jpg?id=2', data: two, more: { to: 'files/two.webp' } },
    ];
    const copies: ScannedImage[] = [{ at: '/x/copy.jpg', data: one }];
    const page = { 'index.html': '<img src="/img.jpg?id=3"><img src="/x/copy.jpg">' };
    await withLoadedPackage(page, images, async (desk) => {
      assert.deepEqual(formatReferences(await find(desk)), ['/img.jpg?id=3 path 0.95 ambiguous']);
    });
    await withLoadedPackage({ ...page, 'a/copy.jpg': one, 'b/copy.jpg': one }, copies, async (desk) => {
      assert.deepEqual(formatReferences(await find(desk)), ['/x/copy.jpg path 0.95 ambiguous']);
    });
    await withLoadedPackage(
      { ...page, 'a/copy.jpg': one, 'b/img.jpg': two, 'b/x/copy.jpg': one },
      copies,
      async (desk) => {
        assert.deepEqual(formatReferences(await find(desk)), ['/x/copy.jpg path 0.95 null']);
      },
    );
  });

  it('edits a root-relative URL only if it leads to the image', async () => {
    const data = await photo(20);
    const other = await photo(21);
    const images: ScannedImage[] = [{ at: '/img/hero.jpg', data }];
    const page = '<img src="/img/hero.jpg"><img src="/img/logo.jpg">';
    const low = ['/img/hero.jpg path 0.3 low_confidence'];
    const places: [Files, string[]][] = [
      [{ 'old-backup/hero.jpg': data }, low],
      [{ 'old-backup/hero.jpg': data, 'old-backup/logo.jpg': other }, low],
      // A single address does not make a folder the top of the site.
      [{ 'site/img/hero.jpg': data }, low],
      [{ 'site/img/hero.jpg': data, 'site/img/logo.jpg': other }, ['/img/hero.jpg path 0.95 null']],
      [{ 'img/hero.jpg': data }, ['/img/hero.jpg path 0.95 null']],
      [{ 'public/img/hero.jpg': data }, ['/img/hero.jpg path 0.95 null']],
    ];
    for (const [files, expected] of places)
      await withLoadedPackage({ ...files, 'index.html': page }, images, async (desk) =>
        assert.deepEqual(formatReferences(await find(desk)), expected, Object.keys(files).join()),
      );
  });

  it('recognizes a base path only by more than one URL', async () => {
    const [data, other] = [await photo(22), await photo(23)];
    const images: ScannedImage[] = [{ at: '/repo/img/hero.jpg', data }];
    const page = '<img src="/repo/img/hero.jpg"><img src="/repo/logo.jpg">';
    const files: Files = { 'img/hero.jpg': data, 'index.html': page };
    await withLoadedPackage(files, images, async (desk) => {
      assert.deepEqual(formatReferences(await find(desk)), ['/repo/img/hero.jpg path 0.3 low_confidence']);
    });
    await withLoadedPackage({ ...files, 'logo.jpg': other }, images, async (desk) => {
      assert.deepEqual(formatReferences(await find(desk)), ['/repo/img/hero.jpg path 0.95 null']);
    });
  });

  it('writes a name without percent-encoding where none is decoded', async () => {
    const [literal, spaced] = [await photo(24), await photo(25)];
    const images: ScannedImage[] = [
      { at: '/he%2520ro.jpg', data: literal },
      { at: '/he%20ro.jpg', data: spaced },
    ];
    const script = (name: string) =>
      `import a from './he%20ro.${name}';\nconst b = new URL('./only%20here.${name}', import.meta.url);\n`;
    const page = (one: string, two: string) => `<img src="he%20ro.${one}"><img src="b/x%2Cy.${two}">`;
    const files: Files = {
      'he%20ro.jpg': literal,
      'he ro.jpg': spaced,
      'only here.jpg': literal,
      'b/x%2Cy.jpg': literal,
      'a.js': script('jpg'),
      'index.html': page('jpg', 'jpg'),
    };
    await withLoadedPackage(files, images, async (desk) => {
      const { plan_id } = await desk.call('preview_replacements');
      const { validation } = await desk.call('apply_replacements', { plan_id, approved: true });
      assert.equal(await desk.text('a.js'), script('webp'));
      assert.equal(await desk.text('index.html'), page('webp', 'webp'));
      assert.deepEqual(validation, { ok: true, problems: [] });
    });
  });

  it('resolves URLs relative to the delivered page', async () => {
    const data = await photo(15);
    // The first address leads above the project. The second has the spelling that the scan has read.
    const text = '![x](../../img/a.jpg)\n![x](../a.jpg)\n![x](../b.jpg)';
    const files: Files = { 'img/a.jpg': data, 'posts/one.md': text };
    await withLoadedPackage(files, [{ at: '/img/a.jpg', data, more: { raw: ['../a.jpg'] } }], async (desk) => {
      assert.deepEqual(formatReferences(await find(desk)), [
        '../../img/a.jpg path 0.95 null',
        '../a.jpg path 0.95 null',
      ]);
    });
  });

  it('replaces images for crawlers by new files of the same format', async () => {
    const data = await photo(16);
    const files: Files = { 'a.jpg': data, 'index.html': '<meta property="og:image" content="/a.jpg">' };
    const image: ScannedImage = { at: '/a.jpg', data };
    await withLoadedPackage(files, [image], async (desk) =>
      assert.equal((await find(desk))[0]?.reason, 'social_image'),
    );
    await withLoadedPackage(files, [{ ...image, more: { to_format: 'jpeg' } }], async (desk) =>
      assert.equal((await find(desk))[0]?.reason, null),
    );
    await withLoadedPackage(files, [image], async (desk) => assert.equal((await find(desk))[0]?.reason, null), {
      settings: { map_social: true },
    });
  });

  it('reports a name that occurs only in a built file', async () => {
    const data = await photo(17);
    const files: Files = { 'src/a.js': '1', 'dist/index.html': '<img src="/img/a.jpg">' };
    await withLoadedPackage(files, [{ at: '/img/a.jpg', data }], async (desk) => {
      const { references, unmatched } = await desk.call('find_references');
      assert.deepEqual(references, []);
      assert.deepEqual(unmatched, [{ seq: 1, from: 'https://example.com/img/a.jpg', built_file: 'dist/index.html' }]);
    });
  });

  it('lists 500 references and counts the rest', async () => {
    const data = await photo(18);
    const files: Files = { 'a.jpg': data, 'index.html': '<img src="a.jpg">\n'.repeat(777) };
    await withLoadedPackage(files, [{ at: '/a.jpg', data }], async (desk) => {
      const { references, total } = await desk.call('find_references');
      assert.deepEqual([(references as unknown[]).length, total], [500, 777]);
    });
  });

  it('follows no link out of the project', async () => {
    const data = await photo(19);
    await withLoadedPackage({ 'a.html': '<img src="/out/a.jpg">' }, [{ at: '/out/a.jpg', data }], async (desk) => {
      await symlink('/', join(desk.folder, 'out'));
      await symlink('/etc/passwd', join(desk.folder, 'b.html'));
      assert.deepEqual(formatReferences(await find(desk)), ['/out/a.jpg path 0.95 original_missing']);
    });
  });
});
