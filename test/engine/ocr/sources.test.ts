/** `ocr` on images of every kind: without text, stored in other ways, or damaged. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp, { type Sharp } from 'sharp';
import { corpus, corpusSkipReason } from '../../support/corpus.ts';
import { makeRandom } from '../../support/damage.ts';
import { failureOf } from '../../support/failure.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { flat, png, sharpOf } from '../../support/test-images.ts';
import { verifies } from '../../support/verifies.ts';
import { characterErrorRate, drawPage, editDistance, SAMPLES } from './pages.ts';
import { ocr } from './support.ts';

const english = SAMPLES.eng.join('\n');
const page = async (): Promise<Sharp> => sharpOf(await drawPage(SAMPLES.eng)).flatten({ background: '#fff' });

describe('an image without text', () => {
  it('returns an empty text with confidence 0, and no warning', async () => {
    verifies('ocr.confidence', 'ocr.size');
    for (const [width, height] of [
      [1, 1],
      [3, 1],
      [600, 400],
    ] as const) {
      for (const level of [0, 128, 255]) {
        const read = await ocr(await png(flat(width, height, level, level, level)), { words: true });
        assert.deepEqual(read, {
          text: '',
          confidence: 0,
          languages: ['eng'],
          width,
          height,
          words: [],
          warnings: [],
        });
      }
    }
  });

  it('returns almost nothing for noise, with a warning', async () => {
    const random = makeRandom(7);
    const data = Buffer.from(Array.from({ length: 300 * 200 }, () => random(256)));
    const noise = await sharp(data, { raw: { width: 300, height: 200, channels: 1 } })
      .png()
      .toBuffer();
    const { text, warnings } = await ocr(noise);
    assert.ok(text.length < 80, text);
    assert.deepEqual(warnings, text === '' ? [] : ['low_confidence']);
  });
});

describe('the same page', () => {
  it('is read in every pixel format', { skip: nightlyOnly }, async () => {
    const files = {
      cmyk: (await page()).toColourspace('cmyk').jpeg({ quality: 95 }),
      deep: (await page()).toColourspace('rgb16').png(),
      grey: (await page()).greyscale().png(),
      bilevel: (await page())
        .resize(1616)
        .threshold(128)
        .toColourspace('b-w')
        .tiff({ bitdepth: 1, compression: 'ccittfax4' }),
      webp: (await page()).webp({ quality: 80 }),
      palette: (await page()).png({ palette: true, colours: 8 }),
    };
    for (const [kind, file] of Object.entries(files))
      assert.equal((await ocr(await file.toBuffer())).text, english, kind);
  });

  it('is read upright according to EXIF, with the displayed size', { skip: nightlyOnly }, async () => {
    const stored = {
      3: (await page()).rotate(180),
      6: (await page()).rotate(270),
      8: (await page()).rotate(90),
    };
    for (const [orientation, image] of Object.entries(stored)) {
      const turned = await image
        .withMetadata({ orientation: Number(orientation) })
        .jpeg({ quality: 95 })
        .toBuffer();
      const { text, width, height, words = [] } = await ocr(turned, { words: true });
      assert.equal(text, english, orientation);
      assert.deepEqual([width, height], [808, 173]);
      const [first] = words;
      assert.ok(first && first.x < 40 && first.y < 40 && first.width > first.height, JSON.stringify(first));
    }
  });

  it('is read on a transparent background, in black or white', async () => {
    for (const ink of ['#000', '#fff'])
      assert.equal((await ocr(await png(await drawPage(SAMPLES.eng, { ink, paper: 'none' })))).text, english, ink);
  });

  it('is read in a corner of an image of 20,000 pixels', { skip: nightlyOnly }, async () => {
    const wide = await (await page())
      .extend({ right: 20_000 - 808, background: '#fff' })
      .png()
      .toBuffer();
    const { text, width, words = [] } = await ocr(wide, { words: true });
    assert.equal(text, english);
    assert.equal(width, 20_000);
    assert.ok(words.every((word) => word.x + word.width < 808));
  });

  it('is read in a very large image, at a tenth of its scale', { skip: nightlyOnly }, async () => {
    const large = await (await page()).resize(12_120, undefined, { kernel: 'cubic' }).jpeg({ quality: 80 }).toBuffer();
    const { text, width, height, words = [] } = await ocr(large, { words: true });
    assert.equal(text, english);
    assert.deepEqual([width, height], [12_120, 2595]);
    assert.ok(words.at(-1)!.y > 1800);
  });
});

describe('a file', () => {
  it('that is not an image, or is corrupt, is rejected', async () => {
    await failureOf('unsupported_format', () => ocr(Buffer.from('The quick brown fox')));
    const whole = await (await page()).png().toBuffer();
    await failureOf('corrupt_image', () => ocr(Buffer.concat([whole.subarray(0, 60), Buffer.alloc(400, 9)])));
    await failureOf('page_out_of_range', () => ocr(whole, { page: 2 }));
  });

  it('that is truncated is read as far as it goes', async () => {
    const raw = await drawPage([...SAMPLES.eng, ...SAMPLES.eng, ...SAMPLES.eng], { size: 40 });
    const whole = await sharpOf(raw).flatten({ background: '#fff' }).jpeg({ quality: 95 }).toBuffer();
    const { text, warnings } = await ocr(whole.subarray(0, whole.length * 0.6));
    assert.ok(text.startsWith(SAMPLES.eng[0]), text);
    assert.ok(!text.endsWith(SAMPLES.eng[3]), text);
    assert.ok(warnings.includes('truncated_source'));
  });
});

describe('pages of the corpus', { skip: corpusSkipReason }, () => {
  it('match their transcriptions, at every orientation', { skip: nightlyOnly }, async () => {
    const written = Buffer.from(corpus('text/test--phototest.txt')!).toString();
    for (const name of ['phototest.tif', 'phototest-rotated-R.png', 'phototest-rotated-180.png']) {
      const { text } = await ocr(corpus(`text/test--${name}`)!);
      assert.equal(characterErrorRate(text, written), 0, name);
    }
  });

  it('are scaled up enough to be read, on all nested backgrounds', { skip: nightlyOnly }, async () => {
    const { text, width, height } = await ocr(corpus('pdf/libvips--page-box.pdf')!);
    assert.equal(text, 'CROP\nBLEED\nTRIM\nART');
    assert.deepEqual([width, height], [1477, 1991]);
  });

  it('are read column by column', { skip: nightlyOnly }, async () => {
    const written = Buffer.from(corpus('text/test--8087_054.3B.txt')!).toString();
    const { text } = await ocr(corpus('text/test--8087_054.3B.tif')!);
    // The transcription places the caption of the figure elsewhere and has other quotation marks.
    assert.ok(editDistance(text, written, true) / written.length < 0.1);
  });
});
