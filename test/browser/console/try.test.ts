/** The page Try, which runs an operation on an image. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { withConsole } from '../../support/console.ts';
import { corpus, corpusSkipReason } from '../../support/corpus.ts';
import { MODELS_FOLDER, modelsSkipReason } from '../../support/models.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { scene } from '../../support/scenes.ts';
import { browserSkipReason } from '../../support/separate-browser.ts';
import { jpeg, png } from '../../support/test-images.ts';

const PHOTO = { name: 'hills.jpg', mimeType: 'image/jpeg', buffer: await jpeg(scene('photo', 900, 600), 95) };

const choose = (page: Page, file: { name: string; mimeType: string; buffer: Buffer }) =>
  page.locator('.file-drop input[type=file]').setInputFiles(file);
const result = (page: Page) => page.getByRole('region', { name: 'Result', exact: true });

/** Downloads the result by its button. */
async function downloaded(page: Page): Promise<{ name: string; bytes: Buffer }> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    result(page)
      .getByRole('button', { name: /^Download/ })
      .click(),
  ]);
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

/** Clicks the button Run and waits for the response. */
async function run(page: Page): Promise<void> {
  const answered = page.waitForResponse((response) => response.request().method() === 'POST');
  await page.getByRole('button', { name: /^Run/ }).click();
  await (await answered).finished();
}

const openGroup = (page: Page, title: string) => page.locator('summary').getByText(title, { exact: true }).click();

describe('the Try page', { skip: browserSkipReason }, () => {
  it('shows a compressed image after one click and the choice of a file', () =>
    withConsole(async ({ page, address, key, look }) => {
      // The link that the service prints at its first start.
      await page.goto(`${address}/#key=${key}`);
      await page.locator('.file-drop button', { hasText: 'Choose an image' }).waitFor();
      await look('try-empty');
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        page.locator('.file-drop button', { hasText: 'Choose an image' }).click(),
      ]);
      await chooser.setFiles(PHOTO);
      await result(page).getByText('Smaller than the original.').waitFor();
      await page.getByRole('img', { name: 'Result' }).first().waitFor();
      await look('try-compressed');
      const { name, bytes } = await downloaded(page);
      assert.equal(name, 'hills.jpg');
      assert.ok(bytes.length < PHOTO.buffer.length);
    }));

  it('applies the settings, and shows errors beside their controls', () =>
    withConsole(async ({ page, open }) => {
      await open('/try/compress?quality=40');
      assert.equal(await page.getByLabel('Quality', { exact: true }).inputValue(), '40');
      await choose(page, PHOTO);
      await page.getByLabel('Format', { exact: true }).selectOption('png');
      await openGroup(page, 'Size');
      await page.getByLabel('Width', { exact: true }).fill('300');
      await page.getByText('The settings have changed since').waitFor();
      await run(page);
      await result(page).getByText('300 × 200', { exact: true }).waitFor();
      const { name, bytes } = await downloaded(page);
      const { format, width, height } = await sharp(bytes).metadata();
      assert.deepEqual({ name, format, width, height }, { name: 'hills.png', format: 'png', width: 300, height: 200 });
      assert.match(page.url(), /#\/try\/compress\?format=png&quality=40&width=300$/);

      await page.getByLabel('Quality', { exact: true }).fill('4x');
      await page.getByText('Expected an integer from 1 to 100 for quality but received "4x".').waitFor();
      await page.getByRole('button', { name: 'Run again' }).click();
      assert.equal(await page.evaluate('document.activeElement.value'), '4x');
      await page.getByRole('button', { name: 'Reset Quality' }).click();
      await page.getByLabel('Print width').fill('100');
      await run(page);
      const wrong = page.locator('[data-parameter=print_width] [role=alert]');
      assert.match((await wrong.textContent())!, /^Expected print_width without width but received both[.]/);
      assert.equal(await page.getByLabel('Width', { exact: true }).inputValue(), '300');
    }));

  it('keeps the image between operations, and shows each result', { skip: nightlyOnly }, () =>
    withConsole(async ({ page, open, look }) => {
      await open('/try');
      await page.getByRole('button', { name: 'A logo' }).click();
      await result(page).waitFor();
      await page.getByRole('link', { name: 'Favicon' }).click();
      await page.locator('.source-name', { hasText: 'logo.png' }).waitFor();
      await run(page);
      await result(page)
        .getByRole('button', { name: /^Download favicon/ })
        .waitFor();
      // The package has many files, so its size is not compared with that of the image.
      assert.match((await result(page).locator('.saved').textContent())!, /^[\d.]+ kB$/);
      await look('try-favicon');

      await page.getByRole('link', { name: 'Inspect' }).click();
      await run(page);
      await result(page).getByText('No location, camera or owner data found.').waitFor();
      await result(page).getByText('640 × 640', { exact: true }).waitFor();
      await look('try-inspect');

      await page.getByRole('link', { name: 'ID photo' }).click();
      await page.getByRole('searchbox', { name: 'Preset' }).fill('schengen visa');
      await page.getByRole('listbox').selectOption({ index: 0 });
      await run(page);
      await result(page)
        .getByRole('button', { name: /^Download/ })
        .waitFor();
      await look('try-id-photo');
      await page.getByRole('button', { name: 'Use result as source' }).click();
      await page.locator('.source-name', { hasText: 'logo.jpg' }).waitFor();
    }),
  );

  it('scrolls new content into view, and keeps the timeline of an animation', { skip: nightlyOnly }, () =>
    withConsole(async ({ page, open }) => {
      await page.setViewportSize({ width: 360, height: 740 });
      await open('/try/gif');
      const raw = { width: 40, height: 80, channels: 3, pageHeight: 40 } as const;
      const frames = await sharp(Buffer.alloc(40 * 80 * 3, 90).fill(200, 40 * 40 * 3), { raw })
        .gif({ delay: [100, 100] })
        .toBuffer();
      await choose(page, { name: 'a.gif', mimeType: 'image/gif', buffer: frames });
      const line = page.getByRole('slider', { name: 'Start of what is kept' });
      await line.waitFor();
      await page.getByRole('button', { name: /^Run/ }).scrollIntoViewIfNeeded();
      await page.evaluate('scrollTo(0, document.body.scrollHeight)');
      await run(page);
      await page.evaluate(`new Promise((resolve) => {
        const look = () => {
          const top = document.querySelector('.result')?.getBoundingClientRect().top;
          if (top >= 0 && top < innerHeight / 2) resolve();
          else requestAnimationFrame(look);
        };
        look();
      })`);
      await line.waitFor();
    }),
  );

  it('is stopped by a click, and a late result is not shown', { skip: nightlyOnly }, () =>
    withConsole(async ({ page, open }) => {
      await open('/try/compress');
      let release = () => {};
      const isHeld = new Promise<void>((resolve) => {
        release = resolve;
      });
      await page.route('**/api/v1/compress*', async (request) => {
        await isHeld;
        // A request that the page has cancelled cannot continue.
        await request.continue().catch(() => {});
      });
      const failed = page.waitForEvent('requestfailed');
      await choose(page, PHOTO);
      await page.getByRole('button', { name: 'Cancel' }).click();
      assert.equal((await failed).method(), 'POST');
      await page.getByRole('button', { name: 'Cancel' }).waitFor({ state: 'detached' });
      assert.equal(await result(page).count(), 0);
      release();
      await run(page);
      await result(page).getByText('Smaller than the original.').waitFor();
    }),
  );

  it('includes the key in the request only on demand', { skip: nightlyOnly }, () =>
    withConsole(async ({ page, open, key }) => {
      await open('/try/compress');
      await choose(page, PHOTO);
      const text = page.locator('.same-request pre');
      for (const language of ['curl', 'JavaScript', 'Python']) {
        await page.getByRole('tab', { name: language }).click();
        assert.match((await text.textContent())!, /\bKEY\b/, language);
        assert.ok(!(await text.textContent())!.includes(key), language);
        await page.getByLabel('With my key').check();
        assert.ok((await text.textContent())!.includes(key), language);
        await page.getByLabel('With my key').uncheck();
      }
    }),
  );

  it('sends no image until the user asks for it', { skip: nightlyOnly }, () =>
    withConsole(async ({ page, open }) => {
      const sent: string[] = [];
      page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
      await open('/try/compress?deliver_to=https%3A%2F%2Fexample.com%2Fa');
      await choose(page, PHOTO);
      await page.getByRole('img', { name: 'Original' }).waitFor();
      assert.deepEqual(sent, []);
    }),
  );

  it('rejects folders, and says that only one image is used', { skip: nightlyOnly }, () =>
    withConsole(async ({ page, open }) => {
      await open('/try');
      const drop = (folders: number, files: number) =>
        page.evaluate(
          ([folderCount, fileCount]) => {
            const item = (isDirectory: boolean) => ({
              kind: 'file',
              webkitGetAsEntry: () => ({ isDirectory }),
              getAsFile: () => new File(['no image'], 'a.txt'),
            });
            const event = new Event('drop', { bubbles: true, cancelable: true });
            const items = [
              ...Array.from({ length: folderCount! }, () => item(true)),
              ...Array.from({ length: fileCount! }, () => item(false)),
            ];
            Object.assign(event, { dataTransfer: { items } });
            document.querySelector('.file-drop')!.dispatchEvent(event);
          },
          [folders, files],
        );
      await drop(1, 0);
      await page.getByText('Folders cannot be used').waitFor();
      assert.equal(await page.locator('.source-name').count(), 0);
      await drop(0, 3);
      await page.getByText('the first of 3 was taken').waitFor();
      await page.locator('.source-name', { hasText: 'a.txt' }).waitFor();
    }),
  );

  it('reads the text of an image', { skip: nightlyOnly }, () =>
    withConsole(async ({ page, open, look }) => {
      await open('/try/ocr?words=true');
      await page.getByRole('button', { name: 'A receipt' }).click();
      await run(page);
      await result(page).getByText('Sparkling water').first().waitFor();
      await look('try-text');
    }),
  );

  it('explains problems with an image', () =>
    withConsole(async ({ page, open, look }) => {
      await open('/try');
      await page.getByLabel('Or the address of an image').fill('ftp://example.com/a.jpg');
      await page.getByRole('button', { name: 'Use it' }).click();
      await page.getByText('Expected an http or https address').waitFor();
      await page.getByLabel('Or the address of an image').fill('http://10.0.0.1/a.jpg');
      await page.getByRole('button', { name: 'Use it' }).click();
      await page.getByText('private or reserved').first().waitFor();
      assert.match(page.url(), /url=http/);
      await choose(page, { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no image') });
      await page.locator('code', { hasText: 'unsupported_format' }).waitFor();
      await look('try-refused');
      await choose(page, { name: 'nothing.jpg', mimeType: 'image/jpeg', buffer: Buffer.alloc(0) });
      await page.getByText('This file is empty').waitFor();
      await page.locator('.source-name', { hasText: 'notes.txt' }).waitFor();
      await choose(page, PHOTO);
      await result(page).getByText('Smaller than the original.').waitFor();
    }));

  it('shows only one image if the browser cannot show the other', () =>
    withConsole(async ({ page, open }) => {
      await open('/try/compress?format=png');
      const tiff = await sharp(await png(scene('photo', 60, 40)))
        .tiff()
        .toBuffer();
      await choose(page, { name: 'scan.tiff', mimeType: 'image/tiff', buffer: tiff });
      await page.getByText('This browser cannot show the original').waitFor();
      await page.getByLabel('Format', { exact: true }).selectOption('psd');
      await run(page);
      await result(page).getByText('This browser cannot show PSD').waitFor();
    }));

  it('works by keyboard alone', () =>
    withConsole(async ({ page, open }) => {
      await open('/try');
      await page.getByRole('button', { name: 'A landscape' }).focus();
      await page.keyboard.press('Enter');
      await result(page).getByText('Smaller than the original.').waitFor();
      await page.getByLabel('Quality, slider').focus();
      await page.keyboard.press('ArrowLeft');
      assert.equal(await page.getByLabel('Quality', { exact: true }).inputValue(), '74');
      await page.keyboard.press('Control+Enter');
      await page.getByText('The settings have changed since').waitFor({ state: 'detached' });
      assert.equal(await page.evaluate('document.activeElement.type'), 'range');
    }));

  it(
    'outlines faces, covers areas, and corrects a mask',
    { skip: corpusSkipReason || modelsSkipReason || nightlyOnly },
    () =>
      withConsole(
        async ({ page, open, look }) => {
          const people = Buffer.from(corpus('faces/face_recognition--two_people.jpg')!);
          await open('/try/faces');
          await choose(page, { name: 'people.jpg', mimeType: 'image/jpeg', buffer: people });
          await run(page);
          await result(page).getByRole('cell').first().waitFor();
          await look('try-faces');

          await page.getByRole('link', { name: 'Blur faces' }).click();
          await page.getByRole('button', { name: 'Draw on the image' }).click();
          await page.getByRole('button', { name: 'Find faces first' }).click();
          await page.getByRole('option', { name: 'Area 2' }).waitFor();
          await look('try-areas');
          await page.getByRole('button', { name: 'Done' }).click();
          assert.match(page.url(), /boxes=\d+%2C/);
          await run(page);
          await result(page).getByText('Areas covered').waitFor();

          await page.getByRole('link', { name: 'Remove background' }).click();
          await run(page);
          await result(page).getByRole('button', { name: 'Correct the mask' }).click();
          await page.getByRole('button', { name: 'Invert' }).click();
          await look('try-mask');
          const answered = page.waitForResponse((response) => response.url().includes('/remove-background'));
          await page.getByRole('button', { name: 'Run with this mask' }).click();
          assert.equal((await answered).status(), 200);
          await page.getByText('mask=@mask.png').waitFor();
          await page.getByText('Running').first().waitFor({ state: 'detached' });
          await look('try-cut-out');
        },
        { IC_MODELS_DIR: MODELS_FOLDER },
      ),
  );
});
