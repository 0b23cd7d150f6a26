/**
 * Draws watermark texts of many scripts with the service at IMAGECREW_URL (http://127.0.0.1:8080) and the key in KEY, and
 * with Chromium from the same font files. Prints how far they agree, as the table of docs/guides/compress.md, and writes
 * its image, with both side by side.
 */
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import sharp from 'sharp';
import { ChromiumUnavailable, NO_NETWORK, openChromium } from '../chromium/chromium.ts';
import { readSizes, SIZES } from '../server/docs/examples.ts';
import { drawInChromium, openTextPage } from './watermark-scripts/chromium.ts';
import { findInk, type Ink, overlap, toPng } from './watermark-scripts/ink.ts';
import { TEXT_SAMPLES, type TextSample } from './watermark-scripts/samples.ts';

const { IMAGECREW_URL: address = 'http://127.0.0.1:8080', KEY: key } = process.env;
if (!key) throw new Error('Expected a key for KEY but received nothing.');
const docs = (path: string): URL => new URL(`../docs/${path}`, import.meta.url);

/** The image on which the service draws. */
const CANVAS = { width: 800, height: 300 } as const;
const FIRST_FONT_SIZE = 64;
const IMAGE = 'watermark-scripts.webp';
const CELL = { width: 210, height: 36 } as const;
const GAP = 10;

const canvas = await sharp({ create: { ...CANVAS, channels: 3, background: '#ffffff' } })
  .png()
  .toBuffer();
const browser = await openChromium(process.env, [...NO_NETWORK, '--font-render-hinting=none', '--disable-lcd-text']);
if (browser instanceof ChromiumUnavailable) throw new Error(browser.reason);

interface Comparison {
  sample: TextSample;
  service: Ink;
  chromium: Ink;
}

async function drawWithService({ text }: TextSample): Promise<Buffer> {
  const query = new URLSearchParams({
    ...{ watermark_text: text, watermark_color: '#000000', watermark_opacity: '100', watermark_size: '75' },
    ...{ watermark_position: 'c', format: 'png', mode: 'lossless' },
  });
  const answer = await fetch(`${address}/api/v1/compress?${query}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}` },
    body: new Uint8Array(canvas),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return Buffer.from(await answer.arrayBuffer());
}

const rows: Comparison[] = [];
try {
  const page = await openTextPage(browser);
  for (const sample of TEXT_SAMPLES) {
    const service = await findInk(await drawWithService(sample));
    const first = await findInk(await drawInChromium(page, sample, FIRST_FONT_SIZE));
    // The service takes the width of the text, Chromium the size of the font.
    const fontSize = (FIRST_FONT_SIZE * service.width) / first.width;
    rows.push({ sample, service, chromium: await findInk(await drawInChromium(page, sample, fontSize)) });
  }
} finally {
  await browser.close();
}

console.log('| Script | Text | Width | Overlap |\n| --- | --- | ---: | ---: |');
for (const { sample, service, chromium } of rows) {
  const width = (100 * service.width * chromium.height) / (service.height * chromium.width) - 100;
  console.log(
    `| ${sample.name} | ${sample.text} | ${width.toFixed(1)}% | ${(100 * overlap(service, chromium)).toFixed(1)}% |`,
  );
}
const image = await contactSheet();
await writeFile(docs(`examples/images/${IMAGE}`), image.data);
const sizes = { ...(await readSizes()), [IMAGE]: [image.info.width, image.info.height] };
await writeFile(docs(SIZES), JSON.stringify(sizes));
execFileSync('npx', ['biome', 'format', '--write', 'docs/examples'], { stdio: 'inherit' });

/** A row for each text: the service on the left, Chromium on the right. */
async function contactSheet() {
  const drawn = rows.map(({ service, chromium }, row) =>
    Promise.all(
      [service, chromium].map(async (ink, column) => ({
        input: await sharp(await toPng(ink))
          .resize({ ...CELL, fit: 'inside' })
          .toBuffer(),
        left: GAP + column * (CELL.width + GAP),
        top: GAP + row * (CELL.height + GAP),
      })),
    ),
  );
  const [width, height] = [GAP + 2 * (CELL.width + GAP), GAP + rows.length * (CELL.height + GAP)];
  return sharp({ create: { width, height, channels: 3, background: '#ffffff' } })
    .composite((await Promise.all(drawn)).flat())
    .webp({ quality: 34, effort: 6 })
    .toBuffer({ resolveWithObject: true });
}
