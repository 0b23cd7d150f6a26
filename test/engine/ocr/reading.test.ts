/** The text that `ocr` reads on pages with known text, and its positions. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { isNightly, nightlyOnly } from '../../support/nightly.ts';
import { type RawImage, sharpOf } from '../../support/test-images.ts';
import { verifies } from '../../support/verifies.ts';
import { drawPage, lineStart, SAMPLES } from './pages.ts';
import { ocr } from './support.ts';

const page = async (raw: RawImage | Promise<RawImage>): Promise<Buffer> =>
  sharpOf(await raw)
    .png()
    .toBuffer();
const english = SAMPLES.eng.join('\n');
const slovenian = SAMPLES.slv.join('\n');

describe('the text of a page', () => {
  it('is read exactly, in the requested language', async () => {
    verifies('ocr.endpoint', 'ocr.lang', 'ocr.languages', 'ocr.confidence', 'ocr.size');
    const read = await ocr(await page(drawPage(SAMPLES.eng)));
    assert.equal(read.text, english);
    assert.deepEqual(read.languages, ['eng']);
    assert.deepEqual([read.width, read.height, read.words], [808, 173, undefined]);
    assert.ok(read.confidence >= 90, `${read.confidence}`);
    assert.deepEqual(read.warnings, []);

    const other = await ocr(await page(drawPage(SAMPLES.slv)), { lang: 'slv' });
    assert.equal(other.text, slovenian);
    assert.deepEqual(other.languages, ['slv']);
  });

  it('is read in two languages at once', { skip: nightlyOnly }, async () => {
    verifies('ocr.lang');
    const mixed = [SAMPLES.slv[0], 'Ljubljana is the capital of Slovenia.', SAMPLES.slv[3]];
    for (const lang of ['slv,eng', 'eng,slv']) {
      const read = await ocr(await page(drawPage(mixed)), { lang });
      assert.equal(read.text, mixed.join('\n'));
      assert.deepEqual(read.languages, lang.split(','));
    }
    // Slovenian has no q. The Slovenian data read "guick" with a high confidence.
    assert.equal((await ocr(await page(drawPage(SAMPLES.eng)), { lang: 'slv,eng' })).text, english);
    // The English data have no č, š or ž.
    assert.notEqual((await ocr(await page(drawPage(mixed)))).text, mixed.join('\n'));
  });

  it('is read in small letters', async () => {
    for (const size of isNightly ? [10, 12] : [10]) {
      assert.equal((await ocr(await page(drawPage(SAMPLES.slv, { size })), { lang: 'slv' })).text, slovenian);
    }
  });

  it('is read in letters that fill the image', async () => {
    assert.equal((await ocr(await page(drawPage(['Exit 12'], { size: 300 })))).text, 'Exit 12');
  });

  it('is read when it is light on dark, and at low contrast', { skip: nightlyOnly }, async () => {
    for (const style of [
      { ink: '#eee', paper: '#111' },
      { ink: '#777', paper: '#444' },
      { ink: '#bbb', paper: '#fff' },
      { ink: '#1040c0', paper: '#e8e060' },
    ]) {
      assert.equal((await ocr(await page(drawPage(SAMPLES.eng, style)))).text, english);
    }
  });

  it('is read on a page that is half dark', { skip: nightlyOnly }, async () => {
    const light = await drawPage(SAMPLES.eng);
    const dark = await drawPage(SAMPLES.eng, { ink: '#fff', paper: '#222' });
    const both = { ...light, height: 2 * light.height, data: Buffer.concat([light.data, dark.data]) };
    assert.equal((await ocr(await page(both))).text.replace('\n\n', '\n'), `${english}\n${english}`);
  });

  it('is read on bars and buttons', async () => {
    const raw = await drawPage([
      'Number and price',
      '',
      'Wooden table with four legs',
      'Lamp with a green shade',
      '',
      'Order now',
    ]);
    const { data, width } = raw;
    for (const [top, bottom, left, right] of [
      [14, 50, 4, width - 4],
      [184, 220, 12, 160],
    ] as const) {
      for (let y = top; y < bottom; y++) {
        for (let at = (y * width + left) * 4; at < (y * width + right) * 4; at += 4) {
          const light = (255 - data[at]!) / 255;
          for (const [channel, level] of [10, 100, 195].entries()) data[at + channel] = level + (255 - level) * light;
        }
      }
    }
    const { text } = await ocr(await page(raw));
    assert.deepEqual(text.split(/\n+/), [
      'Number and price',
      'Wooden table with four legs',
      'Lamp with a green shade',
      'Order now',
    ]);
  });

  it('is read on nested panels, in light and in dark ink', async () => {
    const letters = await drawPage(['Media', 'Crop', 'Trim'], { size: 32 });
    const { data, width, height } = letters;
    const grounds = [
      { top: 0, side: 0, ground: [40, 60, 140], ink: [255, 255, 255] },
      { top: 62, side: 8, ground: [70, 180, 60], ink: [255, 255, 255] },
      { top: 107, side: 16, ground: [255, 240, 0], ink: [40, 60, 140] },
    ];
    for (const { top, side, ground, ink } of grounds) {
      for (let y = top; y < height - side; y++) {
        for (let x = side; x < width - side; x++) {
          const at = (y * width + x) * 4;
          // Letters outside all panels are in the red channel. Letters under a panel are kept in the fourth channel.
          const light = (top === 0 ? data[at]! : data[at + 3]!) / 255;
          data[at + 3] = 255 * light;
          for (let channel = 0; channel < 3; channel++) {
            data[at + channel] = Math.round(ink[channel]! * (1 - light) + ground[channel]! * light);
          }
        }
      }
    }
    for (let at = 3; at < data.length; at += 4) data[at] = 255;
    assert.deepEqual((await ocr(await page(letters))).text.split(/\n+/), ['Media', 'Crop', 'Trim']);
  });

  it('is read on a dark image in the middle of a page', async () => {
    const { data, width, height } = await drawPage(['Exit 12'], { ink: '#fff', paper: '#333' });
    const panel = sharp(data, { raw: { width, height, channels: 4 } }).extend({
      top: 90,
      bottom: 90,
      left: 60,
      right: 60,
      background: '#fff',
    });
    assert.equal((await ocr(await panel.png().toBuffer())).text, 'Exit 12');
  });

  it('is read under a shadow', async () => {
    const raw = await drawPage(SAMPLES.eng);
    for (let at = 0; at < raw.data.length; at += 4) {
      const light = 0.25 + (0.75 * ((at / 4) % raw.width)) / raw.width;
      for (let channel = at; channel < at + 3; channel++) raw.data[channel] = raw.data[channel]! * light;
    }
    assert.equal((await ocr(await page(raw))).text, english);
  });

  it('is read at every orientation of the page', { skip: nightlyOnly }, async () => {
    const upright = await page(drawPage(SAMPLES.eng));
    const { width = 0, height = 0 } = await sharp(upright).metadata();
    for (const turn of [90, 180, 270]) {
      const read = await ocr(await sharp(upright).rotate(turn).png().toBuffer());
      assert.equal(read.text, english);
      assert.deepEqual([read.width, read.height], turn === 180 ? [width, height] : [height, width]);
    }
  });

  it('is read when the page is skewed', { skip: nightlyOnly }, async () => {
    const upright = await page(drawPage(SAMPLES.eng));
    for (const tilt of [4, -9, 15, 86, 187])
      assert.equal(
        (await ocr(await sharp(upright).rotate(tilt, { background: '#fff' }).png().toBuffer())).text,
        english,
      );
  });

  it('is read column by column', { skip: nightlyOnly }, async () => {
    const columns = [
      [...SAMPLES.eng, ...SAMPLES.eng.slice(0, 3)],
      [...SAMPLES.eng.slice(1), ...SAMPLES.eng],
    ] as const;
    const [left, right] = await Promise.all(columns.map((lines) => page(drawPage(lines))));
    const { width = 0 } = await sharp(left).metadata();
    const both = sharp(left)
      .extend({ right: width, background: '#fff' })
      .composite([{ input: right!, left: width, top: 0 }]);
    const { text } = await ocr(await both.png().toBuffer());
    assert.equal(text, columns.map((lines) => lines.join('\n')).join('\n\n'));
  });

  it('keeps paragraphs apart', async () => {
    const lines = [
      'These lines belong together',
      'as anybody can see.',
      '',
      'Those below them begin',
      'another paragraph.',
    ];
    assert.equal((await ocr(await page(drawPage(lines)))).text, lines.join('\n'));
  });
});

interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Returns the share of the smaller rectangle that lies in both. */
function overlap(one: Rectangle, other: Rectangle): number {
  const width = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x);
  const height = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y);
  const common = Math.max(0, width) * Math.max(0, height);
  return common / Math.min(one.width * one.height, other.width * other.height);
}

describe('the word boxes', () => {
  const size = 40;
  const lines = ['alpha', 'Bravo', 'charlie'];
  /** Returns the boxes of the drawn words, ascenders included. The width is that of the ink. */
  async function drawnBoxes(raw: RawImage): Promise<Rectangle[]> {
    return Promise.all(
      lines.map(async (_, line) => {
        const [, baseline] = lineStart(size, line);
        const top = baseline - Math.round(size * 0.8);
        const strip = sharpOf(raw).extract({ left: 0, top, width: raw.width, height: baseline - top });
        const { data, info } = await strip.greyscale().raw().toBuffer({ resolveWithObject: true });
        const columns = Array.from({ length: info.width }, (_, x) =>
          Array.from({ length: info.height }, (_, y) => data[(y * info.width + x) * info.channels]!).some(
            (v) => v < 128,
          ),
        );
        const x = columns.indexOf(true);
        return { x, y: top, width: columns.lastIndexOf(true) + 1 - x, height: baseline - top };
      }),
    );
  }

  it('match the drawn words in whole pixels, line by line', async () => {
    const raw = await drawPage(lines, { size });
    const { words = [], text } = await ocr(await page(raw), { words: true });
    assert.equal(text, lines.join('\n'));
    assert.deepEqual(
      words.map((word) => [word.text, word.line]),
      lines.map((line, index) => [line, index + 1]),
    );
    for (const [index, box] of (await drawnBoxes(raw)).entries()) {
      const word = words[index]!;
      assert.ok(overlap(word, box) > 0.9, `${word.text} at ${JSON.stringify(word)}, drawn at ${JSON.stringify(box)}`);
      assert.ok(Math.abs(word.width - box.width) <= 4 && Math.abs(word.x - box.x) <= 4, JSON.stringify([word, box]));
      assert.ok(word.confidence >= 80 && word.confidence <= 100);
    }
  });

  it('match when the page is turned, skewed, small or large too', async () => {
    const raw = await drawPage(lines, { size });
    const upright = await page(raw);
    const drawn = await drawnBoxes(raw);
    const { width, height } = raw;
    const turned: Record<number, (box: Rectangle) => Rectangle> = {
      90: (box) => ({ x: height - box.y - box.height, y: box.x, width: box.height, height: box.width }),
      180: (box) => ({ ...box, x: width - box.x - box.width, y: height - box.y - box.height }),
      270: (box) => ({ x: box.y, y: width - box.x - box.width, width: box.height, height: box.width }),
    };
    for (const [turn, place] of Object.entries(turned)) {
      const { words = [] } = await ocr(await sharp(upright).rotate(Number(turn)).png().toBuffer(), { words: true });
      assert.deepEqual(
        words.map((word) => word.text),
        lines,
      );
      for (const [index, word] of words.entries()) assert.ok(overlap(word, place(drawn[index]!)) > 0.9);
    }
    for (const scale of [0.3, 3]) {
      const scaled = await sharp(upright)
        .resize(Math.round(width * scale))
        .png()
        .toBuffer();
      const { words = [] } = await ocr(scaled, { words: true });
      assert.deepEqual(
        words.map((word) => word.text),
        lines,
      );
      for (const [index, word] of words.entries()) {
        const box = drawn[index]!;
        const place = { x: box.x * scale, y: box.y * scale, width: box.width * scale, height: box.height * scale };
        assert.ok(overlap(word, place) > 0.9, JSON.stringify([word, place]));
      }
    }
  });

  it('are inside the image', async () => {
    // Cuts through the letters on all sides.
    const cut = await sharp(await page(drawPage(SAMPLES.eng)))
      .extract({ left: 30, top: 25, width: 500, height: 110 })
      .png()
      .toBuffer();
    const { words = [], width, height } = await ocr(cut, { words: true });
    assert.ok(words.length > 10);
    for (const word of words) {
      assert.ok(word.x >= 0 && word.y >= 0 && word.width >= 1 && word.height >= 1, JSON.stringify(word));
      assert.ok(word.x + word.width <= width && word.y + word.height <= height, JSON.stringify(word));
    }
  });
});
