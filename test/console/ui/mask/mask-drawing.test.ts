import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MaskDrawing } from '../../../../console/ui/mask/mask-drawing.ts';
import type { Area, MaskPixels } from '../../../../console/ui/mask/mask-pixels.ts';

const HARD = { adds: true, diameter: 10, softness: 0 };

const mask = (width: number, height: number, value = 0): MaskPixels => ({
  width,
  height,
  data: new Uint8ClampedArray(width * height).fill(value),
});
const at = ({ width, data }: MaskPixels, x: number, y: number) => data[y * width + x];
const drawingOf = (first: MaskPixels, changes: Area[] = []) => new MaskDrawing(first, (area) => changes.push(area));

describe('drawing on a mask', () => {
  it('paints discs and lines, and returns the changed pixels', () => {
    const changes: Area[] = [];
    const first = mask(100, 60);
    const drawing = drawingOf(first, changes);
    drawing.begin(HARD, { x: 20, y: 30 });
    drawing.paintTo({ x: 80, y: 30 });
    assert.ok(drawing.end());
    for (const [x, y, value] of [
      [20, 30, 255],
      [50, 26, 255],
      [80, 33, 255],
      [50, 23, 0],
      [90, 30, 0],
    ] as const) {
      assert.equal(at(drawing.mask, x, y), value, `${x}, ${y}`);
    }
    for (const [place, value] of drawing.mask.data.entries()) {
      const inside = changes.some(
        ({ left, top, right, bottom }) =>
          place % 100 >= left && place % 100 < right && place / 100 >= top && place / 100 < bottom,
      );
      assert.ok(inside || value === 0, 'a change that was not told of');
    }
    assert.ok(first.data.every((value) => value === 0));
  });

  it('removes parts of the subject', () => {
    const drawing = drawingOf(mask(40, 40, 255));
    drawing.begin({ ...HARD, adds: false }, { x: 20, y: 20 });
    drawing.end();
    assert.deepEqual([at(drawing.mask, 20, 20), at(drawing.mask, 2, 2)], [0, 255]);
  });

  it('fades out at a soft edge, even if a stroke crosses itself', () => {
    const soft = { ...HARD, diameter: 40, softness: 1 };
    const once = drawingOf(mask(60, 60));
    once.begin(soft, { x: 30, y: 30 });
    once.end();
    const profile = [30, 36, 42, 48].map((x) => at(once.mask, x, 30)!);
    assert.ok(
      profile.every((value, index) => index === 0 || value < profile[index - 1]!),
      `${profile}`,
    );
    const twice = drawingOf(mask(60, 60));
    twice.begin(soft, { x: 30, y: 30 });
    twice.paintTo({ x: 30, y: 30 });
    assert.deepEqual(twice.mask.data, once.mask.data);
  });

  it('undoes and redoes, and a new stroke clears the redo history', () => {
    const drawing = drawingOf(mask(50, 50, 100));
    const states = [drawing.mask.data.slice()];
    for (const x of [10, 25, 40]) {
      drawing.begin({ ...HARD, softness: 0.5 }, { x, y: 25 });
      drawing.end();
      states.push(drawing.mask.data.slice());
    }
    drawing.invert();
    states.push(drawing.mask.data.slice());
    for (const state of states.slice(0, -1).reverse()) {
      assert.ok(drawing.undo());
      assert.deepEqual(drawing.mask.data, state);
    }
    assert.ok(!drawing.undo());
    for (const state of states.slice(1)) {
      assert.ok(drawing.redo());
      assert.deepEqual(drawing.mask.data, state);
    }
    drawing.undo();
    drawing.reset();
    assert.deepEqual(drawing.mask.data, states[0]);
    assert.ok(!drawing.canRedo);
    assert.ok(drawing.undo());
    assert.deepEqual(drawing.mask.data, states.at(-2));
  });

  it('reverts a stroke that turns out to be a pinch', () => {
    const drawing = drawingOf(mask(40, 40));
    drawing.begin(HARD, { x: 20, y: 20 });
    drawing.cancel();
    assert.ok(drawing.mask.data.every((value) => value === 0));
    assert.ok(!drawing.canUndo);
  });

  it('has nothing to undo after a stroke outside the mask', () => {
    const drawing = drawingOf(mask(40, 40));
    drawing.begin(HARD, { x: -50, y: 20 });
    assert.ok(!drawing.end());
    assert.ok(!drawing.canUndo);
  });

  it('keeps at most 16 MB of history', () => {
    const drawing = drawingOf(mask(1024, 1024));
    for (let turn = 0; turn < 40; turn += 1) drawing.invert();
    let steps = 0;
    while (drawing.undo()) steps += 1;
    assert.equal(steps, 15);
  });
});
