import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Failure } from '../../../base/failure.ts';
import { loadLatin } from '../../../codecs/text/fonts.ts';
import { regionOf } from '../../../codecs/text/region.ts';
import { renderText, type TextImage } from '../../../codecs/text/render.ts';
import { nightlyOnly } from '../../support/nightly.ts';

const draw = (text: string, options: Partial<Parameters<typeof renderText>[0]> = {}) =>
  renderText({ text, color: '#ffffff', width: 300, maxHeight: 1000, ...options });

/** A character of Linear B. */
const NO_FONT = '\u{10000}';

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

/** The left half. */
const cropped = ({ data, width, height }: TextImage) =>
  Array.from({ length: height }, (_, y) => data.subarray(y * width * 4, (y * width + (width >> 1)) * 4).join());

const SCRIPT_SAMPLES = {
  arabic: 'حقوق النشر',
  hebrew: 'שלום עולם',
  simplified: '简体中文水印',
  traditional: '繁體中文浮水印',
  japanese: '日本語の透かし',
  korean: '한국어 워터마크',
  thai: 'ลายน้ำ',
  devanagari: 'क्षत्रिय हिन्दी',
  bengali: 'বাংলা',
  tamil: 'தமிழ்',
  telugu: 'తెలుగు',
  gujarati: 'ગુજરાતી',
  gurmukhi: 'ਪੰਜਾਬੀ',
  kannada: 'ಕನ್ನಡ',
  malayalam: 'മലയാളം',
  sinhala: 'සිංහල',
  khmer: 'ខ្មែរ',
  lao: 'ລາວ',
  myanmar: 'မြန်မာ',
  georgian: 'ქართული',
  armenian: 'Հայերեն',
  ethiopic: 'አማርኛ',
  emoji: '😀👍🏽👨‍👩‍👧',
  symbols: '★ ✓ → ☎ ♥ □',
};

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
    for (const text of ['fi č', 'fi Ελ', 'fi Ки', 'fi đ ẹ Ὰ Ѳ']) {
      const image = await draw(text);
      assert.equal(image.isMissingGlyphs, false);
      for (const character of text.replace(/^fi /, '').replaceAll(' ', '')) {
        assert.notDeepEqual(image, await draw(text.replace(character, NO_FONT)), `${character} of ${text} is a box`);
      }
    }
  });

  test('a character that no font has is drawn as one hollow box', async () => {
    assert.equal(countInkRuns(await draw(NO_FONT.repeat(3))), 3);
    const box = await draw(NO_FONT);
    assert.equal(box.isMissingGlyphs, true);
    assert.equal(alphaAt(box, box.width >> 1, box.height >> 1), 0);
    assert.equal(alphaAt(box, box.width >> 1, 2), 255);
    assert.equal(alphaAt(box, 2, box.height >> 1), 255);
    assert.equal((await draw('□')).isMissingGlyphs, false, 'the box itself is a character');
  });

  test('characters without a shape draw nothing', async () => {
    const plain = await draw('© Žiga');
    for (const hidden of ['\u0000', '\u0007', '\u200b', '\u2066', '\ufeff', '\u200d', '\u00ad']) {
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
    for (const text of ['\ud83d', '\ude00', '\uffff']) assert.deepEqual(await draw(text), await draw(NO_FONT));
  });

  test('every character of the font is drawn, or rejected as invisible', { skip: nightlyOnly }, async () => {
    const codePoints = (await loadLatin()).shaper.face.collectUnicodes();
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

describe('scripts', () => {
  test('every script has a font', async () => {
    for (const text of Object.values(SCRIPT_SAMPLES)) {
      const { isMissingGlyphs, data } = await draw(text);
      assert.equal(isMissingGlyphs, false, text);
      assert(data.some((value) => value > 0));
    }
  });

  test('Arabic letters join, across a joiner without width too', async () => {
    assert.equal(countInkRuns(await draw('\u0628\u0628\u0628')), 1);
    assert.equal(countInkRuns(await draw('\u0628\u200c\u0628')), 2, 'U+200C separates');
    assert.notDeepEqual(await draw('\u0647\u200d'), await draw('\u0647'), 'U+200D gives the initial form');
  });

  test('Devanagari letters become conjuncts, unless U+200C is between them', async () => {
    const conjunct = await draw('\u0915\u094d\u0937', { width: 1000, maxHeight: 100 });
    const apart = await draw('\u0915\u094d\u200c\u0937', { width: 1000, maxHeight: 100 });
    assert(conjunct.width < 0.8 * apart.width, `${conjunct.width} of ${apart.width}`);
  });

  test('the marks of Thai stand above their letter and take no width', async () => {
    const [plain, marked] = await Promise.all([draw('ก', { width: 100 }), draw('ก่', { width: 100 })]);
    assert(marked.height > 1.15 * plain.height, `${marked.height} against ${plain.height}`);
    assert.notDeepEqual(await draw('น้ำ'), await draw('นำ'));
  });

  test('Hebrew and Arabic run from right to left, and numbers in them from left to right', async () => {
    // Reversed by an override, the same letters stand in the order of the text.
    assert.deepEqual(await draw('\u202dאבג\u202c'), await draw('\u202eגבא\u202c'));
    assert.deepEqual(await draw('אב'), await draw('\u202dבא'));
    assert.deepEqual(await draw('אב 12'), await draw('\u202d12 בא'));
    assert.deepEqual(await draw('ab אב cd'), await draw('\u202dab בא cd'));
    assert.deepEqual(await draw('אב ab'), await draw('\u202dab בא'), 'the first letter decides');
    assert.deepEqual(await draw('א(ב'), await draw('\u202dב)א'), 'brackets are mirrored');
  });

  test('a decomposed syllable of Hangul is drawn like the composed one', async () => {
    assert.deepEqual(await draw('한국'.normalize('NFD')), await draw('한국'));
  });

  test('lines of tall letters do not meet', async () => {
    const { data, width, height } = await draw('ညြို\nညြို', { width: 200 });
    const rows = Array.from({ length: height }, (_, y) =>
      data.subarray(y * width * 4, (y + 1) * width * 4).some((value, at) => at % 4 === 3 && value > 0),
    );
    assert(rows.includes(false), 'an empty row');
  });

  test('Han characters have the forms of the region that the text shows', () => {
    for (const [text, region] of [
      ['图片', 'simplified'],
      ['中文', 'simplified'],
      ['圖片', 'traditional'],
      ['写真の', 'japanese'],
      ['働', 'japanese'],
      ['사진 中', 'korean'],
      ['ㄅ', 'traditional'],
      ['Žiga', 'simplified'],
    ] as const)
      assert.equal(regionOf(text), region, text);
  });

  test('the form follows the region', async () => {
    // Japan writes the character with other strokes.
    assert.notDeepEqual(await draw('骨图'), await draw('骨図'));
    assert.notDeepEqual(cropped(await draw('直图')), cropped(await draw('直の')));
  });
});

describe('emoji', () => {
  const colours = ({ data }: TextImage) => {
    const seen = new Set<string>();
    for (let at = 0; at < data.length; at += 4) if (data[at + 3] === 255) seen.add(data.subarray(at, at + 3).join());
    return seen;
  };

  test('keep their colours beside text of another one', async () => {
    const image = await draw('😀 a', { color: '#0000ff' });
    assert(colours(image).size > 50);
    assert(colours(image).has('0,0,255'), 'the letter');
    assert.deepEqual(await draw('😀', { color: '#ff0000' }), await draw('😀', { color: '#00ff00' }));
  });

  test('of several parts are one glyph', async () => {
    const one = await draw('😀', { width: 100 });
    for (const emoji of ['👍🏽', '👨‍👩‍👧', '👩‍🚀', '🇸🇮', '🏴‍☠️', '1️⃣', '❤️‍🔥', '☝🏽']) {
      const image = await draw(emoji, { width: 100 });
      assert.equal(image.isMissingGlyphs, false);
      assert(image.height > 0.6 * one.height, `${emoji}: ${image.height}`);
      assert(colours(image).size > 3, emoji);
    }
    assert.notDeepEqual(await draw('👍🏽'), await draw('👍🏿'), 'the colour of the skin');
    assert.notDeepEqual(await draw('🇸🇮'), await draw('🇮🇸'));
  });

  test('with two presentations are text without U+FE0F', async () => {
    assert.deepEqual([...colours(await draw('☎', { color: '#0000ff' }))], ['0,0,255']);
    assert(!colours(await draw('☎️', { color: '#0000ff' })).has('0,0,255'));
    assert.deepEqual(await draw('©'), await draw('©\ufe0e'));
  });
});

describe('outline', () => {
  const options = { color: '#ffffff', outline: { color: '#ff0000', width: 10 } };

  test('surrounds the letters in its colour, and covers none of them', async () => {
    const { data, width, height } = await draw('l l', { ...options, width: 200 });
    const row = Array.from({ length: width }, (_, x) => {
      const at = ((height >> 1) * width + x) * 4;
      return data.subarray(at, at + 4).join();
    });
    const changes = row.filter((pixel, x) => /,255$/.test(pixel) && pixel !== row[x - 1]);
    const [red, white] = ['255,0,0,255', '255,255,255,255'];
    assert.deepEqual(
      changes.filter((pixel) => pixel === red || pixel === white),
      [red, white, red, red, white, red],
    );
  });

  test('does not cross joined letters', async () => {
    const { data, width, height } = await draw('ببب', options);
    const isWhite = Array.from({ length: width }, (_, x) =>
      Array.from({ length: height }, (_, y) => (y * width + x) * 4).some((at) =>
        data.subarray(at, at + 4).every((value) => value === 255),
      ),
    );
    assert(!isWhite.slice(isWhite.indexOf(true), isWhite.lastIndexOf(true)).includes(false), 'white in every column');
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
