import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { budgetFor, decodeJb2, type Jb2 } from '../../../../codecs/formats/djvu/jb2.ts';
import type { Mask } from '../../../../codecs/formats/djvu/mask.ts';
import { A, B, BOX, draw, EDGED, TICK, WIDE_A } from './glyphs.ts';
import { type Glyph, Jb2Writer } from './jb2-writer.ts';

const [WIDTH, HEIGHT] = [60, 40];
const NONE = () => undefined;

function decode(data: Uint8Array, shared: () => readonly Mask[] | undefined = NONE): Jb2 {
  return decodeJb2(data, shared, budgetFor({ width: WIDTH, height: HEIGHT }));
}

function glyphOf({ width, height, stride, words }: Mask): Glyph {
  const pixel = (x: number, y: number) => ((words[y * stride + (x >> 5)]! >>> (x & 31)) & 1 ? '#' : '.');
  return Array.from({ length: height }, (_, y) => Array.from({ length: width }, (_, x) => pixel(x, y)).join(''));
}

/** Draws the shapes of an image at their positions. */
function drawing({ placed, width, height }: Jb2): string[] {
  return draw(
    width,
    height,
    ...placed.map(({ shape, left, bottom }) => [glyphOf(shape), left, height - bottom - shape.height] as const),
  );
}

describe('JB2', () => {
  const writer = () => new Jb2Writer().start(WIDTH, HEIGHT);

  it('places new shapes on new lines and next to each other', () => {
    const data = writer()
      // Relative to the top left corner of the page: column 0 and the row above the top row, row 40 counted from 1.
      .direct(1, A)
      .newLine(3, -2)
      // Relative to the right edge of the A and its bottom.
      .direct(3, TICK)
      .sameLine(2, 1)
      // Relative to the left edge and the bottom of the line's first shape.
      .direct(1, B)
      .newLine(4, -5)
      .end();
    const image = decode(data);
    assert.equal(image.truncated, false);
    assert.deepEqual(drawing(image), draw(WIDTH, HEIGHT, [A, 2, 2], [TICK, 9, 5], [B, 6, 12]));
    assert.deepEqual(image.library.map(glyphOf), [A, B]);
  });

  it('uses the median of the last three bottoms as the baseline', () => {
    const data = writer()
      .direct(1, A)
      .newLine(3, -2)
      .copy(0, 1)
      .sameLine(1, 5)
      .copy(0, 1)
      .sameLine(1, -9)
      // The bottoms were 0, 5 and -9 above the line, so the baseline is at 0.
      .copy(0, 1)
      .sameLine(1, 1)
      .end();
    assert.deepEqual(drawing(decode(data)), draw(WIDTH, HEIGHT, [A, 2, 2], [A, 8, -3], [A, 14, 11], [A, 20, 1]));
  });

  it('removes the white edges of shapes', () => {
    const data = writer().direct(1, EDGED).newLine(1, 0).copy(0, 1).sameLine(3, 0).end();
    const image = decode(data);
    assert.deepEqual(image.library.map(glyphOf), [BOX]);
    // The edges count for the first position: its bottom is row 6, its right edge is column 8 counted from 1.
    assert.deepEqual(drawing(image), draw(WIDTH, HEIGHT, [EDGED, 0, 0], [BOX, 10, 3]));
  });

  it('refines shapes of even and odd, smaller and larger sizes', () => {
    const data = writer()
      .direct(2, A)
      .refined(4, WIDE_A, 0, 1, A)
      .newLine(3, -2)
      .refined(6, TICK, 1, 2, WIDE_A.slice(0, 6))
      .sameLine(2, 0)
      .refined(5, EDGED, 1, 2, WIDE_A.slice(0, 6))
      .copy(2, 3)
      .sameLine(2, 0)
      .end();
    const image = decode(data);
    assert.deepEqual(drawing(image), draw(WIDTH, HEIGHT, [WIDE_A, 2, 2], [TICK, 11, 7], [BOX, 15, 6]));
    assert.deepEqual(image.library.map(glyphOf), [A, WIDE_A.slice(0, 6), BOX]);
  });

  it('places non-symbols at their own position, without moving the line', () => {
    const data = writer()
      .direct(1, A)
      .newLine(3, -2)
      .nonSymbol(BOX, 50, 10, WIDTH, HEIGHT)
      .copy(0, 1)
      .sameLine(1, 0)
      .end();
    assert.deepEqual(drawing(decode(data)), draw(WIDTH, HEIGHT, [A, 2, 2], [BOX, 49, 30], [A, 8, 2]));
  });

  it('skips comments and resets its number contexts', () => {
    const data = writer().comment('made by a test').direct(1, A).newLine(3, -2).reset().copy(0, 1).sameLine(1, 0).end();
    assert.deepEqual(drawing(decode(data)), draw(WIDTH, HEIGHT, [A, 2, 2], [A, 8, 2]));
  });

  it('uses a shared dictionary', () => {
    const shared = decode(new Jb2Writer().start(0, 0).direct(2, A).refined(5, WIDE_A, 0, 1, A).end());
    assert.deepEqual([shared.placed.length, shared.library.length, shared.truncated], [0, 2, false]);
    const data = new Jb2Writer()
      .needsDictionary(2)
      .start(WIDTH, HEIGHT)
      .direct(1, B)
      .newLine(3, -2)
      .copy(1, 3)
      .sameLine(2, 0)
      .copy(2, 3)
      .sameLine(2, 0)
      .end();
    const image = decode(data, () => shared.library);
    assert.deepEqual(drawing(image), draw(WIDTH, HEIGHT, [B, 2, 2], [WIDE_A, 9, 2], [B, 18, 2]));
  });

  it('rejects a missing or a different dictionary', () => {
    const data = new Jb2Writer().needsDictionary(2).start(WIDTH, HEIGHT).copy(1, 2).newLine(3, -2).end();
    for (const shared of [undefined, [], decode(writer().direct(2, A).end()).library]) {
      const image = decode(data, () => shared);
      assert.deepEqual([image.placed.length, image.truncated], [0, true]);
    }
  });

  it('reads large numbers', () => {
    const data = new Jb2Writer()
      .start(200_000, 100_000)
      .direct(1, A)
      .newLine(150_001, -70_000)
      .copy(0, 1)
      .sameLine(-130_000, 0)
      .end();
    const { width, height, placed } = decode(data);
    assert.deepEqual([width, height], [200_000, 100_000]);
    assert.deepEqual(
      placed.map(({ left, bottom }) => [left, bottom]),
      [
        [150_000, 29_994],
        [20_005, 29_994],
      ],
    );
  });

  it('returns the shapes before the end of truncated data', () => {
    const data = writer().direct(1, A).newLine(3, -2).direct(1, B).sameLine(2, 0).cut();
    const image = decode(data);
    assert.equal(image.truncated, true);
    assert.deepEqual(drawing(image).slice(0, 8), draw(WIDTH, HEIGHT, [A, 2, 2], [B, 9, 2]).slice(0, 8));
  });

  it('rejects shapes with a larger total size than any page needs', () => {
    const huge = writer();
    huge.number('recordType', 3, 0, 11);
    huge.number('width', 262142, 0, 262142);
    huge.number('height', 262142, 0, 262142);
    const image = decode(huge.cut());
    assert.deepEqual([image.placed.length, image.truncated], [0, true]);

    const budget = { pixels: 3 * 32 * A.length, records: 100 };
    const many = writer();
    for (let count = 0; count < 5; count++) many.direct(3, A).newLine(1, 0);
    assert.equal(decodeJb2(many.end(), NONE, budget).placed.length, 3);
  });

  it('stops after more records than any page needs', () => {
    const many = writer().direct(1, A).newLine(1, 0);
    for (let count = 0; count < 50; count++) many.copy(0, 1).sameLine(1, 0);
    const data = many.end();
    assert.equal(decode(data).placed.length, 51);
    const image = decodeJb2(data, NONE, { pixels: 10_000, records: 20 });
    assert.deepEqual([image.placed.length, image.truncated], [19, true]);
  });
});
