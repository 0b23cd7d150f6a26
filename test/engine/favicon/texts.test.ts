/** The web app manifest and the lines for the page head. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type FaviconParams, faviconParams } from '../../../engine/operations/favicon/params.ts';
import { htmlText, manifestText, siteOf } from '../../../engine/operations/favicon/texts.ts';
import { flat, png } from '../../support/test-images.ts';
import { verifies } from '../../support/verifies.ts';
import { makePack } from './pack.ts';

function textsOf(options: Partial<FaviconParams> = {}): { manifest: Record<string, unknown>; html: string } {
  const site = siteOf(faviconParams.parse(options));
  return { manifest: JSON.parse(manifestText(site)), html: htmlText(site) };
}

it('a pack has both texts, with the values of the request', async () => {
  verifies('favicon.pack.manifest', 'favicon.pack.html');
  const options = { name: 'Harbour Café', short_name: 'Harbour', theme_color: '0B5FFF', background: '#FFcc00' };
  const pack = await makePack(await png(flat(16, 16, 200, 30, 30)), options);
  const { manifest, html } = textsOf(options);
  assert.deepEqual(JSON.parse(pack.text('site.webmanifest')), manifest);
  assert.equal(pack.text('favicon.html'), html);
});

describe('the manifest', () => {
  it('names the site and its icons, with the defaults of the API', () => {
    verifies(
      'favicon.pack.manifest',
      'favicon.name',
      'favicon.short-name',
      'favicon.theme-color',
      'favicon.background',
    );
    const { manifest } = textsOf();
    assert.deepEqual(manifest, {
      id: '/',
      name: 'My site',
      short_name: 'My site',
      start_url: '/',
      display: 'standalone',
      theme_color: '#ffffff',
      background_color: '#ffffff',
      icons: [
        { src: 'icon-192.png', sizes: '192x192', type: 'image/png', purpose: 'any' },
        { src: 'icon-512.png', sizes: '512x512', type: 'image/png', purpose: 'any' },
        { src: 'icon-maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
      ],
    });
  });

  it('takes names and colours as given; the # of a colour is optional', () => {
    verifies('favicon.name', 'favicon.short-name', 'favicon.theme-color', 'favicon.background');
    const { manifest, html } = textsOf({
      name: 'Harbour Café',
      short_name: 'Harbour',
      theme_color: '0B5FFF',
      background: '#FFcc00',
    });
    assert.equal(manifest.name, 'Harbour Café');
    assert.equal(manifest.short_name, 'Harbour');
    assert.equal(manifest.theme_color, '#0b5fff');
    assert.equal(manifest.background_color, '#ffcc00');
    assert.match(html, /<meta name="theme-color" content="#0b5fff">/);
  });

  it('uses the full name as the short name by default, however long', () => {
    verifies('favicon.short-name', 'favicon.name.length');
    for (const name of ['The Harbour and Beach Café of Koper', 'x'.repeat(60), '😀'.repeat(60)]) {
      const { manifest, html } = textsOf({ name });
      assert.deepEqual([manifest.name, manifest.short_name], [name, name]);
      assert.ok(html.includes(`<meta name="apple-mobile-web-app-title" content="${name}">`));
    }
  });
});

describe('the HTML lines for the page head', () => {
  it('reference every file that a page must reference', () => {
    verifies('favicon.pack.html');
    const { html } = textsOf({ theme_color: '#112233' });
    assert.deepEqual(html.split('\n'), [
      '<link rel="icon" href="/favicon.ico" sizes="16x16 32x32 48x48">',
      '<link rel="icon" type="image/png" sizes="16x16" href="/favicon-16x16.png">',
      '<link rel="icon" type="image/png" sizes="32x32" href="/favicon-32x32.png">',
      '<link rel="icon" type="image/png" sizes="48x48" href="/favicon-48x48.png">',
      '<link rel="apple-touch-icon" sizes="180x180" href="/apple-touch-icon.png">',
      '<link rel="manifest" href="/site.webmanifest">',
      '<meta name="theme-color" content="#112233">',
      '<meta name="apple-mobile-web-app-title" content="My site">',
      '',
    ]);
  });

  it('escape names in attributes and in the strings of the manifest', () => {
    const names = [
      '"><script>alert(1)</script>',
      "O'Neil & Søn's <b>",
      '\\", "x": "',
      '😀 שלום עולם',
      'line\nbreak\u2028',
    ];
    for (const name of names) {
      const { manifest, html } = textsOf({ name });
      assert.equal(manifest.name, name);
      const [, content = ''] = /<meta name="apple-mobile-web-app-title" content="([^"]*)">\n$/.exec(html) ?? [];
      const plain = content
        .replaceAll('&quot;', '"')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&amp;', '&');
      assert.equal(plain, name);
      assert.doesNotMatch(content, /[<>]/);
    }
  });
});
