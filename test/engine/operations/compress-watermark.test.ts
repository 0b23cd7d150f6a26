/** Watermarks, each checked by its effect on pixels. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Failure } from '../../../base/failure.ts';
import { type CompressOptions, compress } from '../../support/engine.ts';
import { isNightly } from '../../support/nightly.ts';
import { decode, flat, pixel, png, type RawImage } from '../../support/test-images.ts';
import { verifies } from '../../support/verifies.ts';

const LOSSLESS = { format: 'png', mode: 'lossless' } as const;

async function run(source: RawImage, options: CompressOptions, watermark?: Uint8Array): Promise<RawImage> {
  return decode((await compress(await png(source), { ...LOSSLESS, ...options }, watermark)).bytes);
}

const POSITIONS = ['tl', 'tc', 'tr', 'cl', 'c', 'cr', 'bl', 'bc', 'br'] as const;

describe('watermark', () => {
  const scene = flat(300, 200, 40, 40, 40);
  /** Returns the box around all pixels that a watermark has changed. */
  async function ink(options: CompressOptions, logo?: Uint8Array) {
    const marked = await run(scene, options, logo);
    const box = { left: 300, top: 200, right: -1, bottom: -1, brightest: 0, pixels: 0 };
    for (let y = 0; y < 200; y += 1) {
      for (let x = 0; x < 300; x += 1) {
        const [value = 0] = pixel(marked, x, y);
        if (value === 40) continue;
        box.left = Math.min(box.left, x);
        box.right = Math.max(box.right, x);
        box.top = Math.min(box.top, y);
        box.bottom = Math.max(box.bottom, y);
        box.brightest = Math.max(box.brightest, value);
        box.pixels += 1;
      }
    }
    return { ...box, width: box.right - box.left + 1, height: box.bottom - box.top + 1 };
  }

  test('text is drawn bottom right at 30 percent of the width, in half-transparent white', async () => {
    verifies(
      'compress.watermark-text',
      'compress.watermark-size',
      'compress.watermark-position.default',
      'compress.watermark-color.default',
      'compress.watermark-opacity',
    );
    const mark = await ink({ watermark_text: 'Imagecrew' });
    assert.ok(Math.abs(mark.width - 90) <= 2, `width ${mark.width}`);
    assert.ok(mark.left > 200 && mark.top > 150, 'bottom right');
    assert.ok(Math.abs(mark.brightest - (40 + 215 / 2)) <= 2, `brightness ${mark.brightest}`);
  });

  test('size, opacity and colour change the text', async () => {
    verifies('compress.watermark-color');
    const large = await ink({ watermark_text: 'Imagecrew', watermark_size: 80, watermark_opacity: 100 });
    assert.ok(Math.abs(large.width - 240) <= 2 && large.brightest === 255);
    const marked = await run(scene, {
      watermark_text: 'I',
      watermark_color: '#ff0000',
      watermark_opacity: 100,
      watermark_size: 40,
      watermark_position: 'c',
    });
    let reddest = [0, 0, 0];
    for (let x = 0; x < 300; x += 1)
      if ((pixel(marked, x, 100)[0] as number) > (reddest[0] as number)) reddest = pixel(marked, x, 100);
    assert.deepEqual(reddest.slice(0, 3), [255, 0, 0]);
  });

  test('every position is correct', async () => {
    verifies('compress.watermark-position');
    // Each row and each column twice.
    for (const position of isNightly ? POSITIONS : (['tl', 'c', 'br', 'tr', 'cl', 'bc'] as const)) {
      const { left, right, top, bottom } = await ink({ watermark_text: 'Mark', watermark_position: position });
      const [x, y] = [(left + right) / 2, (top + bottom) / 2];
      const column = position === 'c' || position.endsWith('c') ? 'c' : position.slice(-1);
      const row = position === 'c' ? 'c' : position[0];
      assert.equal(x < 110 ? 'l' : x > 190 ? 'r' : 'c', column, position);
      assert.equal(y < 70 ? 't' : y > 130 ? 'b' : 'c', row, position);
    }
  });

  test('tile repeats it over the whole image', async () => {
    verifies('compress.watermark-position.tile');
    const [one, many] = [
      await ink({ watermark_text: 'Mark' }),
      await ink({ watermark_text: 'Mark', watermark_position: 'tile' }),
    ];
    assert.ok(many.pixels > 3 * one.pixels && many.width > 220 && many.height > 150);
  });

  test('a logo keeps its aspect ratio and its transparency', async () => {
    verifies('compress.watermark-image');
    const logo = flat(40, 20, 250, 250, 250, 255);
    for (let y = 0; y < 20; y += 1) logo.data.set([0, 0, 0, 0], y * 40 * 4);
    const mark = await ink({ watermark_opacity: 100, watermark_position: 'tl' }, await png(logo));
    assert.ok(Math.abs(mark.width - 90) <= 3 && Math.abs(mark.height - 45) <= 2, `${mark.width} x ${mark.height}`);
    assert.equal(mark.brightest, 250);
  });

  test('a text that is too high for the image is made smaller, with a warning', async () => {
    const { warnings } = await compress(await png(flat(400, 20, 0, 0, 0)), {
      watermark_text: 'a\nb\nc',
      watermark_size: 100,
    });
    assert.deepEqual(warnings, ['watermark_shrunk']);
  });

  test('a logo that is not an image is rejected', async () => {
    await assert.rejects(
      compress(await png(scene), {}, Buffer.from('not an image')),
      (error) => error instanceof Failure && error.code === 'unsupported_format',
    );
  });

  const logo = () => png(flat(60, 30, 250, 0, 0, 255));
  const full = { watermark_opacity: 100 } as const;

  test('an offset moves it away from its edges, and from the centre to the right and down', async () => {
    verifies('compress.watermark-offset');
    const text = { ...full, watermark_text: 'Mark' };
    for (const [position, x, y] of [
      ['br', -1, -1],
      ['tl', 1, 1],
      ['c', 1, 1],
      ['tr', -1, 1],
      ['bc', 1, -1],
    ] as const) {
      const [still, moved] = await Promise.all([
        ink({ ...text, watermark_position: position }),
        ink({ ...text, watermark_position: position, watermark_x: 10, watermark_y: 20 }),
      ]);
      assert.deepEqual([moved.left - still.left, moved.top - still.top], [x * 30, y * 40], position);
      assert.deepEqual([moved.width, moved.height], [still.width, still.height], position);
    }
    const outside = await ink({ ...text, watermark_x: -20 });
    assert.ok(outside.right === 299 && outside.width < 60, 'a negative offset moves it over the edge');
    assert.equal((await ink({ ...text, watermark_x: -100, watermark_y: -100 })).pixels, 0);
  });

  test('a rotation turns it clockwise, and it stays inside the image', async () => {
    verifies('compress.watermark-rotate');
    const flatMark = await ink({ ...full, watermark_text: 'Mark' });
    const upright = await ink({ ...full, watermark_text: 'Mark', watermark_rotate: 90 });
    assert.ok(Math.abs(upright.height - flatMark.width) <= 2 && Math.abs(upright.width - flatMark.height) <= 2);
    const turned = await ink({ ...full, watermark_rotate: 90, watermark_position: 'c' }, await halves());
    assert.ok(turned.height > turned.width);
    const marked = await run(scene, { ...full, watermark_rotate: 90, watermark_position: 'c' }, await halves());
    assert.deepEqual(pixel(marked, 150, turned.top + 3).slice(0, 3), [250, 0, 0], 'the left half is at the top');
    assert.deepEqual(pixel(marked, 150, turned.bottom - 3).slice(0, 3), [0, 250, 0]);
    for (const degrees of [-180, -30, 45, 60]) {
      const options = { ...full, watermark_size: 100, watermark_rotate: degrees, watermark_text: 'Imagecrew' };
      const { left, right, top, bottom } = await ink(options);
      assert.ok(left >= 3 && top >= 3 && right <= 296 && bottom <= 196, `${degrees}: ${[left, right, top, bottom]}`);
    }
  });

  /** Red on the left, green on the right. */
  function halves(): Promise<Uint8Array> {
    const raw = flat(60, 30, 250, 0, 0);
    for (let at = 0; at < raw.data.length; at += 3) if ((at / 3) % 60 >= 30) raw.data.set([0, 250, 0], at);
    return png(raw);
  }

  test('watermark_scale gives a logo a size of its own, which the image limits', async () => {
    verifies('compress.watermark-scale');
    const own = await ink({ ...full, watermark_scale: 100, watermark_size: 80 }, await logo());
    assert.deepEqual([own.width, own.height], [60, 30]);
    const double = await ink({ ...full, watermark_scale: 200 }, await logo());
    assert.deepEqual([double.width, double.height], [120, 60]);
    const { warnings } = await compress(await png(scene), { ...LOSSLESS, watermark_scale: 1000 }, await logo());
    assert.deepEqual(warnings, ['watermark_shrunk']);
    const largest = await ink({ ...full, watermark_scale: 1000 }, await logo());
    assert.deepEqual([largest.width, largest.height], [292, 146]);
  });

  test('a logo stands above the text, centred, and never under it', async () => {
    const options = { ...full, watermark_text: 'Mark', watermark_color: '#0000ff' };
    for (const position of ['tl', 'br', 'c'] as const) {
      const marked = await run(scene, { ...options, watermark_position: position, watermark_scale: 100 }, await logo());
      const rows = (isPart: (red: number, blue: number) => boolean) =>
        boxOf(marked, (at) => isPart(marked.data[at]!, marked.data[at + 2]!));
      const [red, blue] = [rows((r, b) => r > 200 && b < 60), rows((r, b) => b > 200 && r < 60)];
      assert.deepEqual([red.right - red.left, red.bottom - red.top], [59, 29], 'the logo is whole');
      assert.ok(red.bottom < blue.top, position);
      assert.ok(Math.abs(red.left + red.right - blue.left - blue.right) <= 4, `${position}: centred`);
    }
    const { warnings } = await compress(
      await png(scene),
      { ...LOSSLESS, ...options, watermark_size: 100 },
      await png(flat(50, 50, 250, 0, 0)),
    );
    assert.deepEqual(warnings, ['watermark_shrunk']);
  });

  function boxOf({ width, height, channels }: RawImage, isInside: (at: number) => boolean) {
    const box = { left: width, top: height, right: -1, bottom: -1 };
    for (let index = 0; index < width * height; index += 1) {
      if (!isInside(index * channels)) continue;
      const [x, y] = [index % width, Math.floor(index / width)];
      box.left = Math.min(box.left, x);
      box.right = Math.max(box.right, x);
      box.top = Math.min(box.top, y);
      box.bottom = Math.max(box.bottom, y);
    }
    return box;
  }

  test('tiles are whole, evenly spread, and hold both the logo and the text', async () => {
    for (const [options, size] of [
      [{ watermark_scale: 100 }, [60, 30]],
      [{ watermark_scale: 100, watermark_rotate: 90 }, [30, 60]],
      [{ watermark_scale: 100, watermark_x: 7, watermark_y: -13 }, [60, 30]],
      [{ watermark_scale: 130 }, [78, 39]],
    ] as const) {
      const marked = await run(scene, { ...full, ...options, watermark_position: 'tile' }, await logo());
      const runs = (length: number, at: (index: number) => boolean) => {
        const found: { start: number; length: number }[] = [];
        for (let index = 0; index < length; index += 1) {
          if (!at(index)) continue;
          if (index > 0 && at(index - 1)) found.at(-1)!.length += 1;
          else found.push({ start: index, length: 1 });
        }
        return found;
      };
      const isRed = (x: number, y: number) => (pixel(marked, x, y)[0] as number) > 200;
      const columns = runs(300, (x) => Array.from({ length: 200 }, (_, y) => y).some((y) => isRed(x, y)));
      const rows = runs(200, (y) => Array.from({ length: 300 }, (_, x) => x).some((x) => isRed(x, y)));
      assert.ok(columns.length >= 2 && rows.length >= 2, 'several');
      assert.ok(columns.every(({ length }) => length === size[0]) && rows.every(({ length }) => length === size[1]));
      const pitches = new Set(columns.slice(1).map(({ start }, index) => start - columns[index]!.start));
      assert.equal(pitches.size, 1);
      if (!('watermark_x' in options)) {
        const after = 300 - columns.at(-1)!.start - size[0];
        assert.ok(Math.abs(columns[0]!.start - after) <= columns.length + 1, `${columns[0]!.start} and ${after}`);
      }
    }
    const both = { ...full, watermark_text: 'Mark', watermark_color: '#0000ff', watermark_size: 15 } as const;
    const marked = await run(scene, { ...both, watermark_position: 'tile' }, await logo());
    const count = (isPart: (red: number, blue: number) => boolean) =>
      marked.data.filter((_, at) => at % 3 === 0 && isPart(marked.data[at]!, marked.data[at + 2]!)).length;
    assert.ok(count((red) => red > 200) > 1000 && count((_red, blue) => blue > 200) > 200);
  });

  test('the outline has its colour, and its width follows the size of the letters', async () => {
    verifies('compress.watermark-outline');
    const options = { ...full, watermark_text: 'l', watermark_color: '#ffffff', watermark_position: 'c' } as const;
    const width = async (more: CompressOptions) => {
      const marked = await run(scene, { ...options, watermark_size: 20, ...more });
      const row = Array.from({ length: 300 }, (_, x) => pixel(marked, x, 100));
      return row.filter(([red = 0, green = 0]) => red > 200 && green < 60).length;
    };
    assert.equal(await width({}), 0);
    const [thin, thick] = [
      await width({ watermark_outline: '#ff0000' }),
      await width({ watermark_outline: '#ff0000', watermark_outline_width: 12 }),
    ];
    assert.ok(thin > 1 && thick > 1.8 * thin, `${thin} and ${thick}`);
  });

  test('a character that no font has is reported, and one of any script is not', async () => {
    const warnings = async (watermark_text: string) =>
      (await compress(await png(scene), { ...LOSSLESS, watermark_text })).warnings;
    assert.deepEqual(await warnings('a\u{10000}'), ['glyphs_missing']);
    assert.deepEqual(await warnings('© عربي 日本 हिन्दी 😀'), []);
  });
});
