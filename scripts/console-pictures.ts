/**
 * Draws the pictures of the console in README.md, docs/console.png and the animation docs/console.webp: Chromium uses the
 * console of the service at IMAGECREW_URL (http://127.0.0.1:8080) with the key in KEY, and the service makes the
 * animation from the screenshots.
 */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { ChromiumUnavailable, openChromium } from '../chromium/chromium.ts';
import { Recording } from './console-pictures/recording.ts';

const { IMAGECREW_URL: address = 'http://127.0.0.1:8080', KEY: key } = process.env;
if (!key) throw new Error('Expected a key for KEY but received nothing.');
const docs = (path: string): string => fileURLToPath(new URL(`../docs/${path}`, import.meta.url));

/** The whole result fits in. */
const VIEWPORT = { width: 1120, height: 944 };
const SOURCE = docs('examples/sources/photo.jpg');
/** Readme pages show nothing larger. */
const ANIMATION_WIDTH = 960;
const MAX_ANIMATION_BYTES = 600_000;
/** Where the divider goes, as shares of the width of the image. */
const SWEEP = [0.2, 0.8, 0.5];

const browser = await openChromium(process.env);
if (browser instanceof ChromiumUnavailable) throw new Error(browser.reason);
try {
  const page = await browser.newPage({ viewport: VIEWPORT, colorScheme: 'light', reducedMotion: 'reduce' });
  await page.goto(`${address}/#key=${key}`);
  await chooseButton(page).waitFor();
  const recording = await Recording.start(page);
  await compressAndCompare(page, recording);
  await writeFile(docs('console.png'), await send(await recording.still(), 'compress?format=png&quality=80'));
  await convertAndCompare(page, recording);
  const animation = await send(await recording.frames(), `gif?format=webp&quality=75&width=${ANIMATION_WIDTH}`);
  if (animation.byteLength > MAX_ANIMATION_BYTES)
    throw new Error(`Expected at most ${MAX_ANIMATION_BYTES} bytes but received ${animation.byteLength}.`);
  await writeFile(docs('console.webp'), animation);
  console.log(`Wrote docs/console.png and docs/console.webp, ${animation.byteLength} bytes.`);
} finally {
  await browser.close();
}

/** @param request operation and parameters */
async function send(image: Buffer, request: string): Promise<Buffer> {
  const answer = await fetch(`${address}/api/v1/${request}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}` },
    body: new Uint8Array(image),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return Buffer.from(await answer.arrayBuffer());
}

function chooseButton(page: Page): Locator {
  return page.locator('.file-drop button', { hasText: 'Choose an image' });
}

/** Chooses an image, and looks at the result with the divider. */
async function compressAndCompare(page: Page, recording: Recording): Promise<void> {
  await recording.hold(1000);
  await recording.moveTo(chooseButton(page));
  await page.locator('.file-drop input[type=file]').setInputFiles(SOURCE);
  await shown(page, 'Smaller than the original.');
  await recording.hold(1500);
  await sweep(page, recording);
}

/** Chooses another format and quality, and looks closely. */
async function convertAndCompare(page: Page, recording: Recording): Promise<void> {
  const format = page.getByLabel('Format', { exact: true });
  await recording.moveTo(format);
  await format.selectOption('avif');
  await recording.hold(700);
  const quality = page.getByLabel('Quality', { exact: true });
  await recording.moveTo(quality);
  await quality.fill('60');
  await recording.hold(700);
  await recording.moveTo(page.getByRole('button', { name: /^Run/ }));
  const answered = page.waitForResponse((response) => response.request().method() === 'POST');
  await page.getByRole('button', { name: /^Run/ }).click();
  await (await answered).finished();
  await shown(page, 'AVIF');
  await recording.hold(1500);
  await recording.moveTo(page.getByRole('button', { name: '100%' }));
  await page.getByRole('button', { name: '100%' }).click();
  await recording.hold(700);
  await sweep(page, recording);
  await recording.hold(1500);
}

async function shown(page: Page, text: string): Promise<void> {
  await page.getByRole('region', { name: 'Result', exact: true }).getByText(text, { exact: true }).first().waitFor();
  await page.getByRole('img', { name: 'Result' }).first().waitFor();
  await page.waitForLoadState('networkidle');
}

async function sweep(page: Page, recording: Recording): Promise<void> {
  const handle = page.getByRole('slider', { name: /Original/ });
  await recording.drag(handle, page.locator('.compare .viewport'), SWEEP);
}
