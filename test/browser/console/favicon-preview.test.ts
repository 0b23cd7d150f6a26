/** The preview of a favicon package. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { makePack } from '../../engine/favicon/pack.ts';
import { waitUntil, withComponent } from '../../support/component-page.ts';
import { repositoryFile } from '../../support/repository.ts';
import { browserSkipReason } from '../../support/separate-browser.ts';

const SOURCE = `
import { useEffect, useState } from 'preact/hooks';
import { FaviconPreview } from './ui/favicon/preview.tsx';
function Page() {
  const [pack, setPack] = useState();
  useEffect(() => {
    fetch('/pack').then((answer) => answer.blob()).then(setPack);
  }, []);
  return <div class="card"><h2>Result</h2>{pack && <FaviconPreview pack={pack} />}<button onClick={() => setPack(new Blob(['?']))}>Another</button></div>;
}`;

describe('the preview of a favicon pack', { skip: browserSkipReason }, () => {
  it('is shown in tabs, bookmarks, home screens and on the splash screen', async () => {
    const { zip, text, names } = await makePack(readFileSync(repositoryFile('console/icon.svg')), {
      name: 'Harbour Café and Gallery',
      short_name: 'Harbour',
      theme_color: '#0b5fff',
      background: '#f4efe4',
      padding: 4,
    });
    await withComponent(
      SOURCE,
      async ({ page, look }) => {
        await page.getByText('Browser tabs').waitFor();
        // All images are loaded.
        await waitUntil(
          page,
          'document.images.length > 10 && [...document.images].every((image) => image.complete && image.naturalWidth > 0)',
        );
        assert.equal(await page.getByText('Harbour Café and Gallery', { exact: true }).count(), 3);
        assert.equal(await page.getByRole('row').count(), names.length + 1);
        assert.equal(await page.locator('.code-block code').textContent(), text('favicon.html').trim());
        const background = await page
          .locator('.start-screen')
          .evaluate((screen) => getComputedStyle(screen).backgroundColor);
        assert.equal(background, 'rgb(244, 239, 228)');
        const natural = await page
          .locator('.app img.circle')
          .evaluate((icon) => (icon as HTMLImageElement).naturalWidth);
        assert.equal(natural, 512);
        await look('favicon-preview');
        await page.getByRole('button', { name: 'Another' }).click();
        await page.getByText('Expected a ZIP').waitFor();
      },
      { '/pack': zip },
    );
  });
});
