import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type Frame,
  fitted,
  imagePointAt,
  isWhole,
  pan,
  resizePane,
  scaled,
  showsPixels,
} from '../../../../console/ui/viewport/view.ts';

const FRAME: Frame = { image: { width: 4000, height: 2000 }, pane: { width: 800, height: 600 }, density: 1 };
const MIDDLE = { x: 400, y: 300 };

describe('a view of an image', () => {
  it('shows the whole image, centred', () => {
    assert.deepEqual(fitted(FRAME), { scale: 0.2, x: 0, y: 100 });
    assert.ok(isWhole(fitted(FRAME), FRAME));
  });

  it('scales no pixel above one screen pixel when it fits the image', () => {
    const image = { width: 100, height: 100 };
    assert.equal(fitted({ ...FRAME, image }).scale, 1);
    assert.equal(fitted({ ...FRAME, image, density: 2 }).scale, 0.5);
  });

  it('keeps the point under the pointer when it zooms', () => {
    const at = { x: 300, y: 250 };
    const near = scaled(fitted(FRAME), 2, at, FRAME);
    const before = imagePointAt(fitted(FRAME), at);
    const after = imagePointAt(near, at);
    assert.ok(Math.hypot(after.x - before.x, after.y - before.y) < 1e-9);
    assert.ok(!isWhole(near, FRAME));
  });

  it('is never smaller than the whole image, and never above 16 screen pixels per image pixel', () => {
    assert.deepEqual(scaled(fitted(FRAME), 0.01, MIDDLE, FRAME), fitted(FRAME));
    assert.equal(scaled(fitted(FRAME), 100, MIDDLE, FRAME).scale, 16);
    assert.equal(scaled(fitted(FRAME), 100, MIDDLE, { ...FRAME, density: 2 }).scale, 8);
  });

  it('moves up to the edges of the image', () => {
    const near = scaled(fitted(FRAME), 1, MIDDLE, FRAME);
    assert.deepEqual(pan(near, 1e6, 1e6, FRAME), { scale: 1, x: 0, y: 0 });
    assert.deepEqual(pan(near, -1e6, -1e6, FRAME), { scale: 1, x: -3200, y: -1400 });
    assert.deepEqual(pan(fitted(FRAME), 50, 50, FRAME), fitted(FRAME));
  });

  it('keeps the centre when the pane changes size, or the whole image if it was whole', () => {
    const wide = { ...FRAME, pane: { width: 1000, height: 300 } };
    assert.deepEqual(resizePane(fitted(FRAME), FRAME, wide), fitted(wide));
    const near = scaled(fitted(FRAME), 1, MIDDLE, FRAME);
    const next = resizePane(near, FRAME, wide);
    assert.deepEqual(imagePointAt(next, { x: 500, y: 150 }), imagePointAt(near, MIDDLE));
  });

  it('shows single pixels above a zoom of 2', () => {
    assert.ok(!showsPixels(2, 1));
    assert.ok(showsPixels(2.1, 1));
    assert.ok(showsPixels(1.1, 2));
  });
});
