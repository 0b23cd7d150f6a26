/** The page of jobs: starting one with files or addresses, watching it, downloading its results. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { unzipSync } from 'fflate';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { withConsole } from '../../support/console.ts';
import { withServer } from '../../support/http-server.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { scene } from '../../support/scenes.ts';
import { browserSkipReason } from '../../support/separate-browser.ts';
import { jpeg } from '../../support/test-images.ts';

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });

async function photos(count: number, width = 480) {
  return await Promise.all(
    Array.from({ length: count }, async (_, index) => ({
      name: `photo-${index + 1}.jpg`,
      mimeType: 'image/jpeg',
      buffer: await jpeg(scene('photo', width, Math.round(width / 1.5), index + 1)),
    })),
  );
}

describe('the jobs page', { skip: browserSkipReason }, () => {
  it('runs a saved pipeline over several files, shows each result, and downloads all as a ZIP', () =>
    withConsole(async ({ page, open, look }) => {
      await open('/jobs');
      await page.getByText('No job yet.').waitFor();
      await look('jobs-empty');

      const broken = { name: 'broken.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('this is no image') };
      await page.getByLabel('Choose images').setInputFiles([...(await photos(2)), broken]);
      await page.getByLabel('Action').selectOption({ label: 'avatar (template)' });
      await look('jobs-new');
      // A double click must not start two jobs.
      await button(page, 'Start the job with 3 images').dblclick();
      await page.getByText('An image that fails costs nothing.').waitFor();
      await page.getByRole('button', { name: 'Download all as ZIP' }).waitFor();
      assert.equal(await page.locator('.items > li').count(), 3);
      await page
        .locator('.items > li', { hasText: 'broken.jpg' })
        .getByText(/^Expected/)
        .waitFor();
      await page.locator('.items img').nth(1).waitFor();
      await page.getByText('Results live for an hour: the first is deleted in').waitFor();
      await look('jobs-done');

      const [zip] = await Promise.all([page.waitForEvent('download'), button(page, 'Download all as ZIP').click()]);
      assert.match(zip.suggestedFilename(), /^job_\w+\.zip$/);
      const files = unzipSync(await readFile(await zip.path()));
      assert.deepEqual(Object.keys(files), ['photo-1.png', 'photo-2.png']);
      for (const bytes of Object.values(files)) {
        const image = sharp(bytes);
        const { width, height, hasAlpha } = await image.metadata();
        assert.deepEqual([width, height, hasAlpha], [256, 256, true]);
        // The corner outside the circle is transparent.
        const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
        assert.equal(data[info.channels - 1], 0);
      }
      const [one] = await Promise.all([page.waitForEvent('download'), button(page, 'Download photo-2.png').click()]);
      assert.deepEqual(await readFile(await one.path()), Buffer.from(files['photo-2.png']!));

      await page.getByRole('link', { name: 'All jobs' }).click();
      await page.getByRole('link', { name: /avatar/ }).waitFor();
      assert.equal(await page.locator('.job-list > li').count(), 1);
      await page.getByLabel('Show').selectOption('failed');
      await page.getByText('None of the last hour is failed.').waitFor();
      await page.getByLabel('Show').selectOption('done');
      await page.getByRole('link', { name: /avatar/ }).waitFor();
      await look('jobs-list');
    }));

  it('accepts the logo of a pipeline in addition to the images', { skip: nightlyOnly }, () =>
    withConsole(async ({ page, open, address, key }) => {
      const steps = [{ op: 'watermark', params: { logo: true, watermark_position: 'c', watermark_opacity: 100 } }];
      const saved = await fetch(`${address}/api/v1/pipelines`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({
          name: 'signed',
          pipeline: { steps: [...steps, { op: 'compress', params: { format: 'png' } }] },
        }),
      });
      assert.ok(saved.ok, await saved.text());
      await open('/jobs');
      await page.getByLabel('Choose images').setInputFiles(await photos(1));
      assert.equal(await page.getByLabel('Logo').count(), 0);
      await page.getByLabel('Action').selectOption({ label: 'signed' });
      await button(page, 'Start the job with 1 image').click();
      await page.getByRole('alert').getByText('watermark_image').waitFor();
      const red = { width: 40, height: 40, channels: 3, background: '#ff0000' } as const;
      const logo = await sharp({ create: red }).png().toBuffer();
      await page.getByLabel('Logo').setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: logo });
      await button(page, 'Start the job with 1 image').click();
      const [file] = await Promise.all([page.waitForEvent('download'), button(page, 'Download photo-1.png').click()]);
      const { dominant } = await sharp(await readFile(await file.path()))
        .extract({ left: 238, top: 158, width: 4, height: 4 })
        .stats();
      assert.ok(dominant.r > 240 && dominant.g < 16 && dominant.b < 16, JSON.stringify(dominant));
    }),
  );

  it('follows a job across a reload, cancels it, and sends its webhook again', { skip: nightlyOnly }, async () => {
    const image = (await photos(1))[0]!.buffer;
    const held = new Map<string, () => void>();
    const webhooks: string[] = [];
    await withServer(
      (request, response) => {
        const answer = () => response.writeHead(200, { 'Content-Type': 'image/jpeg' }).end(image);
        if (request.method === 'POST') {
          webhooks.push(String(request.headers['webhook-id']));
          response.writeHead(204).end();
        } else if (request.url === '/1.jpg') answer();
        else held.set(request.url!, answer);
      },
      ({ origin }) =>
        withConsole(
          async ({ page, open, look }) => {
            await open('/jobs');
            await page.getByRole('tab', { name: 'Addresses' }).click();
            const addresses = [1, 2, 3, 4, 5].map((number) => `${origin}/${number}.jpg`);
            await page.getByLabel('Addresses of the images').fill(addresses.join('\n'));
            await page.getByText('Webhook', { exact: true }).click();
            await page.getByLabel('Address of the webhook').fill(`${origin}/hook?secret=1`);
            await button(page, 'Start the job with 5 images').click();
            await page.getByText('Images 1 of 5').waitFor();
            await look('jobs-running');
            await page.reload();
            await page.getByText('Images 1 of 5').waitFor();
            const [path, release] = [...held][0]!;
            release();
            await page.getByText('Images 2 of 5').waitFor();
            await page.locator('.items > li', { hasText: path }).getByText('done').waitFor();

            await button(page, 'Cancel the job').click();
            await look('jobs-cancel');
            await button(page, 'Cancel it').click();
            await page.getByText('2 done, 3 cancelled').waitFor();
            const again = page.getByRole('region', { name: 'Webhook' }).getByRole('button', { name: 'Send it again' });
            await again.click();
            await page.getByRole('region', { name: 'Attempts to deliver' }).locator('tbody tr').nth(1).waitFor();
            await look('jobs-cancelled');
            assert.equal(webhooks.length, 2);
            assert.equal(new Set(webhooks).size, 1);

            await button(page, 'New job with the 3 that are not done').click();
            assert.equal((await page.getByLabel('Addresses of the images').inputValue()).split('\n').length, 3);
          },
          { IC_ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8', IC_ALLOW_HTTP_WEBHOOKS: 'true' },
        ),
    );
  });

  it('explains invalid jobs, and keeps the input', { skip: nightlyOnly }, () =>
    withConsole(async ({ page, open }) => {
      await open('/jobs?preset=gone');
      await page.getByRole('tab', { name: 'Addresses' }).click();
      await page.getByLabel('Addresses of the images').fill('http://127.0.0.1/a.jpg');
      await button(page, 'Start the job with 1 image').click();
      await page
        .getByRole('alert')
        .getByText(/^Expected /)
        .waitFor();
      assert.equal(await page.getByLabel('Addresses of the images').inputValue(), 'http://127.0.0.1/a.jpg');
    }),
  );
});
