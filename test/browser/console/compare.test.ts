/** Comparing two images: divider, zoom and pan by pointer and keyboard, and how smooth they are. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { withComponent } from '../../support/component-page.ts';
import { withConsole } from '../../support/console.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { scene } from '../../support/scenes.ts';
import { browserSkipReason } from '../../support/separate-browser.ts';
import { jpeg, pattern, png, sharpOf } from '../../support/test-images.ts';
import { traceMainThread } from '../../support/trace.ts';

const SOURCE = `
import { Compare } from './ui/compare/compare.tsx';
async function open(path, label) {
  const url = URL.createObjectURL(await (await fetch(path)).blob());
  const image = new Image();
  image.src = url;
  await image.decode().catch(() => {});
  return { url, label, width: image.naturalWidth || 400, height: image.naturalHeight || 300 };
}
const [before, after] = await Promise.all([open('/before', 'Original'), open('/after', 'Result')]);
const overlay = <rect x="300" y="200" width="90" height="60" fill="none" stroke="red" />;
const Page = () => <Compare before={before} after={after} overlay={overlay} />;
`;

describe('comparing two images', { skip: browserSkipReason }, () => {
  it('shows them over each other, side by side, or one at a time', async () => {
    const files = { '/before': await png(pattern(900, 600, 4)), '/after': await jpeg(pattern(450, 300), 20) };
    await withComponent(
      SOURCE,
      async ({ page, look }) => {
        await untilVisible(page);
        await look('compare-slider');
        await page.getByText('Side by side').click();
        await look('compare-side');
        await page.getByText('Switch').click();
        await look('compare-switch');
        const hold = page.getByRole('button', { name: 'Hold to see Original' });
        await hold.focus();
        await page.keyboard.down('Space');
        await page.getByText('Original is shown').waitFor();
        assert.equal(await clipOf(page), 'inset(0px 0px 0px 100%)');
        await page.keyboard.up('Space');
        await page.getByText('Result is shown').waitFor();
        assert.equal(await clipOf(page), 'inset(0px 0px 0px 0%)');
      },
      files,
    );
  });

  it('shows images of different shapes completely, with the overlay of the first', { skip: nightlyOnly }, async () => {
    const files = { '/before': await png(pattern(900, 600)), '/after': await jpeg(pattern(300, 600)) };
    await withComponent(
      SOURCE,
      async ({ page, look }) => {
        await untilVisible(page);
        await page.getByText('Their shapes differ').waitFor();
        const [before, after, drawn] = await Promise.all(
          [...['Original', 'Result'].map((name) => page.getByRole('img', { name })), page.locator('rect')].map((part) =>
            part.boundingBox(),
          ),
        );
        assert.ok(Math.abs(after!.height - before!.height) < 1);
        assert.ok(Math.abs(after!.width - before!.width / 3) < 1);
        const scale = before!.width / 900;
        assert.ok(Math.abs(drawn!.x - before!.x - 300 * scale) < 3 && Math.abs(drawn!.width - 90 * scale) < 4);
        await look('compare-shapes');
      },
      files,
    );
  });

  it('says if the browser cannot show one of them', { skip: nightlyOnly }, async () => {
    const files = { '/before': Buffer.from('II*\0 a TIFF, say'), '/after': await jpeg(pattern(400, 300)) };
    await withComponent(
      SOURCE,
      async ({ page, look }) => {
        await page.getByText('Original: browsers do not show this format.').waitFor();
        await look('compare-unknown');
      },
      files,
    );
  });

  it('zooms with two fingers', { skip: nightlyOnly }, async () => {
    const files = { '/before': await png(pattern(900, 600)), '/after': await jpeg(pattern(900, 600)) };
    await withComponent(
      SOURCE,
      async ({ page }) => {
        await untilVisible(page);
        const touch = await page.context().newCDPSession(page);
        const { x, y, width } = (await page.getByRole('img', { name: 'Result' }).boundingBox())!;
        const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...parts: number[]) =>
          touch.send('Input.dispatchTouchEvent', {
            type,
            touchPoints: parts.map((part, id) => ({ x: x + part * width, y: y + 150, id })),
          });
        await send('touchStart', 0.4);
        await send('touchStart', 0.4, 0.6);
        await send('touchMove', 0.2, 0.8);
        await send('touchEnd');
        const near = (await page.getByRole('img', { name: 'Result' }).boundingBox())!;
        assert.ok(Math.abs(near.width / width - 3) < 0.05, `${near.width / width} times as large`);
        assert.equal(await page.getByRole('slider').getAttribute('aria-valuenow'), '50');
      },
      files,
    );
  });

  it('moves the divider by pointer and by keyboard', async () => {
    const files = { '/before': await png(pattern(900, 600)), '/after': await jpeg(pattern(900, 600), 20) };
    await withComponent(
      SOURCE,
      async ({ page }) => {
        await untilVisible(page);
        const divider = page.getByRole('slider', { name: 'Divider between Original and Result' });
        const value = () => divider.getAttribute('aria-valuenow');
        const stage = (await page.locator('.viewport').boundingBox())!;
        const [grip, quarter] = [0.5, 0.25].map((part) => [stage.x + part * stage.width, stage.y + 200] as const);
        await page.mouse.move(...grip!);
        await page.mouse.down();
        await page.mouse.move(...quarter!, { steps: 4 });
        await page.mouse.up();
        assert.equal(await value(), '25');
        assert.equal(await clipOf(page), 'inset(0px 0px 0px 25%)');
        await divider.focus();
        for (const [key, expected] of [
          ['ArrowRight', '27'],
          ['Shift+ArrowLeft', '17'],
          ['PageUp', '27'],
          ['End', '100'],
          ['Home', '0'],
        ] as const) {
          await page.keyboard.press(key);
          assert.equal(await value(), expected, key);
        }
        assert.equal(await divider.getAttribute('aria-valuetext'), '0% Original, 100% Result');
      },
      files,
    );
  });

  it('zooms and moves both at once by wheel, buttons, keys and drag, down to their pixels', {
    skip: nightlyOnly,
  }, async () => {
    const files = { '/before': await png(pattern(900, 600)), '/after': await jpeg(pattern(450, 300), 20) };
    await withComponent(
      SOURCE,
      async ({ page }) => {
        await untilVisible(page);
        const [before, after] = ['Original', 'Result'].map((name) => page.getByRole('img', { name }));
        const together = async () => {
          const [one, other] = [await before!.boundingBox(), await after!.boundingBox()];
          assert.deepEqual(one, other);
          return one!;
        };
        const whole = await together();
        await page.getByRole('button', { name: '100%' }).click();
        assert.equal(await page.locator('output').textContent(), '100%');
        assert.equal((await together()).width, 900);
        // The result has half as many pixels across, so its pixels become visible first.
        assert.deepEqual(await renderingOf(page), ['auto', 'auto']);
        await page.locator('.viewport').focus();
        await page.keyboard.press('+');
        assert.deepEqual(await renderingOf(page), ['auto', 'pixelated']);
        await page.keyboard.press('0');
        assert.deepEqual(await together(), whole);
        const at = { x: whole.x + whole.width / 4, y: whole.y + whole.height / 4 };
        await page.mouse.move(at.x, at.y);
        await page.mouse.wheel(0, -600);
        await page.locator('output', { hasText: /^3\d\d/ }).waitFor();
        const near = await together();
        assert.ok(Math.abs(near.width / whole.width - 4) < 0.01);
        assert.ok(Math.abs(at.x - near.x - near.width / 4) < 1, 'what was under the pointer stays there');
        await page.mouse.down();
        await page.mouse.move(at.x + 50, at.y + 30, { steps: 3 });
        await page.mouse.up();
        const moved = await together();
        assert.deepEqual([Math.round(moved.x - near.x), Math.round(moved.y - near.y)], [50, 30]);
        await page.keyboard.press('ArrowRight');
        assert.ok((await together()).x < moved.x);
      },
      files,
    );
  });
});

describe('comparing a photo of 20 megapixels', { skip: browserSkipReason }, () => {
  it(
    'has no task over 200 ms while the divider is dragged and the images are zoomed and moved',
    { skip: nightlyOnly },
    (t) =>
      withConsole(async ({ page, open, look }) => {
        const buffer = await sharpOf(scene('photo', 684, 456))
          .resize(5472, 3648)
          .jpeg({ quality: 95 })
          .toBuffer();
        await open('/try/compress');
        const input = page.locator('.file-drop input[type=file]');
        await input.setInputFiles({ name: 'photograph.jpg', mimeType: 'image/jpeg', buffer });
        await untilVisible(page);
        const tasks = await traceMainThread(page, () => useMouse(page));
        t.diagnostic(`the longest of ${tasks.length}: ${JSON.stringify(tasks.slice(0, 3))}`);
        assert.ok(tasks.length > 100, `only ${tasks.length} tasks were seen`);
        assert.ok(tasks[0]!.busy < 200, `${tasks[0]!.busy} ms`);
        const busy = await traceMainThread(page, () =>
          page.evaluate('for (const end = performance.now() + 300; performance.now() < end; );'),
        );
        assert.ok(
          busy.some(({ wall }) => wall > 290),
          'a task that is too long would not have been seen',
        );
        await look('compare-photograph');
      }),
  );
});

/** Waits until both images are visible. */
async function untilVisible(page: Page): Promise<void> {
  for (const name of ['Original', 'Result']) await page.locator('.compare').getByRole('img', { name }).waitFor();
}

/** Returns the clip path of the second image. */
const clipOf = (page: Page) =>
  page.evaluate('getComputedStyle(document.querySelectorAll(".viewport-pane")[1]).clipPath');
const renderingOf = (page: Page) =>
  page.evaluate('[...document.querySelectorAll("img")].map((image) => getComputedStyle(image).imageRendering)');

/** Simulates several seconds of mouse use: drags and zooms. */
async function useMouse(page: Page): Promise<void> {
  const stage = (await page.locator('.viewport').boundingBox())!;
  const middle = { x: stage.x + stage.width / 2, y: stage.y + stage.height / 2 };
  await dragBackAndForth(page, middle, 0.4, 0);
  await page.mouse.move(middle.x + 100, middle.y);
  for (let turn = 0; turn < 12; turn += 1) await page.mouse.wheel(0, -100);
  await dragBackAndForth(page, { x: middle.x + 200, y: middle.y }, 0.3, 0.3);
  await dragBackAndForth(page, middle, 0.4, 0);
  for (let turn = 0; turn < 12; turn += 1) await page.mouse.wheel(0, 100);
}

/** Drags back and forth by fractions of the width and height of the viewport. */
async function dragBackAndForth(
  page: Page,
  from: { x: number; y: number },
  across: number,
  down: number,
): Promise<void> {
  const { width, height } = (await page.locator('.viewport').boundingBox())!;
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  for (let step = 0; step <= 60; step += 1) {
    const way = Math.sin((step / 60) * 2 * Math.PI);
    await page.mouse.move(from.x + way * across * width, from.y + way * down * height);
  }
  await page.mouse.up();
}
