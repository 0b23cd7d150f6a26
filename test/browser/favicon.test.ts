/** A favicon package on a site in Chromium: Chromium's manifest check, the tab icon, and rendering of every icon. */
import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { openSqlite } from '../../base/sqlite/open.ts';
import { makePack, type UnpackedPack } from '../engine/favicon/pack.ts';
import { withBrowser } from '../support/browser.ts';
import { withFolder } from '../support/folder.ts';
import { withServer } from '../support/http-server.ts';
import { nightlyOnly } from '../support/nightly.ts';
import { type Browser, browserSkipReason, withSeparateBrowser } from '../support/separate-browser.ts';
import { decode, difference } from '../support/test-images.ts';
import { verifies } from '../support/verifies.ts';

const LOGO = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><circle cx="32" cy="32" r="31" fill="#123a6b"/><path d="M12 46 26 18l9 16 6-9 11 21Z" fill="#fff"/><circle cx="46" cy="19" r="5" fill="#fb0"/></svg>',
);

const TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  ico: 'image/vnd.microsoft.icon',
  webmanifest: 'application/manifest+json',
};

/** Serves the icons of a package, and one page with its HTML in the head. */
function siteWith(pack: UnpackedPack): RequestListener {
  return (request, response) => {
    const name = request.url?.slice(1) ?? '';
    if (name === '') {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(`<!doctype html><html lang="en"><head>${pack.text('favicon.html')}</head><body></body></html>`);
    } else if (pack.names.includes(name)) {
      response.setHeader('content-type', TYPES[name.split('.').at(-1)!] ?? 'text/plain');
      response.end(pack.bytes(name));
    } else {
      response.writeHead(404).end();
    }
  };
}

type Visit<T> = (browser: Browser, address: string) => Promise<T>;

/** Visits the site of a package with a browser, by default with a private window. */
function visit<T>(pack: UnpackedPack, work: Visit<T>, open: typeof withBrowser<T> = withBrowser): Promise<T> {
  return withServer(siteWith(pack), ({ origin }) =>
    open(async (browser) => {
      await browser.page.goto(`${origin}/`);
      return work(browser, `${origin}/`);
    }),
  );
}

/** Returns the manifest, its errors, and the reasons why Chromium could not install the site. */
async function checkManifest({ context, page }: Browser) {
  const session = await context.newCDPSession(page);
  const { errors, manifest } = await session.send('Page.getAppManifest');
  const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');
  return { errors, manifest, installabilityErrors };
}

/** Reads the tab icons that the browser has stored in its profile. */
function readStoredIcons(profile: string): { url: string; side: number; png: Buffer }[] {
  const database = openSqlite(join(profile, 'Default', 'Favicons'), { readonly: true });
  try {
    return database
      .prepare(
        'SELECT url, width AS side, image_data AS png FROM favicons JOIN favicon_bitmaps ON icon_id = favicons.id ORDER BY width',
      )
      .all() as ReturnType<typeof readStoredIcons>;
  } finally {
    database.close();
  }
}

describe('a favicon pack in Chromium', { skip: browserSkipReason }, () => {
  let made: Promise<UnpackedPack> | undefined;
  const makeSharedPack = () => (made ??= makePack(LOGO, { background: '#ffeecc' }));

  it('passes the manifest check, and the site can be installed', { skip: nightlyOnly }, async () => {
    verifies('favicon.pack.manifest', 'favicon.pack.html', 'favicon.theme-color', 'favicon.background');
    const pack = await makePack(LOGO, { name: 'Harbour Café', theme_color: '#0b5fff', background: '#ffeecc' });
    const open = async (browser: Browser, address: string) => {
      const { errors, manifest, installabilityErrors } = await checkManifest(browser);
      assert.deepEqual(errors, []);
      assert.deepEqual(installabilityErrors, []);
      assert.equal(manifest.name, 'Harbour Café');
      assert.equal(manifest.themeColor, 'rgba(11,95,255,1)');
      assert.equal(manifest.backgroundColor, 'rgba(255,238,204,1)');
      assert.deepEqual([manifest.startUrl, manifest.id, manifest.scope], [address, address, address]);
      assert.deepEqual(
        manifest.icons?.map(({ url, sizes }) => [url, sizes]),
        [
          [`${address}icon-192.png`, '192x192'],
          [`${address}icon-512.png`, '512x512'],
          [`${address}icon-maskable-512.png`, '512x512'],
        ],
      );
    };
    await visit(pack, open, withSeparateBrowser);
  });

  it('keeps the name as it was given, whatever it contains', { skip: nightlyOnly }, async () => {
    verifies('favicon.name', 'favicon.pack.manifest', 'favicon.pack.html');
    const name = `"></head><script>alert('1')</script> & 😀 שלום`;
    const open = async (browser: Browser) => {
      const { errors, manifest, installabilityErrors } = await checkManifest(browser);
      assert.deepEqual([errors, installabilityErrors], [[], []]);
      assert.equal(manifest.name, name);
      const title = browser.page.locator('meta[name="apple-mobile-web-app-title"]');
      assert.equal(await title.getAttribute('content'), name.slice(0, 30));
      assert.equal(await browser.page.locator('script').count(), 0);
    };
    await visit(await makePack(LOGO, { name, short_name: name.slice(0, 30) }), open, withSeparateBrowser);
  });

  it('sets the icon of the tab, pixel by pixel as in the pack', async () => {
    verifies('favicon.pack.ico', 'favicon.pack.html');
    const pack = await makeSharedPack();
    await withFolder(async (profile) => {
      let kept: ReturnType<typeof readStoredIcons> = [];
      // The browser fetches the icon after the page has loaded, and no event reports that it is stored.
      // A visit may end before that.
      for (let visits = 0; visits < 5 && kept.length === 0; visits += 1) {
        await visit(pack, checkManifest, (work) => withSeparateBrowser(work, profile));
        kept = readStoredIcons(profile);
      }
      assert.deepEqual(
        kept.map(({ side }) => side),
        [16, 32],
      );
      for (const { url, side, png } of kept) {
        assert.equal(new URL(url).pathname, '/favicon.ico');
        const { max } = difference(await decode(png), await pack.icon(`favicon-${side}x${side}.png`));
        // Chromium stores premultiplied colours, which are less exact.
        assert.ok(max <= 8, `${side}: ${max}`);
      }
    });
  });

  it('has icons that the browser shows unchanged', async () => {
    verifies('favicon.pack.png', 'favicon.pack.maskable');
    const pack = await makeSharedPack();
    await visit(pack, async ({ page }) => {
      const icons = pack.names.filter((name) => name.endsWith('.png') || name.endsWith('.ico'));
      await page.setContent(
        `<body style="margin:0;background:#fff">${icons.map((name) => `<img id="${name}" src="/${name}" style="display:block">`).join('')}</body>`,
        { waitUntil: 'load' },
      );
      for (const name of icons) {
        const image = page.locator(`[id="${name}"]`);
        const shown = await decode(
          await sharp(await image.screenshot())
            .removeAlpha()
            .png()
            .toBuffer(),
        );
        // Browsers choose one image of an ICO file.
        const file = name === 'favicon.ico' ? `favicon-${shown.width}x${shown.width}.png` : name;
        const expected = await decode(
          await sharp(pack.bytes(file)).flatten({ background: '#ffffff' }).png().toBuffer(),
        );
        assert.ok(difference(shown, expected).max <= 2, name);
      }
    });
  });
});
