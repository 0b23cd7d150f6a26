/** The pipeline editor: editing by clicks, by keys and as JSON, running, saving and opening. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { withConsole } from '../../support/console.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { scene } from '../../support/scenes.ts';
import { browserSkipReason } from '../../support/separate-browser.ts';
import { jpeg } from '../../support/test-images.ts';

const photo = async () => ({
  name: 'garden.jpg',
  mimeType: 'image/jpeg',
  buffer: await jpeg(scene('photo', 900, 600)),
});

const steps = (page: Page) => page.locator('.steps > li strong').allTextContents();
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });

async function add(page: Page, name: string): Promise<void> {
  const one = page.locator('.ops button', { has: page.getByText(name, { exact: true }) });
  if (!(await one.isVisible())) await page.getByText('Add a step', { exact: true }).click();
  await one.click();
  await page.locator('.steps').getByText(name, { exact: true }).last().waitFor();
}

describe('the pipelines page', { skip: browserSkipReason }, () => {
  it('builds a pipeline by clicks, previews, runs and saves it, opens its versions and deletes it', () =>
    withConsole(async ({ page, open, look }) => {
      await open('/pipelines');
      await button(page, /^web/).waitFor();
      await look('pipelines-empty');

      await add(page, 'Compress');
      await page.getByLabel('Format', { exact: true }).selectOption('png');
      // The new step is inserted before the step that writes the file.
      await add(page, 'Resize');
      await page.locator('[data-parameter=width] input').last().fill('300');
      assert.deepEqual(await steps(page), ['Resize', 'Compress']);
      await page.getByLabel('Add a condition').first().selectOption('min_width');
      await page.getByLabel('Width at least', { exact: true }).fill('500');
      await page.getByText('if width at least 500').waitFor();
      await add(page, 'Adjust');
      await page.getByLabel('Grayscale').check();
      await look('pipelines-built');

      await page.getByLabel('Choose an image').setInputFiles(await photo());
      await button(page, 'Dry run').click();
      const plan = page.getByRole('region', { name: 'Steps of the dry run' });
      await plan.waitFor();
      assert.deepEqual(await plan.locator('tbody tr').allInnerTexts(), [
        '1 Resize\tyes\t300 × 200',
        '2 Adjust\tyes\t300 × 200',
        '3 Compress\tyes\t300 × 200',
      ]);
      await look('pipelines-dry-run');

      await button(page, 'Run it').click();
      await page.getByRole('region', { name: 'Steps of the run' }).waitFor();
      await look('pipelines-result');
      const [download] = await Promise.all([page.waitForEvent('download'), button(page, /^Download/).click()]);
      assert.equal(download.suggestedFilename(), 'garden.png');
      const result = sharp(await readFile(await download.path()));
      assert.deepEqual(await result.metadata().then(({ width, height, format }) => [width, height, format]), [
        300,
        200,
        'png',
      ]);
      const { channels } = await result.toColourspace('srgb').stats();
      assert.equal(channels[0]!.mean, channels[2]!.mean);

      await page.getByLabel('Name', { exact: true }).fill('small and grey');
      await button(page, 'Save').click();
      await page.getByText('Saved as small and grey, version 1.').waitFor();
      await page
        .getByRole('button', { name: /^Adjust|^2 Adjust/ })
        .first()
        .click();
      await button(page, 'Remove: Adjust, step 2').click();
      await page.getByText('Adjust is removed.').waitFor();
      await button(page, 'Save').click();
      await page.getByText('Saved as small and grey, version 2.').waitFor();
      await page.getByLabel('Versions of small and grey').selectOption('1');
      await page.locator('.steps').getByText('Adjust').waitFor();
      await look('pipelines-saved');
      assert.match(
        (await page.getByRole('link', { name: 'Use it for a job' }).getAttribute('href'))!,
        /preset=small.and.grey&version=1/,
      );

      await button(page, 'Delete').click();
      await look('pipelines-delete');
      await button(page, 'Delete it').click();
      await page.getByText('small and grey is deleted').waitFor();
      await page.getByText('None yet. Build one').waitFor();
      assert.deepEqual(await steps(page), ['Resize', 'Adjust', 'Compress']);
    }));

  it('moves steps by keys and buttons, and keeps the focus', { skip: nightlyOnly }, () =>
    withConsole(async ({ page, open }) => {
      await open('/pipelines');
      await button(page, /^thumbnail/).click();
      assert.deepEqual(await steps(page), ['Crop', 'Resize', 'Compress']);
      const focused = () =>
        page.evaluate('document.activeElement.closest("[data-step]")?.querySelector("strong").textContent');
      await page.locator('[data-part=toggle]').first().focus();
      await page.keyboard.press('Alt+ArrowDown');
      assert.deepEqual(await steps(page), ['Resize', 'Crop', 'Compress']);
      await page.getByText('Crop is step 2 of 3.').waitFor();
      assert.equal(await focused(), 'Crop');
      await button(page, 'Move up: Crop, step 2').focus();
      await page.keyboard.press('Enter');
      assert.deepEqual(await steps(page), ['Crop', 'Resize', 'Compress']);
      assert.equal(await focused(), 'Crop');
      await page.locator('.step-head').nth(0).dragTo(page.locator('.step-head').nth(1));
      assert.deepEqual(await steps(page), ['Resize', 'Crop', 'Compress']);

      await button(page, 'Duplicate: Crop, step 2').click();
      assert.deepEqual(await steps(page), ['Resize', 'Crop', 'Crop', 'Compress']);
      await button(page, 'Remove: Resize, step 1').click();
      assert.deepEqual(await steps(page), ['Crop', 'Crop', 'Compress']);
      await button(page, 'Undo').click();
      assert.deepEqual(await steps(page), ['Resize', 'Crop', 'Crop', 'Compress']);

      // After another pipeline is opened, this one can be restored.
      await button(page, /^email/).click();
      await button(page, 'Bring it back').click();
      assert.deepEqual(await steps(page), ['Resize', 'Crop', 'Crop', 'Compress']);
    }),
  );

  it('shows errors at their step', { skip: nightlyOnly }, () =>
    withConsole(async ({ page, open, look }) => {
      await open('/pipelines');
      await add(page, 'Resize');
      await page.locator('[data-parameter=width] input').last().fill('200');
      await add(page, 'Convert');
      await page.getByLabel('Choose an image').setInputFiles(await photo());
      await button(page, 'Dry run').click();
      const format = page.locator('.step', { hasText: 'Convert' }).locator('[data-parameter=format]');
      await format.getByText(/^Expected one of .* for steps\[1\]\.params\.format/).waitFor();
      await look('pipelines-wrong');
      await page.getByLabel('Format', { exact: true }).selectOption('webp');
      assert.equal(await page.locator('.step.wrong').count(), 0);
      await button(page, 'Move up: Convert, step 2').click();
      await button(page, 'Dry run').click();
      await page
        .locator('.step', { hasText: 'Resize' })
        .getByText(/^Expected no step that changes pixels after/)
        .waitFor();
    }),
  );

  it('can be edited as JSON, and survives a reload', { skip: nightlyOnly }, () =>
    withConsole(async ({ page, open, look }) => {
      await open('/pipelines');
      const tab = (name: string) => page.getByRole('tab', { name }).click();
      await add(page, 'Resize');
      await page.locator('[data-parameter=width] input').last().fill('640');
      await tab('JSON');
      const json = page.getByLabel('Pipeline as JSON');
      assert.deepEqual(JSON.parse(await json.inputValue()), { steps: [{ op: 'resize', params: { width: 640 } }] });
      const deep = { any: [{ not: { animated: true } }], not: { format: ['gif'] } };
      await json.fill(
        JSON.stringify({ steps: [{ op: 'flip', params: { flip: 'h' }, when: deep }, { op: 'compress' }] }),
      );
      await look('pipelines-json');
      await tab('Steps');
      assert.deepEqual(await steps(page), ['Flip', 'Compress']);
      await page.locator('[data-part=toggle]').first().click();
      await page.getByLabel('Any of several, as JSON', { exact: true }).waitFor();
      await look('pipelines-condition');

      await page.reload();
      await page.locator('[data-part=toggle]').first().waitFor();
      assert.deepEqual(await steps(page), ['Flip', 'Compress']);
      await tab('JSON');
      await json.fill('{"steps": [');
      await page.getByText('Expected valid JSON for the pipeline').waitFor();
      await page.reload();
      await page.getByText('The text in the JSON tab is no pipeline yet.').waitFor();
      await tab('JSON');
      assert.equal(await json.inputValue(), '{"steps": [');
    }),
  );
});
