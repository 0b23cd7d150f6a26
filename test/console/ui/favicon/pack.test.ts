/** Reads a favicon package for its preview. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readPack, textColourOn } from '../../../../console/ui/favicon/pack.ts';
import { ICONS } from '../../../../engine/operations/favicon/icons.ts';
import { faviconParams } from '../../../../engine/operations/favicon/params.ts';
import { htmlText, manifestText, siteOf } from '../../../../engine/operations/favicon/texts.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('a pack of icons', () => {
  it('is read from its manifest and filenames', () => {
    const site = siteOf(faviconParams.parse({ name: 'Harbour Café', short_name: 'Harbour', theme_color: '#0B5FFF' }));
    const { files, html, ...read } = readPack({
      'favicon.ico': bytes('ico'),
      ...Object.fromEntries(ICONS.map(({ file }) => [file, bytes(file)])),
      'site.webmanifest': bytes(manifestText(site)),
      'favicon.html': bytes(htmlText(site)),
    });
    assert.deepEqual(read, {
      name: 'Harbour Café',
      shortName: 'Harbour',
      themeColour: '#0b5fff',
      background: '#ffffff',
      icons: {
        tab: ['favicon-16x16.png', 'favicon-32x32.png', 'favicon-48x48.png'],
        apple: 'apple-touch-icon.png',
        maskable: 'icon-maskable-512.png',
        app: 'icon-512.png',
      },
    });
    assert.equal(files.size, ICONS.length + 3);
    assert.equal(`${html}\n`, htmlText(site));
  });

  it('may lack any of these files', () => {
    const { icons, name } = readPack({});
    assert.deepEqual(icons, { tab: [], apple: undefined, maskable: undefined, app: undefined });
    assert.equal(name, '');
    assert.throws(() => readPack({ 'site.webmanifest': bytes('{') }), SyntaxError);
  });
});

describe('the text colour on a background', () => {
  it('is the more readable one', () => {
    const inks = ['#ffffff', '#000000', '#0b5fff', '#ffbb00', '#777777', '#707070'].map(textColourOn);
    assert.deepEqual(inks, ['#000000', '#ffffff', '#ffffff', '#000000', '#000000', '#ffffff']);
  });
});
