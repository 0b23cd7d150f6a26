import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadCodec } from '../../../../codecs/formats/codecs.ts';
import { readXpmColour } from '../../../../codecs/formats/xpm/colour.ts';
import { isXpm } from '../../../../codecs/formats/xpm/read.ts';
import { x11Colour } from '../../../../codecs/formats/xpm/x11-colours.ts';
import { TRIED_PART } from '../../../support/damage.ts';
import { decodeWith, probeWith, readBitmap, readDamaged } from '../../../support/readers.ts';

const xpmReader = (await loadCodec('xpm')).reader!;

const XPM3 = `/* XPM */
static char * cat[] = {
/* a "comment" with quotes */
"3 2 3 1 0 0",
"a c red m white",
"b c #00F",
"  c light slate gray",
"ab ",
"baa"
};
`;

const RED = [255, 0, 0];
const BLUE = [0, 0, 255];
const SLATE = [119, 136, 153];
const PIXELS = [RED, BLUE, SLATE, BLUE, RED, RED].flat();

async function pixels(text: string): Promise<number[]> {
  return [...(await readBitmap(xpmReader, Buffer.from(text, 'latin1'))).data];
}

test('XPM 3: reads C strings, comments, names and numbers', async () => {
  assert.deepEqual(await pixels(XPM3), PIXELS);
});

test('XPM 2: reads lines', async () => {
  const text = '! XPM2\n3 2 3 1\na c red\nb c #00F\n  c light slate gray\nab \nbaa\n';
  assert.deepEqual(await pixels(text), PIXELS);
  assert.deepEqual(await pixels(text.replaceAll('\n', '\r\n')), PIXELS);
});

test('XPM 1: reads definitions', async () => {
  const text = `#define cat_format 1
#define cat_width 3
#define cat_height 2
#define cat_ncolors 3
#define cat_chars_per_pixel 1
static char *cat_mono[] = { "a", "black", "b", "white", " ", "white" };
static char *cat_colors[] = {
"a", "red", "b", "#0000ff", " ", "LightSlateGray" };
static char *cat_pixels[] = { "ab ", "baa" };
`;
  assert.deepEqual(await pixels(text), PIXELS);
});

test('reads keys of two and of three characters', async () => {
  for (const length of [2, 3]) {
    const key = (letter: string) => letter.repeat(length);
    const lines = XPM3.replace('3 1 0 0', `3 ${length}`)
      .replace(/^"([ab ]) /gm, (_, letter: string) => `"${key(letter)} `)
      .replace('"ab "', `"${key('a')}${key('b')}${key(' ')}"`)
      .replace('"baa"', `"${key('b')}${key('a')}${key('a')}"`);
    assert.deepEqual(await pixels(lines), PIXELS);
  }
});

test('reads None as transparent', async () => {
  const { data, channels } = await readBitmap(xpmReader, Buffer.from(XPM3.replace('light slate gray', 'None')));
  assert.equal(channels, 4);
  assert.deepEqual([...data.subarray(0, 12)], [...RED, 255, ...BLUE, 255, 0, 0, 0, 0]);
});

test('reads colours', () => {
  const cases: [text: string, colour: number | undefined][] = [
    ['c #123', 0x112233],
    ['c #123456', 0x123456],
    ['c #fff000888', 0xff0088],
    ['c #ffff00008080', 0xff0080],
    ['c #12', undefined],
    ['m black g gray50 c navy', 0x000080],
    ['m white g4 gray g grey51', 0x828282],
    ['s mask c None', -1],
    ['c no such colour', undefined],
    ['c no such colour m white', 0xffffff],
    ['c dark sea green 3', 0x9bcd9b],
    ['', undefined],
  ];
  for (const [text, colour] of cases) assert.equal(readXpmColour(text), colour, text);
});

test('reads the colour names of X11', () => {
  // Names that have other colours on the web keep their X11 colours here.
  for (const [name, colour] of [
    ['green', 0x00ff00],
    ['Maroon', 0xb03060],
    ['purple', 0xa020f0],
    ['grey', 0xbebebe],
    ['gray0', 0x000000],
    ['grey50', 0x7f7f7f],
    ['Gray90', 0xe5e5e5],
    ['gray100', 0xffffff],
    ['peach puff4', 0x8b7765],
    ['Light Goldenrod Yellow', 0xfafad2],
  ] as const) {
    assert.equal(x11Colour(name), colour, name);
  }
  for (const name of ['gray101', 'peachpuff5', 'constructor', '']) assert.equal(x11Colour(name), undefined, name);
});

test('shows missing and unknown pixels as black and marks the image as truncated', async () => {
  const cut = await readBitmap(xpmReader, Buffer.from(XPM3.slice(0, XPM3.indexOf('"baa"'))));
  assert.deepEqual([cut.truncated, ...cut.data.subarray(9)], [true, ...new Array(9).fill(0)]);
  const short = await readBitmap(xpmReader, Buffer.from(XPM3.replace('"ab "', '"a"')));
  assert.deepEqual([short.truncated, ...short.data.subarray(0, 12)], [true, ...RED, 0, 0, 0, 0, 0, 0, ...BLUE]);
  const unknown = await readBitmap(xpmReader, Buffer.from(XPM3.replace('"ab "', '"a? "')));
  assert.deepEqual([unknown.truncated, ...unknown.data.subarray(3, 6)], [true, 0, 0, 0]);
});

test('rejects other files and enforces its limits', async () => {
  assert.ok(isXpm(Buffer.from(XPM3)));
  assert.ok(isXpm(Buffer.from(`\n/*XPM*/${XPM3}`)));
  assert.ok(!isXpm(Buffer.from(XPM3.slice(10))));
  for (const [from, to] of [
    ['3 2 3 1', '0 2 3 1'],
    ['3 2 3 1', '3 2 0 1'],
    ['3 2 3 1', '3 2 3 17'],
    ['3 2 3 1', '3 2 99999999 1'],
    ['3 2 3 1', 'cat'],
  ] as const) {
    await assert.rejects(probeWith(xpmReader, Buffer.from(XPM3.replace(from, to))), { code: 'corrupt_image' }, to);
  }
  await assert.rejects(decodeWith(xpmReader, Buffer.from(XPM3), { maxPixels: 5 }), { code: 'image_too_large' });
});

test('returns an image or a failure for damaged files', async () => {
  assert.ok((await readDamaged(xpmReader, [Buffer.from(XPM3)], 1500)) > 200 * TRIED_PART);
});
