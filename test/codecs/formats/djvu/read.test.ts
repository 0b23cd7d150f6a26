import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Bitmap } from '../../../../codecs/bitmap.ts';
import { reader as djvuReader } from '../../../../codecs/formats/djvu/read.ts';
import { TRIED_PART } from '../../../support/damage.ts';
import { failureOf } from '../../../support/failure.ts';
import { decodeWith, probeWith, type ReadOptions, readBitmap, readDamaged } from '../../../support/readers.ts';
import { bundle, chunk, form, indirect, info, palette, singlePage } from './djvu-writer.ts';
import { A, B, draw } from './glyphs.ts';
import { Jb2Writer } from './jb2-writer.ts';
import { COLOUR_PHOTO, GREY_PHOTO, greyAt, PHOTO_SIZE } from './photos.ts';

const [WIDTH, HEIGHT] = [24, 20];
const read = (file: Uint8Array, asked: ReadOptions = {}) => readBitmap(djvuReader, file, asked);

/** Writes a mask with an A and a B. */
const mask = () => new Jb2Writer().start(WIDTH, HEIGHT).direct(1, A).newLine(3, -2).direct(1, B).sameLine(3, -5);
const letters = chunk('Sjbz', mask().end());
const drawn = draw(WIDTH, HEIGHT, [A, 2, 2], [B, 10, 7]);

/** Returns the rows of a bitmap as text: `.` for white, `#` for black, other letters by `names`. */
function rowsOf({ data, width, height, channels }: Bitmap, names: Record<string, string> = {}): string[] {
  const nameOf = (x: number, y: number) => {
    const at = (y * width + x) * channels;
    const samples = Array.from(data.subarray(at, at + channels));
    const key = channels === 1 ? `${samples},${samples},${samples}` : samples.join(',');
    return { '255,255,255': '.', '0,0,0': '#', ...names }[key] ?? '?';
  };
  return Array.from({ length: height }, (_, y) => Array.from({ length: width }, (_, x) => nameOf(x, y)).join(''));
}

/** Rotates rows a quarter turn clockwise. */
const rotated = (rows: readonly string[]) =>
  Array.from(rows[0]!, (_, x) =>
    rows
      .map((row) => row[x])
      .reverse()
      .join(''),
  );

/** Returns the chunks of a single-page file. */
function chunksOf(file: Uint8Array) {
  const chunks: ReturnType<typeof chunk>[] = [];
  for (let at = 16; at < file.length; ) {
    const length = Buffer.from(file).readUInt32BE(at + 4);
    chunks.push(chunk(Buffer.from(file).toString('latin1', at, at + 4), file.subarray(at + 8, at + 8 + length)));
    at += 8 + length + (length % 2);
  }
  return chunks;
}

describe('a DjVu page', () => {
  it('is black on white in grey when it has only a mask', async () => {
    const bitmap = await read(singlePage(info(WIDTH, HEIGHT), letters));
    assert.deepEqual(rowsOf(bitmap), drawn);
    assert.equal(bitmap.channels, 1);
    assert.deepEqual(bitmap.density, { x: 300, y: 300 });
    assert.equal(bitmap.truncated, false);
  });

  it('is white when it has no layer', async () => {
    assert.deepEqual(rowsOf(await read(singlePage(info(3, 2)))), ['...', '...']);
  });

  it('is rotated as its flags say', async () => {
    const quarter = rotated(drawn);
    const expected = { 0: drawn, 1: drawn, 5: quarter, 2: rotated(quarter), 6: rotated(rotated(quarter)) };
    for (const [flags, rows] of Object.entries(expected)) {
      const bitmap = await read(singlePage(info(WIDTH, HEIGHT, { flags: Number(flags) }), letters));
      assert.deepEqual(rowsOf(bitmap), rows, `flags ${flags}`);
    }
  });

  it('uses the palette colour of each shape', async () => {
    const colours = palette(
      [
        [255, 0, 0],
        [0, 128, 255],
      ],
      [1, 0],
    );
    const bitmap = await read(singlePage(info(WIDTH, HEIGHT), letters, colours));
    const expected = drawn.map((row) => row.slice(0, 9).replaceAll('#', 'b') + row.slice(9).replaceAll('#', 'r'));
    assert.deepEqual(rowsOf(bitmap, { '255,0,0': 'r', '0,128,255': 'b' }), expected);
  });

  it('uses the first palette colour when there are no indices', async () => {
    const bitmap = await read(singlePage(info(WIDTH, HEIGHT), letters, palette([[255, 0, 0]])));
    assert.deepEqual(rowsOf(bitmap, { '255,0,0': '#' }), drawn);
  });

  it('shows a photo of the size of the page unchanged', async () => {
    const { data, width, height, channels, density } = await read(GREY_PHOTO);
    assert.deepEqual([width, height, channels, density], [45, 37, 1, { x: 150, y: 150 }]);
    assert.deepEqual(
      [0, 44, 45 * 20 + 30].map((at) => data[at]),
      [greyAt(0, 0), greyAt(44, 0), greyAt(30, 20)],
    );
  });

  it('can be a wavelet image without a page around it', async () => {
    const photo = await read(GREY_PHOTO);
    const images = chunksOf(GREY_PHOTO).slice(1);
    for (const type of ['BM44', 'PM44']) {
      const file = Buffer.concat([Buffer.from('AT&T'), form(type, ...images.map(({ data }) => chunk(type, data)))]);
      const bitmap = await read(file);
      assert.deepEqual(bitmap.data, photo.data);
      assert.equal(bitmap.density, undefined);
    }
  });

  it('enlarges a background from the bottom left corner, and paints the mask over it', async () => {
    const photo = await read(COLOUR_PHOTO);
    const background = chunksOf(COLOUR_PHOTO).slice(1);
    // Not a multiple of the layer's size: the last column and the first row are cut off.
    const [width, height] = [PHOTO_SIZE.width * 3 - 2, PHOTO_SIZE.height * 3 - 1];
    const glyphs = chunk('Sjbz', new Jb2Writer().start(width, height).direct(1, A).newLine(3, -2).end());
    const page = await read(singlePage(info(width, height), ...background, glyphs));
    assert.equal(page.channels, 3);
    const pixel = ({ data, width: across }: Bitmap, x: number, y: number) =>
      Array.from(data.subarray((y * across + x) * 3, (y * across + x) * 3 + 3));
    for (const [x, fromBottom] of [
      [0, 0],
      [10, 20],
      [33, 1],
      [20, 24],
    ] as const) {
      // Each layer pixel covers three page pixels. The middle one has exactly the layer's colour.
      const enlarged = pixel(page, x * 3 + 1, height - 1 - (fromBottom * 3 + 1));
      const original = pixel(photo, x, PHOTO_SIZE.height - 1 - fromBottom);
      assert.deepEqual(enlarged, original, `${x}, ${fromBottom}`);
    }
    assert.deepEqual(pixel(page, 4, 2), [0, 0, 0]);
  });

  it('paints the mask with the colours of a foreground layer', async () => {
    const colours = chunksOf(COLOUR_PHOTO)
      .slice(1)
      .map(({ data }) => chunk('FG44', data));
    // Half of the layer's first row is cut off.
    const [width, height] = [PHOTO_SIZE.width * 2, PHOTO_SIZE.height * 2 - 1];
    const glyphs = chunk('Sjbz', new Jb2Writer().start(width, height).direct(1, A).newLine(3, -2).end());
    const page = await read(singlePage(info(width, height), glyphs, ...colours));
    const photo = await read(COLOUR_PHOTO);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const isMasked = A[y - 2]?.[x - 2] === '#';
        const from = (((y + 1) >> 1) * PHOTO_SIZE.width + (x >> 1)) * 3;
        const expected = isMasked ? photo.data.subarray(from, from + 3) : [255, 255, 255];
        const at = (y * width + x) * 3;
        assert.deepEqual([...page.data.subarray(at, at + 3)], [...expected], `${x}, ${y}`);
      }
    }
  });

  it('is corrected for a display gamma of 2.2', async () => {
    const [, ...photo] = chunksOf(GREY_PHOTO);
    const plain = await read(GREY_PHOTO);
    for (const gamma of [10, 18, 30]) {
      const corrected = await read(singlePage(info(45, 37, { gamma }), ...photo));
      for (const at of [0, 100, 1000]) {
        const expected = Math.round(255 * (plain.data[at]! / 255) ** (gamma / 22));
        assert.equal(corrected.data[at], expected, `gamma ${gamma}`);
      }
    }
  });

  it('leaves out a layer whose size does not fit the page', async () => {
    const photo = chunksOf(COLOUR_PHOTO).slice(1);
    const bitmap = await read(singlePage(info(WIDTH, HEIGHT), ...photo, letters));
    assert.deepEqual(rowsOf(bitmap), drawn);
    assert.equal(bitmap.truncated, true);
  });
});

const shared = chunk('Djbz', new Jb2Writer().start(0, 0).direct(2, A).direct(2, B).end());
const usesShared = chunk(
  'Sjbz',
  new Jb2Writer().needsDictionary(2).start(WIDTH, HEIGHT).copy(0, 2).newLine(3, -2).copy(1, 2).sameLine(3, -5).end(),
);

describe('a DjVu document', () => {
  const page = (...chunks: Parameters<typeof form>[1][]) => form('DJVU', info(WIDTH, HEIGHT), ...chunks);
  const small = form('DJVU', info(3, 2));
  const document = bundle(
    { id: 'thumbs', kind: 2, form: form('THUM', chunk('TH44', new Uint8Array(7))) },
    { id: 'second.djvu', kind: 1, form: page(chunk('INCL', 'shapes'), usesShared), title: 'i' },
    { id: 'shapes', kind: 0, form: form('DJVI', shared) },
    { id: 'first.djvu', kind: 1, form: small },
  );

  it('has its pages in the order of the directory', async () => {
    assert.equal((await probeWith(djvuReader, document)).pages, 2);
    assert.deepEqual(rowsOf(await read(document)), drawn);
    assert.deepEqual(rowsOf(await read(document, { page: 2 })), ['...', '...']);
  });

  it('has no page after the last', async () => {
    for (const [file, pages] of [
      [document, 2],
      [GREY_PHOTO, 1],
    ] as const) {
      const failure = await failureOf('page_out_of_range', () => probeWith(djvuReader, file, { page: pages + 1 }));
      assert.match(failure.message, new RegExp(`1 to ${pages} `));
    }
  });

  it('finds shapes in its own dictionary, or in an included one', async () => {
    assert.deepEqual(rowsOf(await read(singlePage(info(WIDTH, HEIGHT), shared, usesShared))), drawn);
    const chain = bundle(
      { id: 'page', kind: 1, form: page(chunk('INCL', 'one'), usesShared) },
      { id: 'one', kind: 0, form: form('DJVI', chunk('INCL', 'two')) },
      { id: 'two', kind: 0, form: form('DJVI', shared) },
    );
    assert.deepEqual(rowsOf(await read(chain)), drawn);
  });

  it('stops when components include each other', async () => {
    const both = [chunk('INCL', 'one'), chunk('INCL', 'two'), chunk('INCL', 'page')];
    const loop = bundle(
      { id: 'page', kind: 1, form: page(...both, usesShared) },
      { id: 'one', kind: 0, form: form('DJVI', ...both) },
      { id: 'two', kind: 0, form: form('DJVI', ...both) },
    );
    const bitmap = await read(loop);
    assert.equal(bitmap.truncated, true);
    assert.deepEqual(rowsOf(bitmap), draw(WIDTH, HEIGHT));
  });

  it('is read as far as possible without its directory', async () => {
    const broken = Uint8Array.from(document);
    broken.fill(0xff, broken.indexOf(0x81, 24) + 20, broken.indexOf(0x81, 24) + 40);
    assert.equal((await probeWith(djvuReader, broken)).pages, 2);
    assert.deepEqual(rowsOf(await read(broken, { page: 2 })), ['...', '...']);
  });

  it('is rejected if its pages are separate files', async () => {
    const file = indirect({ id: 'p1.djvu', kind: 1, form: small });
    const failure = await failureOf('unsupported_format', () => probeWith(djvuReader, file));
    assert.match(failure.message, /pages are files of their own/);
  });
});

describe('a hostile DjVu file', () => {
  it('is rejected by its size before it is decoded', async () => {
    const file = singlePage(info(65535, 65535), letters);
    assert.equal((await probeWith(djvuReader, file)).width, 65535);
    await failureOf('image_too_large', () => decodeWith(djvuReader, file));
    await failureOf('image_too_large', () => decodeWith(djvuReader, GREY_PHOTO, { maxPixels: 45 * 37 - 1 }));
    await decodeWith(djvuReader, GREY_PHOTO, { maxPixels: 45 * 37 });
  });

  it('is corrupt without a page or a size', async () => {
    const files = [
      singlePage(letters),
      singlePage(info(0, 5)),
      singlePage(),
      Buffer.from('AT&TFORM'),
      Buffer.from('AT&TFORM\0\0\0\x04DJVI'),
      Buffer.from('AT&TFORM\0\0\0\x04BM44'),
      bundle({ id: 'shapes', kind: 0, form: form('DJVI', shared) }),
    ];
    for (const file of files) await failureOf('corrupt_image', () => probeWith(djvuReader, file));
  });

  it('is shown in part when it ends early', async () => {
    const file = singlePage(info(WIDTH, HEIGHT), letters, chunk('TXTa', new Uint8Array(100)));
    const bitmap = await read(file.subarray(0, -50));
    assert.deepEqual(rowsOf(bitmap), drawn);
    assert.equal(bitmap.truncated, true);
    const photo = await read(GREY_PHOTO.subarray(0, 300));
    assert.equal(photo.truncated, true);
    await failureOf('corrupt_image', () => decodeWith(djvuReader, GREY_PHOTO.subarray(0, 36)));
  });

  it('draws no more shapes than a page can need', async () => {
    // A column of 20,000 pixels takes as many words of memory but only a few bytes of the file. So does each copy of
    // it.
    const tower = Array.from({ length: 20_000 }, () => '#');
    const stamped = async (copies: number) => {
      const writer = new Jb2Writer().start(WIDTH, HEIGHT).direct(1, tower).newLine(1, 0);
      for (let copy = 1; copy < copies; copy++) writer.copy(0, 1).sameLine(1, 0);
      return read(singlePage(info(WIDTH, HEIGHT), chunk('Sjbz', writer.end())));
    };
    assert.equal((await stamped(1600)).truncated, false);
    assert.equal((await stamped(1700)).truncated, true);
  });

  it('gives an image or a failure when it is damaged', async () => {
    const seeds = [
      singlePage(info(WIDTH, HEIGHT), letters, palette([[255, 0, 0]], [0, 0])),
      bundle(
        { id: 'shapes', kind: 0, form: form('DJVI', shared) },
        { id: 'page', kind: 1, form: form('DJVU', info(WIDTH, HEIGHT), chunk('INCL', 'shapes'), usesShared) },
      ),
      GREY_PHOTO,
      COLOUR_PHOTO,
    ];
    assert.ok((await readDamaged(djvuReader, seeds, 300)) > 300 * TRIED_PART);
  });
});
