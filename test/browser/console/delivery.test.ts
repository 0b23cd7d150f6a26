/** Addresses of images and their cache, on the delivery page. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withConsole } from '../../support/console.ts';
import { withServer } from '../../support/http-server.ts';
import { browserSkipReason } from '../../support/separate-browser.ts';
import { flat, png } from '../../support/test-images.ts';

describe('the delivery page', { skip: browserSkipReason }, () => {
  it('makes an address, shows its image and removes it from the cache', async () => {
    const image = await png(flat(64, 48, 200, 30, 40));
    await withServer(
      (req, res) => {
        if (req.url === '/photo.png') res.writeHead(200, { 'content-type': 'image/png' }).end(image);
        else res.writeHead(404).end();
      },
      ({ origin }) =>
        withConsole(async ({ page, open, look }) => {
          await open('/delivery');
          await page.getByText('0 images, 0 B').waitFor();
          await look('delivery');
          await page.getByLabel('Original image').fill(`${origin}/photo.png`);
          await page.getByLabel('Width', { exact: true }).fill('32');
          await page.getByLabel('Format').selectOption('png');
          await page.getByLabel('Quality').fill('');
          await page.getByRole('button', { name: 'Make the image' }).click();
          const shown = page.getByAltText('What this address gives');
          await shown.waitFor();
          const size = await shown.evaluate((element) => {
            const { naturalWidth, naturalHeight } = element as unknown as Record<string, number>;
            return [naturalWidth, naturalHeight];
          });
          assert.deepEqual(size, [32, 24]);
          await page.getByText('was made').waitFor();
          await page.getByText(/^1 image, /).waitFor();
          await look('delivery-made');
          const address = await page.getByLabel('Address', { exact: true }).locator('code').textContent();
          const response = await fetch(address!);
          assert.equal(response.headers.get('x-ic-cache'), 'hit');

          await page.getByLabel('Address of the original').fill(`${origin}/photo.png`);
          await page.getByRole('button', { name: 'Remove' }).click();
          await page.getByText('1 removed.').waitFor();
          await page.getByText('0 images, 0 B').waitFor();

          await page.getByLabel('Original image').fill(`${origin}/missing.png`);
          await page.getByRole('button', { name: 'Make the image' }).click();
          await page.getByText('The image could not be made.').waitFor();
          // The last image stays.
          assert.ok(await shown.isVisible());
        }),
    );
  });
});
