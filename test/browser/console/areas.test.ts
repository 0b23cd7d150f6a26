/** Areas of an image: one for a crop or an ID photo, many for faces and words. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { outputText, waitForOutput, withComponent } from '../../support/component-page.ts';
import { corpus, corpusSkipReason } from '../../support/corpus.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { scene } from '../../support/scenes.ts';
import { browserSkipReason } from '../../support/separate-browser.ts';
import { sharpOf } from '../../support/test-images.ts';

const PICKER = `
import { useState } from 'preact/hooks';
import { AreaPicker } from './ui/areas/area-picker.tsx';
const asked = new URLSearchParams(location.hash.slice(1));
function Page() {
  const [image, setImage] = useState();
  const [area, setArea] = useState();
  const [ratio, setRatio] = useState(asked.has('ratio') ? Number(asked.get('ratio')) : undefined);
  const measure = ({ currentTarget: { naturalWidth: width, naturalHeight: height } }) => setImage({ url: '/photo', width, height });
  return (
    <div class="card">
      {image
        ? <AreaPicker image={image} area={area} onArea={setArea} ratio={ratio} head={asked.has('head') ? [70, 80] : undefined} />
        : <img src="/photo" alt="" onLoad={measure} />}
      <button type="button" onClick={() => setRatio(1)}>Square</button>
      <output>{area ? [area.x, area.y, area.width, area.height].join() : 'none'}</output>
    </div>
  );
}`;

const BOXES = `
import { useState } from 'preact/hooks';
import { Boxes } from './ui/areas/boxes.tsx';
const asked = new URLSearchParams(location.hash.slice(1));
function Page() {
  const [boxes, setBoxes] = useState(JSON.parse(asked.get('boxes') ?? '[]'));
  const [image, setImage] = useState();
  const measure = ({ currentTarget: { naturalWidth: width, naturalHeight: height } }) => setImage({ url: '/photo', width, height });
  return (
    <div class="card">
      {image
        ? <Boxes image={image} boxes={boxes} {...(asked.has('edit') ? { onBoxes: setBoxes } : {})} />
        : <img src="/photo" alt="" onLoad={measure} />}
      <output>{JSON.stringify(boxes.map((box) => [box.label, box.x, box.y, box.width, box.height].join()))}</output>
    </div>
  );
}`;

const photo = (width = 600, height = 400) =>
  sharpOf(scene('photo', width, height))
    .jpeg()
    .toBuffer();

/** Drags over the image between two points, given as fractions of its width and height. */
async function drag(page: Page, from: [number, number], to: [number, number]): Promise<void> {
  const { x, y, width, height } = (await page.locator('.surface').boundingBox())!;
  await page.mouse.move(x + from[0] * width, y + from[1] * height);
  await page.mouse.down();
  await page.mouse.move(x + ((from[0] + to[0]) / 2) * width, y + ((from[1] + to[1]) / 2) * height);
  await page.mouse.move(x + to[0] * width, y + to[1] * height);
  await page.mouse.up();
}

/** Reloads the page with these settings in its fragment. */
async function show(page: Page, asked: Record<string, string>): Promise<void> {
  await page.goto(`${page.url().split('#')[0]}#${new URLSearchParams(asked)}`);
  await page.reload();
  await page.locator('.surface').waitFor();
}

/** Checks that each number is within two pixels: the page may place the image between pixels. */
function assertNear(text: string | null, ...numbers: number[]): void {
  const given = text!.split(',').map(Number);
  assert.ok(
    given.length === numbers.length && given.every((value, index) => Math.abs(value - numbers[index]!) <= 2),
    `${text} for ${numbers}`,
  );
}

describe('an area of an image', { skip: browserSkipReason }, () => {
  it('is drawn, moved, resized and cleared, by pointer, keys and numbers', async () =>
    withComponent(
      PICKER,
      async ({ page, look }) => {
        await show(page, {});
        await page.getByRole('application').focus();
        await page.keyboard.press('Enter');
        await waitForOutput(page, '150,100,300,200');
        await page.keyboard.press('Escape');
        assert.equal(await page.getByLabel('Width').inputValue(), '');
        await drag(page, [0.2, 0.2], [0.6, 0.7]);
        assertNear(await outputText(page), 120, 80, 240, 200);
        await look('area');
        await drag(page, [0.4, 0.4], [0.5, 0.5]);
        assertNear(await outputText(page), 180, 120, 240, 200);
        await drag(page, [0.7, 0.8], [2, 2]);
        assertNear(await outputText(page), 180, 120, 420, 280);
        await drag(page, [0.3, 0.65], [0.5, 0.65]);
        assertNear(await outputText(page), 300, 120, 300, 280);

        await page.getByLabel('Width').fill('200');
        await page.getByLabel('Top').fill('100');
        await page.getByLabel('Left').fill('50');
        await page.getByLabel('Height').fill('900');
        await waitForOutput(page, '50,100,200,300');
        await page.getByRole('application').focus();
        assert.equal(await page.getByLabel('Height').inputValue(), '300');
        for (const key of ['ArrowRight', 'ArrowUp', 'Shift+ArrowLeft', 'Shift+ArrowUp']) await page.keyboard.press(key);
        await waitForOutput(page, '53,97,197,297');
        await page.getByRole('button', { name: 'Square' }).click();
        await waitForOutput(page, '53,147,197,197');
        await drag(page, [0.3, 0.5], [0.3, 0.5]);
        await waitForOutput(page, '53,147,197,197');
        await page.getByRole('application').focus();
        await page.keyboard.press('Escape');
        await waitForOutput(page, 'none');
        // Without an area the fields show the default crop.
        assert.equal(await page.getByLabel('Width').inputValue(), '400');
        await page.keyboard.press('ArrowLeft');
        await waitForOutput(page, '97,0,400,400');
        await page.getByRole('button', { name: 'Clear' }).click();
        await waitForOutput(page, 'none');
      },
      { '/photo': await photo() },
    ));

  it('is drawn with a finger', async () =>
    withComponent(
      PICKER,
      async ({ page }) => {
        await show(page, {});
        const { x, y, width, height } = (await page.locator('.surface').boundingBox())!;
        const session = await page.context().newCDPSession(page);
        const touch = (type: string, ...at: [number, number][]) =>
          session.send('Input.dispatchTouchEvent', {
            type: type as 'touchStart',
            touchPoints: at.map(([across, down]) => ({ x: x + across * width, y: y + down * height })),
          });
        await touch('touchStart', [0.5, 0.5]);
        await touch('touchMove', [0.3, 0.4]);
        await touch('touchMove', [0.25, 0.25]);
        await touch('touchEnd');
        assertNear(await outputText(page), 150, 100, 150, 100);
      },
      { '/photo': await photo() },
    ));

  it('starts with the shape of an ID photo, with guides for the head', { skip: nightlyOnly }, async () => {
    const face = corpus('faces/face_recognition--obama-480p.jpg') ?? (await photo());
    await withComponent(
      PICKER,
      async ({ page, look }) => {
        await show(page, { ratio: String(35 / 45), head: '1' });
        await waitForOutput(page, 'none');
        await page.getByText('chin', { exact: true }).waitFor();
        await drag(page, [0.5, 0.5], [0.52, 0.5]);
        const [, , width, height] = (await outputText(page))!.split(',').map(Number);
        assert.ok(Math.abs(width! / height! - 35 / 45) < 0.01);
        await look('photo-area');
      },
      { '/photo': face },
    );
  });
});

describe('areas over an image', { skip: browserSkipReason }, () => {
  const THREE = [
    { label: 'First', x: 60, y: 40, width: 120, height: 120 },
    { label: 'Second', x: 300, y: 200, width: 200, height: 150 },
    { label: 'Third', x: 330, y: 230, width: 40, height: 40 },
  ];

  it('are labelled under the pointer and in a list', { skip: nightlyOnly }, async () =>
    withComponent(
      BOXES,
      async ({ page, look }) => {
        await show(page, { boxes: JSON.stringify(THREE) });
        const { x, y, width, height } = (await page.locator('.surface').boundingBox())!;
        await page.mouse.move(x + (350 / 600) * width, y + (250 / 400) * height);
        await page.locator('.box-label', { hasText: 'Third' }).waitFor();
        await page.locator('[role=option].lit', { hasText: 'Third' }).waitFor();
        await page.getByRole('listbox').focus();
        await page.mouse.move(0, 0);
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('ArrowDown');
        await page.locator('.box-label', { hasText: 'Second' }).waitFor();
        assert.equal(await page.getByRole('option', { selected: true }).textContent(), 'Second');
        await look('boxes');
      },
      { '/photo': await photo() },
    ),
  );

  it('are added, moved, resized and removed', async () =>
    withComponent(
      BOXES,
      async ({ page, look }) => {
        await show(page, { boxes: JSON.stringify(THREE), edit: '1' });
        const boxes = async () => JSON.parse((await outputText(page))!) as string[];
        await drag(page, [0.6, 0.05], [0.8, 0.3]);
        assertNear((await boxes())[3]!.replace('Area 1,', ''), 360, 20, 120, 100);
        await look('boxes-edited');
        await drag(page, [0.7, 0.15], [0.5, 0.15]);
        assertNear((await boxes())[3]!.replace('Area 1,', ''), 240, 20, 120, 100);
        await drag(page, [0.6, 0.3], [0.7, 0.4]);
        assertNear((await boxes())[3]!.replace('Area 1,', ''), 240, 20, 180, 140);

        await page.getByRole('listbox').focus();
        await page.keyboard.press('Home');
        await page.getByRole('application').focus();
        await page.keyboard.press('ArrowLeft');
        await page.keyboard.press('Shift+ArrowDown');
        assert.equal((await boxes())[0], 'First,57,40,120,123');
        await page.getByLabel('Width').fill('50');
        assert.equal((await boxes())[0], 'First,57,40,50,123');
        await page.getByRole('listbox').focus();
        await page.keyboard.press('Delete');
        assert.deepEqual((await boxes()).length, 3);
        assert.equal(await page.getByRole('option', { selected: true }).textContent(), 'Second');
        await page.getByRole('button', { name: 'Remove' }).click();
        await page.getByRole('button', { name: 'Remove' }).click();
        await page.getByRole('button', { name: 'Remove' }).click();
        assert.deepEqual(await boxes(), []);
        await page.getByText('No areas yet').waitFor();
        await page.getByRole('button', { name: 'Add' }).click();
        assert.deepEqual(await boxes(), ['Area 1,150,100,300,200']);
      },
      { '/photo': await photo() },
    ));

  it('stay fast for 2,000 words of a page', { skip: nightlyOnly }, async () =>
    withComponent(
      BOXES,
      async ({ page, look }) => {
        const words = Array.from({ length: 2000 }, (_, index) => ({
          label: `word ${index}`,
          x: 20 + (index % 20) * 60,
          y: 20 + Math.floor(index / 20) * 17,
          width: 50,
          height: 12,
        }));
        // Only 200 words for axe, which would take half a minute for all of them.
        await show(page, { boxes: JSON.stringify(words.slice(0, 200)) });
        await page.locator('[role=option]').nth(199).waitFor({ state: 'attached' });
        await look('words');
        await show(page, { boxes: JSON.stringify(words) });
        await page.locator('[role=option]').nth(1999).waitFor({ state: 'attached' });
        const { x, y, width } = (await page.locator('.surface').boundingBox())!;
        const scale = width / 1240;
        // Waits for each label before the next move, so that every move is drawn.
        for (const index of [0, 999, 1999, 5]) {
          const word = words[index]!;
          await page.mouse.move(x + (word.x + 25) * scale, y + (word.y + 6) * scale);
          await page.locator('.box-label', { hasText: word.label }).waitFor();
        }
        const entry = page.locator('[role=option].lit');
        assert.equal(await entry.textContent(), 'word 5');
        assert.ok(await entry.isVisible());
      },
      {
        '/photo': await sharpOf(scene('print', 1240, 1754))
          .png()
          .toBuffer(),
      },
    ),
  );
});

describe('faces in a photo', { skip: browserSkipReason || corpusSkipReason }, () => {
  it('have distinguishable boxes', { skip: nightlyOnly }, async () =>
    withComponent(
      BOXES,
      async ({ page, look }) => {
        const faces = [
          { label: 'Face 1, 99%', x: 290, y: 90, width: 160, height: 200 },
          { label: 'Face 2, 98%', x: 690, y: 90, width: 160, height: 200 },
        ];
        await show(page, { boxes: JSON.stringify(faces), edit: '1' });
        await page.getByRole('option').first().click();
        await look('faces');
      },
      { '/photo': corpus('faces/face_recognition--two_people.jpg')! },
    ),
  );
});
