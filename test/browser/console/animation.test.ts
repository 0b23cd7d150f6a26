/** The timeline of the frames of an animation. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { waitForOutput, waitUntil, withComponent } from '../../support/component-page.ts';
import { corpus, corpusSkipReason } from '../../support/corpus.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { browserSkipReason } from '../../support/separate-browser.ts';

const SOURCE = `
import { useEffect, useState } from 'preact/hooks';
import { Timeline } from './ui/animation/timeline.tsx';
// As in a browser that has none.
if (location.hash === '#plain') delete globalThis.ImageDecoder;
function Page() {
  const [file, setFile] = useState();
  const [range, setRange] = useState([]);
  useEffect(() => {
    fetch('/animation').then((answer) => answer.blob()).then(setFile);
  }, []);
  return (
    <div class="card">
      {file && <Timeline file={file} start={range[0]} end={range[1]} onRange={(...next) => setRange(next)} />}
      <output>{range.map((side) => side ?? 'all').join()}</output>
    </div>
  );
}`;

const SIDE = 40;
const DELAY = 100;

/** Encodes an animation in which each frame has its own shade of grey. */
function greys(count: number, format: 'gif' | 'webp'): Promise<Buffer> {
  const data = Buffer.concat(Array.from({ length: count }, (_, index) => Buffer.alloc(SIDE * SIDE * 3, index * 10)));
  const raw = { width: SIDE, height: SIDE * count, channels: 3, pageHeight: SIDE } as const;
  const image = sharp(data, { raw });
  const delay = Array.from({ length: count }, () => DELAY);
  return (format === 'gif' ? image.gif({ delay }) : image.webp({ delay, lossless: true })).toBuffer();
}

/** Returns an expression for the page: the RGBA pixel of a canvas at a fraction of its width. */
const pixel = (canvas: string, across: number): string =>
  `(() => {
    const drawn = document.querySelector('${canvas}');
    // A copy: one that is read often is kept where the page is not drawn.
    const copy = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
    copy.drawImage(drawn, Math.floor((drawn.width - 1) * ${across}), drawn.height >> 1, 1, 1, 0, 0, 1, 1);
    return copy.getImageData(0, 0, 1, 1).data;
  })()`;
const showsFrame = (page: Page, frame: number) =>
  waitUntil(page, `Math.abs(${pixel('canvas.player', 0.5)}[0] - ${(frame - 1) * 10}) <= 3`);
/** Waits until all thumbnails are drawn. */
const hasStrip = (page: Page) => waitUntil(page, `${pixel('canvas.strip', 1)}[3] > 0`);

describe('the frames of an animation', { skip: browserSkipReason }, () => {
  for (const format of ['gif', 'webp'] as const)
    it(
      `are shown of ${format}, and trimmed by pointer, keys and numbers`,
      {
        skip: format === 'webp' && nightlyOnly,
      },
      async () =>
        withComponent(
          SOURCE,
          async ({ page, look }) => {
            await page.getByText('Frame 1 of 20').waitFor();
            await page.getByText('20 frames, 2.00 s').waitFor();
            await hasStrip(page);
            const middle = Number(await page.evaluate(`${pixel('canvas.strip', 0.51)}[0]`));
            assert.ok(middle > 80 && middle < 120, `${middle}`);

            const slider = (name: string) => page.getByRole('slider', { name });
            await slider('Start').focus();
            for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
            await waitForOutput(page, '0.3,all');
            assert.equal(await slider('Start').getAttribute('aria-valuetext'), '0.30 s, frame 4');
            await showsFrame(page, 4);
            await slider('End').focus();
            await page.keyboard.press('ArrowLeft');
            await waitForOutput(page, '0.3,1.9');
            await showsFrame(page, 19);

            const { x, y, width, height } = (await page.locator('.track').boundingBox())!;
            const end = (await slider('End').boundingBox())!;
            await page.mouse.move(end.x + end.width / 2, end.y + 10);
            await page.mouse.down();
            await page.mouse.move(x + width * 0.61, y + 10);
            await page.mouse.up();
            await waitForOutput(page, '0.3,1.2');
            await look(`timeline-${format}`);

            await page.mouse.move(x + width * 0.225, y + height / 2);
            await page.getByText('Frame 5 of 20, at 0.40 s').waitFor();
            await showsFrame(page, 5);
            await page.mouse.move(0, 0);
            await page.getByText('Frame 12 of 20').waitFor();
            await page.getByRole('button', { name: 'Next frame' }).click();
            await showsFrame(page, 13);
            await page.getByRole('button', { name: 'Play' }).click();
            // Playback restarts at the first frame that is kept.
            await page.getByText('Frame 4 of 20').waitFor();
            await page.getByText('Frame 12 of 20').waitFor();
            await page.getByText('Frame 4 of 20').waitFor();
            await page.getByRole('button', { name: 'Pause' }).click();
          },
          { '/animation': await greys(20, format) },
        ),
    );

  it('are trimmed without thumbnails if the browser cannot decode single frames', { skip: nightlyOnly }, async () =>
    withComponent(
      SOURCE,
      async ({ page, look }) => {
        await page.goto(`${page.url()}#plain`);
        await page.reload();
        await page.getByRole('img', { name: 'The animation' }).waitFor();
        await page.getByRole('slider', { name: 'End' }).focus();
        await page.keyboard.press('PageDown');
        await waitForOutput(page, 'all,1');
        assert.equal(await page.getByRole('button', { name: 'Play' }).count(), 0);
        await look('timeline-plain');
        await page.getByLabel('From second').fill('0.25');
        await page.getByLabel('To second').fill('1.55');
        await waitForOutput(page, '0.25,1.55');
        await page.getByText('Kept: 0.25 s to 1.55 s').waitFor();
      },
      { '/animation': await greys(20, 'gif') },
    ),
  );

  it('are replaced by one image and two fields if it is no animation', async () =>
    withComponent(
      SOURCE,
      async ({ page }) => {
        await page.getByLabel('From second').fill('2');
        await waitForOutput(page, '2,all');
        assert.equal(await page.getByRole('slider').count(), 0);
      },
      {
        '/animation': await sharp({ create: { width: 9, height: 9, channels: 3, background: '#aabbcc' } })
          .png()
          .toBuffer(),
      },
    ));

  it('are shown of a real file', { skip: corpusSkipReason || nightlyOnly }, async () =>
    withComponent(
      SOURCE,
      async ({ page, look }) => {
        await page.getByText(/Frame 1 of/).waitFor();
        await page.getByRole('slider', { name: 'Start' }).focus();
        await page.keyboard.press('PageUp');
        await hasStrip(page);
        await look('timeline-real');
      },
      { '/animation': corpus('gif/pillow--iss634.gif')! },
    ),
  );
});
