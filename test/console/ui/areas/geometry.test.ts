/** Changes of areas by pointer, keys and fields. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  areaAfterKey,
  areaBetween,
  boxAt,
  changeRatio,
  clampToImage,
  firstArea,
  HANDLES,
  hasRatio,
  largestArea,
  moveArea,
  outlines,
  resized,
  withNumber,
} from '../../../../console/ui/areas/geometry.ts';
import type { Box } from '../../../../console/ui/image.ts';
import { makeRandom } from '../../../support/damage.ts';

const IMAGE = { width: 400, height: 300 };
const AREA: Box = { x: 100, y: 80, width: 120, height: 90 };
const box = (x: number, y: number, width: number, height: number): Box => ({ x, y, width, height });

describe('areas of an image', () => {
  it('are drawn from a corner in every direction', () => {
    assert.deepEqual(areaBetween({ x: 10.4, y: 20.6 }, { x: 60, y: 80 }, IMAGE), box(10, 21, 50, 59));
    assert.deepEqual(areaBetween({ x: 60, y: 80 }, { x: 10, y: 20 }, IMAGE), box(10, 20, 50, 60));
    assert.deepEqual(areaBetween({ x: 60, y: 80 }, { x: 900, y: -50 }, IMAGE), box(60, 0, 340, 80));
    assert.deepEqual(areaBetween({ x: 400, y: 300 }, { x: 500, y: 500 }, IMAGE), box(399, 299, 1, 1));
  });

  it('keep a ratio while they are drawn, inside the image', () => {
    assert.deepEqual(areaBetween({ x: 0, y: 0 }, { x: 100, y: 10 }, IMAGE, 2), box(0, 0, 100, 50));
    assert.deepEqual(areaBetween({ x: 0, y: 0 }, { x: 10, y: 100 }, IMAGE, 2), box(0, 0, 200, 100));
    assert.deepEqual(areaBetween({ x: 100, y: 250 }, { x: 400, y: 300 }, IMAGE, 2), box(100, 250, 100, 50));
  });

  it('follow each handle while the opposite side stays in place', () => {
    const to = { x: 70, y: 60 };
    const sides = Object.fromEntries(HANDLES.map((handle) => [handle, resized(AREA, handle, to, IMAGE)]));
    assert.deepEqual(sides, {
      nw: box(70, 60, 150, 110),
      n: box(100, 60, 120, 110),
      ne: box(70, 60, 30, 110),
      e: box(70, 80, 30, 90),
      se: box(70, 60, 30, 20),
      s: box(100, 60, 120, 20),
      sw: box(70, 60, 150, 20),
      w: box(70, 80, 150, 90),
    });
  });

  it('keep a ratio when a side moves, centred on the other axis', () => {
    assert.deepEqual(resized(AREA, 'e', { x: 260, y: 0 }, IMAGE, 4 / 3), box(100, 65, 160, 120));
    assert.deepEqual(resized(AREA, 's', { x: 0, y: 140 }, IMAGE, 4 / 3), box(120, 80, 80, 60));
    assert.deepEqual(resized(AREA, 'e', { x: 4000, y: 0 }, IMAGE, 4 / 3), box(100, 13, 300, 225));
  });

  it('are whole pixels, inside the image and in their ratio', () => {
    const random = makeRandom(7);
    for (let round = 0; round < 3000; round += 1) {
      const image = { width: 1 + random(200), height: 1 + random(200) };
      const ratio = random(2) ? (1 + random(40)) / (1 + random(40)) : undefined;
      const point = () => ({ x: random(900) / 3 - 50, y: random(900) / 3 - 50 });
      const start = areaBetween(point(), point(), image, ratio);
      const results = [
        start,
        ...HANDLES.map((handle) => resized(start, handle, point(), image, ratio)),
        moveArea(start, random(400) - 200, random(400) - 200, image),
        withNumber(start, 'width', random(500), image, ratio),
        withNumber(start, 'height', random(500), image, ratio),
        areaAfterKey(start, { key: 'ArrowDown', shiftKey: random(2) === 1 }, image, ratio)!,
        ratio === undefined ? firstArea(image) : largestArea(image, ratio),
      ];
      for (const { x, y, width, height } of results) {
        const description = JSON.stringify({ image, ratio, x, y, width, height });
        assert.ok([x, y, width, height].every(Number.isInteger), description);
        assert.ok(x >= 0 && y >= 0 && width >= 1 && height >= 1, description);
        assert.ok(x + width <= image.width && y + height <= image.height, description);
        // An area of one pixel in width or height cannot have the ratio.
        if (ratio !== undefined && width > 1 && height > 1) assert.ok(hasRatio({ width, height }, ratio), description);
      }
    }
  });

  it('move inside the image and keep their size', () => {
    assert.deepEqual(moveArea(AREA, 1000, -1000, IMAGE), box(280, 0, 120, 90));
    assert.deepEqual(clampToImage(box(-20, -20, 900, 10.6), IMAGE), box(0, 0, 400, 11));
  });

  it('accept the numbers of fields', () => {
    assert.deepEqual(withNumber(AREA, 'x', 350, IMAGE), box(280, 80, 120, 90));
    assert.deepEqual(withNumber(AREA, 'width', 999, IMAGE), box(100, 80, 300, 90));
    assert.deepEqual(withNumber(AREA, 'width', 200, IMAGE, 2), box(100, 80, 200, 100));
    assert.deepEqual(withNumber(AREA, 'height', 50, IMAGE, 2), box(100, 80, 100, 50));
    assert.deepEqual(withNumber(AREA, 'height', 0, IMAGE), box(100, 80, 120, 1));
  });

  it('move with the arrow keys, and no other key', () => {
    const key = (name: string, shiftKey = false) => areaAfterKey(AREA, { key: name, shiftKey }, IMAGE);
    assert.deepEqual(key('ArrowLeft'), box(98, 80, 120, 90));
    assert.deepEqual(key('ArrowDown'), box(100, 82, 120, 90));
    assert.deepEqual(key('ArrowRight', true), box(100, 80, 122, 90));
    assert.deepEqual(key('ArrowUp', true), box(100, 80, 120, 88));
    assert.equal(key('a'), undefined);
  });

  it('get a ratio around their centre', () => {
    assert.deepEqual(largestArea(IMAGE, 1), box(50, 0, 300, 300));
    assert.deepEqual(largestArea(IMAGE, 2), box(0, 50, 400, 200));
    assert.deepEqual(changeRatio(AREA, IMAGE, 1), box(115, 80, 90, 90));
  });

  it('are found under a point, the smallest first', () => {
    const boxes = [box(0, 0, 100, 100), box(10, 10, 20, 20), box(200, 0, 10, 10)];
    assert.equal(boxAt(boxes, { x: 15, y: 15 }), 1);
    assert.equal(boxAt(boxes, { x: 50, y: 50 }), 0);
    assert.equal(boxAt(boxes, { x: 100, y: 50 }), undefined);
  });

  it('are drawn as one path', () => {
    assert.equal(outlines([box(1, 2, 3, 4), box(5, 6, 7, 8)]), 'M1 2h3v4h-3zM5 6h7v8h-7z');
  });
});
