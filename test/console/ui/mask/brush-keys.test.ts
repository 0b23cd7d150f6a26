import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { moveBrush, resizeBrush } from '../../../../console/ui/mask/brush-keys.ts';

const SIZE = { width: 200, height: 100 };

describe('a brush moved by keys', () => {
  it('moves by a part of its size, and stops at the edges', () => {
    const press = (key: string, shiftKey = false) => moveBrush({ x: 50, y: 50 }, { key, shiftKey }, 20, SIZE);
    assert.deepEqual(press('ArrowRight'), { x: 55, y: 50 });
    assert.deepEqual(press('ArrowUp', true), { x: 50, y: 10 });
    assert.deepEqual(press('ArrowDown', true), { x: 50, y: 90 });
    assert.deepEqual(moveBrush({ x: 2, y: 50 }, { key: 'ArrowLeft', shiftKey: false }, 20, SIZE), { x: 0, y: 50 });
    assert.equal(press('a'), undefined);
  });

  it('changes its size within its bounds, by at least one pixel', () => {
    assert.equal(resizeBrush(20, ']', 2, 100), 25);
    assert.equal(resizeBrush(25, '[', 2, 100), 20);
    assert.equal(resizeBrush(2, ']', 2, 100), 3);
    assert.equal(resizeBrush(2, '[', 2, 100), 2);
    assert.equal(resizeBrush(99, ']', 2, 100), 100);
    assert.equal(resizeBrush(20, 'x', 2, 100), undefined);
  });
});
