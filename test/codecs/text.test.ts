import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Failure } from '../../base/failure.ts';
import { loadFont } from '../../codecs/font.ts';
import { renderText, type TextImage } from '../../codecs/text.ts';
import { nightlyOnly } from '../support/nightly.ts';

const draw = (text: string, options: Partial<Parameters<typeof renderText>[0]> = {}) =>
  renderText({ text, color: '#ffffff', width: 300, maxHeight: 1000, ...options });

const alphaAt = ({ data, width }: TextImage, x: number, y: number) => data[(y * width + x) * 4 + 3]!;

/** Returns the first and last columns and rows with ink. */
function inkBox(image: TextImage) {
  const columns = Array.from({ length: image.width }, (_, x) => x).filter((x) =>
    Array.from({ length: image.height }, (_, y) => y).some((y) => alphaAt(image, x, y) > 0),
  );
  const rows = Array.from({ length: image.height }, (_, y) => y).filter((y) =>
    Array.from({ length: image.width }, (_, x) => x).some((x) => alphaAt(image, x, y) > 0),
  );
  return { left: columns[0]!, right: columns.at(-1)!, top: rows[0]!, bottom: rows.at(-1)! };
}

/** Counts the parts that empty columns separate. */
function countInkRuns(image: TextImage): number {
  let count = 0;
  let inside = false;
  for (let x = 0; x < image.width; x++) {
    const ink = Array.from({ length: image.height }, (_, y) => alphaAt(image, x, y)).some((alpha) => alpha > 0);
    if (ink && !inside) count++;
    inside = ink;
  }
  return count;
}

const refused = (text: string, what: RegExp) =>
  assert.rejects(draw(text), (error) => {
    assert(error instanceof Failure);
    assert.equal(error.code, 'invalid_parameter');
    assert.equal(error.param, 'watermark_text');
    assert.match(error.message, what);
    return true;
  });

describe('size', () => {
  test('the longest line has exactly the requested width, and the ink reaches all four edges', async () => {
    for (const text of ['© Žiga', 'Imagecrew\nby Žiga', 'a', 'W'.repeat(200)]) {
      const image = await draw(text, { width: 317 });
      assert.equal(image.width, 317);
      assert.equal(image.data.length, image.width * image.height * 4);
      assert.equal(image.shrunk, false);
      const ink = inkBox(image);
      assert(ink.left <= 1 && ink.right >= image.width - 2, `ink from ${ink.left} to ${ink.right}`);
      assert(ink.top <= 1 && ink.bottom >= image.height - 2, `ink from ${ink.top} to ${ink.bottom} of ${image.height}`);
    }
  });

  test('text that would be too high is drawn at the maximum height', async () => {
    const image = await draw('I', { width: 300, maxHeight: 120 });
    assert.equal(image.height, 120);
    assert(image.width < 300);
    assert.equal(image.shrunk, true);
  });

  test('text of exactly the maximum height is not shrunk', async () => {
    const { height } = await draw('Imagecrew', { width: 300 });
    assert.equal((await draw('Imagecrew', { width: 300, maxHeight: height + 1 })).shrunk, false);
    assert.equal((await draw('Imagecrew', { width: 300, maxHeight: height - 1 })).shrunk, true);
  });

  test('text lower than a pixel still gives an image', async () => {
    const image = await draw('.'.repeat(200), { width: 50 });
    assert.deepEqual([image.width, image.height], [50, 1]);
    const narrow = await draw('l', { width: 300, maxHeight: 1 });
    assert.deepEqual([narrow.width, narrow.height], [1, 1]);
  });
});

describe('characters', () => {
  test('accents are drawn', async () => {
    for (const [plain, accented] of ['cč', 'sš', 'zž', 'eé', 'uü', 'oø', 'аӑ', 'αά', 'eệ'].map((pair) => [
      ...pair.normalize('NFC'),
    ])) {
      const [without, withAccent] = await Promise.all([draw(plain!), draw(accented!)]);
      assert.notDeepEqual(withAccent, without, `${accented} looks like ${plain}`);
    }
  });

  test('a decomposed character is drawn like the composed one', async () => {
    assert.deepEqual(await draw('Z\u030ciga'), await draw('Žiga'));
  });

  test('Latin, Greek and Cyrillic in one line are all drawn, also next to a ligature', async () => {
    const box = '日';
    for (const text of ['fi č', 'fi Ελ', 'fi Ки', 'fi đ ẹ Ὰ Ѳ']) {
      const image = await draw(text);
      for (const character of text.replace(/^fi /, '').replaceAll(' ', '')) {
        assert.notDeepEqual(image, await draw(text.replace(character, box)), `${character} of ${text} is a box`);
      }
    }
  });

  test('a character missing in the font is drawn as one hollow box', async () => {
    assert.equal(countInkRuns(await draw('日本語')), 3);
    assert.deepEqual(await draw('日'), await draw('□'));
    assert.deepEqual(await draw('☺'), await draw('□'));
    assert.deepEqual(await draw('a👨‍👩‍👧b'), await draw('a□b'), 'a joined emoji is one character');
    const box = await draw('日');
    assert.equal(alphaAt(box, box.width >> 1, box.height >> 1), 0);
    assert.equal(alphaAt(box, box.width >> 1, 2), 255);
    assert.equal(alphaAt(box, 2, box.height >> 1), 255);
  });

  test('characters without a shape are dropped', async () => {
    const plain = await draw('© Žiga');
    for (const hidden of ['\u0000', '\u0007', '\u200b', '\u202e', '\u2066', '\ufeff', '\ufe0f', '\u00ad']) {
      assert.deepEqual(await draw(`©${hidden} Žiga`), plain, `U+${hidden.charCodeAt(0).toString(16)}`);
    }
    assert.deepEqual(await draw(' \t© Žiga  '), plain);
  });

  test('markup is drawn as text', async () => {
    for (const text of ['<rect width="9" height="9"/>', '</text>', '&lt;', '&amp;', ']]>', '<!--', '&#65;']) {
      const image = await draw(text);
      assert(countInkRuns(image) >= 2, `${text} was not drawn letter by letter`);
    }
    assert.notDeepEqual(await draw('&lt;'), await draw('<'));
    assert.notDeepEqual(await draw('&#65;'), await draw('A'));
  });

  test('single surrogates and noncharacters are drawn as boxes', async () => {
    for (const text of ['\ud83d', '\ude00', '\uffff']) assert.deepEqual(await draw(text), await draw('□'));
  });

  test('every character of the font is drawn, or rejected as invisible', { skip: nightlyOnly }, async () => {
    const { codePoints } = await loadFont();
    let drawn = 0;
    for (const codePoint of codePoints) {
      try {
        await draw(String.fromCodePoint(codePoint), { width: 8, maxHeight: 8 });
        drawn++;
      } catch (error) {
        assert(error instanceof Failure && error.code === 'invalid_parameter', `U+${codePoint.toString(16)}: ${error}`);
      }
    }
    assert(drawn > 2900, `${drawn} drawn`);
  });
});

describe('lines', () => {
  test('are centred', async () => {
    const image = await draw('WWWWWWWW\ni', { width: 400 });
    const lower = {
      ...image,
      data: image.data.subarray((image.height >> 1) * image.width * 4),
      height: image.height - (image.height >> 1),
    };
    const { left, right } = inkBox(lower);
    assert(Math.abs(left + right - (image.width - 1)) <= 3, `${left} to ${right}`);
  });

  test('have the same height, also when empty', async () => {
    const heights = await Promise.all(
      ['W', 'W\nW', 'W\n\nW'].map(async (text) => (await draw(text, { width: 100 })).height),
    );
    assert(Math.abs(heights[2]! - heights[1]! - (heights[1]! - heights[0]!)) <= 1, heights.join());
  });

  test('are separated by every kind of line end, and one at the end adds no line', async () => {
    const image = await draw('ab\ncd');
    for (const text of ['ab\r\ncd', 'ab\rcd', 'ab\u2028cd', '\nab\ncd\n\n']) assert.deepEqual(await draw(text), image);
  });

  test('can be three, and a fourth is rejected', async () => {
    await draw('a\nb\nc');
    await refused('a\nb\nc\nd', /^Expected at most 3 lines for watermark_text/);
  });

  test('without visible characters are rejected', async () => {
    for (const text of [' ', '\n', '\u200b', '\u00a0\u2003', '\u0001'])
      await refused(text, /^Expected at least one visible/);
  });
});

describe('colour', () => {
  test('is the same in every pixel and not premultiplied', async () => {
    const { data } = await draw('Žiga', { color: '#3366cc' });
    const alphas = new Set<number>();
    for (let at = 0; at < data.length; at += 4) {
      assert.deepEqual([...data.subarray(at, at + 3)], [0x33, 0x66, 0xcc]);
      alphas.add(data[at + 3]!);
    }
    assert(alphas.has(0) && alphas.has(255) && alphas.size > 10, 'full, empty and partly covered pixels');
  });
});
