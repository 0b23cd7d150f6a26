/** Correcting a mask with a brush by pointer, touch and keyboard: the new mask, and the service's result with it. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { type ComponentPage, withComponent } from '../../support/component-page.ts';
import { corpus, corpusSkipReason } from '../../support/corpus.ts';
import { withFolder } from '../../support/folder.ts';
import { MODELS_FOLDER, modelsSkipReason } from '../../support/models.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { scene } from '../../support/scenes.ts';
import { browserSkipReason } from '../../support/separate-browser.ts';
import { withServed } from '../../support/serve-process.ts';
import { decode, jpeg, pattern, pixel, type RawImage, sharpOf } from '../../support/test-images.ts';
import { traceMainThread } from '../../support/trace.ts';

/** Passes each new mask back to the editor, as a page that stores the mask does. */
const SOURCE = `
import { useState } from 'preact/hooks';
import { MaskEditor } from './ui/mask/mask-editor.tsx';
const [photo, first] = await Promise.all(['/photo', '/mask'].map(async (path) => (await fetch(path)).blob()));
const url = URL.createObjectURL(photo);
const image = new Image();
image.src = url;
await image.decode();
function Page() {
  const [mask, setMask] = useState(first);
  window.given = mask;
  return <MaskEditor image={{ url, width: image.naturalWidth, height: image.naturalHeight }} mask={mask} onMask={setMask} />;
}
let known = first;
window.nextGiven = async () => {
  while (window.given === known) await new Promise(requestAnimationFrame);
  known = window.given;
  return [...new Uint8Array(await known.arrayBuffer())];
};
`;

/** Encodes a mask with a disc that has a soft edge. */
async function discMask(width: number, height: number): Promise<Buffer> {
  const data = Buffer.alloc(width * height);
  for (let at = 0; at < data.length; at += 1) {
    const distance = Math.hypot((at % width) - width / 2, Math.floor(at / width) - height / 2);
    data[at] = Math.max(0, Math.min(255, (height * 0.3 - distance) * 12));
  }
  return sharp(data, { raw: { width, height, channels: 1 } })
    .toColourspace('b-w')
    .png()
    .toBuffer();
}

describe('correcting a mask', { skip: browserSkipReason }, () => {
  it('adds to and removes from the subject by pointer, undoes and redoes, and returns a PNG of the same size', async () => {
    const first = await discMask(300, 200);
    await withEditor(await jpeg(pattern(900, 600)), first, async ({ page, look }) => {
      const start = await decode(first);
      await look('mask-tint');
      await stroke(page, [0.05, 0.5], [0.3, 0.5]);
      const added = await nextMask(page);
      assert.deepEqual([added.width, added.height], [300, 200]);
      assert.equal(pixel(added, 30, 100)[0], 255);
      assert.equal(pixel(added, 30, 20)[0], pixel(start, 30, 20)[0]);
      await page.getByText('Remove', { exact: true }).click();
      await stroke(page, [0.5, 0.3], [0.5, 0.7]);
      const removed = await nextMask(page);
      assert.equal(pixel(removed, 150, 100)[0], 0);
      await page.getByText('Cut out', { exact: true }).click();
      await look('mask-cut');
      await page.getByText('Mask alone', { exact: true }).click();
      await look('mask-alone');
      for (const [button, expected] of [
        ['Undo', added],
        ['Undo', start],
        ['Redo', added],
        ['Redo', removed],
        ['Start over', start],
      ] as const) {
        await page.getByRole('button', { name: button }).click();
        assert.ok(grey(await nextMask(page)).equals(grey(expected)), button);
      }
      await page.getByRole('button', { name: 'Invert' }).click();
      assert.equal(pixel(await nextMask(page), 150, 100)[0], 0);
    });
  });

  it('works by keyboard alone, and announces its actions', async () => {
    await withEditor(await jpeg(pattern(900, 600)), await discMask(300, 200), async ({ page }) => {
      const { keyboard } = page;
      await page.getByRole('application', { name: 'Mask' }).focus();
      for (let press = 0; press < 7; press += 1) await keyboard.press('Shift+ArrowLeft');
      await page.getByText('0%, 50%: background').waitFor();
      await keyboard.press(']');
      await page.getByText('Brush of 24 pixels').waitFor();
      await keyboard.down('Space');
      for (let press = 0; press < 5; press += 1) await keyboard.press('ArrowRight');
      await keyboard.up('Space');
      await page.getByText('Added to the subject.').waitFor();
      const added = await nextMask(page);
      assert.deepEqual([pixel(added, 2, 100)[0], pixel(added, 28, 100)[0], pixel(added, 2, 150)[0]], [255, 255, 0]);
      await keyboard.press('x');
      await page.getByText('The brush removes.').waitFor();
      await keyboard.press('Space');
      assert.equal(pixel(await nextMask(page), 28, 100)[0], 0);
      await keyboard.press('Control+z');
      await page.getByText('Undone.').waitFor();
      assert.equal(pixel(await nextMask(page), 28, 100)[0], 255);
      const { width } = await imageBox(page);
      await keyboard.press('+');
      assert.ok((await imageBox(page)).width > width);
    });
  });

  it('paints with one finger; two fingers zoom and paint nothing', { skip: nightlyOnly }, async () => {
    const first = await discMask(300, 200);
    await withEditor(await jpeg(pattern(900, 600)), first, async ({ page }) => {
      const touch = await page.context().newCDPSession(page);
      const { x, y, width, height } = await imageBox(page);
      const send = (type: string, ...parts: [number, number][]) =>
        touch.send('Input.dispatchTouchEvent', {
          type: type as 'touchStart',
          touchPoints: parts.map(([across, down], id) => ({ x: x + across * width, y: y + down * height, id })),
        });
      await send('touchStart', [0.1, 0.1]);
      await send('touchMove', [0.2, 0.1]);
      await send('touchEnd');
      const painted = await nextMask(page);
      assert.equal(pixel(painted, 45, 20)[0], 255);
      await send('touchStart', [0.1, 0.9]);
      await send('touchStart', [0.1, 0.9], [0.5, 0.5]);
      await send('touchMove', [0.1, 0.9], [0.9, 0.2]);
      await send('touchEnd');
      assert.ok((await imageBox(page)).width > width * 1.5);
      await page.getByRole('button', { name: 'Invert' }).click();
      const inverted = await nextMask(page);
      assert.deepEqual(pixel(inverted, 30, 180)[0], 255, 'the first finger of the pinch painted');
    });
  });

  it('does not block the page while painting on a mask of 12 megapixels', { skip: nightlyOnly }, async (t) => {
    const photo = await sharpOf(scene('photo', 400, 300))
      .resize(4000, 3000)
      .jpeg()
      .toBuffer();
    await withEditor(photo, await discMask(1024, 768), async ({ page }) => {
      await page.getByLabel('Size', { exact: true }).fill('200');
      const tasks = await traceMainThread(page, async () => {
        for (const row of [0.2, 0.5, 0.8]) await stroke(page, [0.1, row], [0.9, 1 - row], 60);
      });
      t.diagnostic(`the longest of ${tasks.length}: ${JSON.stringify(tasks.slice(0, 3))}`);
      assert.ok(tasks.length > 100, `only ${tasks.length} tasks were seen`);
      assert.ok(tasks[0]!.busy < 200, `${tasks[0]!.busy} ms`);
    });
  });

  it('changes the cut-out of the service', { skip: modelsSkipReason || corpusSkipReason || nightlyOnly }, () =>
    withFolder((folder) =>
      withServed(
        join(folder, 'data'),
        async ({ address, key }) => {
          const authorization = `Bearer ${key}`;
          const photo = corpus('subject/rembg--animal-3.jpg')!;
          const removed = async (query: string, parts: Record<string, Uint8Array>): Promise<Buffer> => {
            const body = new FormData();
            for (const [name, bytes] of Object.entries(parts))
              body.append(name, new Blob([new Uint8Array(bytes)]), name);
            const url = `${address}/api/v1/remove-background?format=png${query}`;
            const answer = await fetch(url, { method: 'POST', headers: { authorization }, body });
            assert.equal(answer.status, 200, await answer.clone().text());
            return Buffer.from(await answer.arrayBuffer());
          };
          const mask = await removed('&mask=true', { image: photo });
          await withEditor(await sharp(photo).autoOrient().toBuffer(), mask, async ({ page, look }) => {
            await look('mask-animal');
            await stroke(page, [0.02, 0.1], [0.25, 0.1]);
            await nextMaskBytes(page);
            await page.getByText('Remove', { exact: true }).click();
            await stroke(page, [0.4, 0.5], [0.6, 0.5]);
            await look('mask-animal-corrected');
            const before = await decode(await removed('', { image: photo }));
            const corrected = await removed('', { image: photo, mask: await nextMaskBytes(page) });
            const after = await decode(corrected);
            if (process.env.CONSOLE_SHOTS)
              await sharp(corrected).toFile(join(process.env.CONSOLE_SHOTS, 'cut-out.png'));
            const alphaAt = (raw: RawImage, across: number, down: number) =>
              pixel(raw, Math.round(across * raw.width), Math.round(down * raw.height))[3]!;
            assert.ok(alphaAt(before, 0.1, 0.1) < 20 && alphaAt(after, 0.1, 0.1) > 235, 'what was added is not seen');
            assert.ok(alphaAt(before, 0.5, 0.5) > 235 && alphaAt(after, 0.5, 0.5) < 20, 'what was removed is seen');
          });
        },
        { IC_MODELS_DIR: MODELS_FOLDER },
      ),
    ),
  );
});

async function withEditor(photo: Uint8Array, mask: Uint8Array, work: (editor: ComponentPage) => Promise<void>) {
  await withComponent(
    SOURCE,
    async (editor) => {
      await editor.page.locator('canvas').waitFor();
      await work(editor);
    },
    { '/photo': photo, '/mask': mask },
  );
}

const imageBox = async (page: Page) => (await page.locator('canvas').boundingBox())!;

/** Draws a stroke between two points, given as fractions of the width and height of the image. */
async function stroke(page: Page, from: [number, number], to: [number, number], steps = 8): Promise<void> {
  const { x, y, width, height } = await imageBox(page);
  await page.mouse.move(x + from[0] * width, y + from[1] * height);
  await page.mouse.down();
  await page.mouse.move(x + to[0] * width, y + to[1] * height, { steps });
  await page.mouse.up();
}

/** Waits for the next change of the mask and returns its bytes. */
async function nextMaskBytes(page: Page): Promise<Buffer> {
  return Buffer.from((await page.evaluate('nextGiven()')) as number[]);
}

const nextMask = async (page: Page): Promise<RawImage> => decode(await nextMaskBytes(page));

/** Keeps the first channel: one byte per pixel. */
function grey({ data, channels }: RawImage): Buffer {
  return Buffer.from(data.filter((_, at) => at % channels === 0));
}
