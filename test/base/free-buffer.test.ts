import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { freeBuffer, freeChunk } from '../../base/free-buffer.ts';

const BYTES = 50_000_000;

describe('freeBuffer', () => {
  it('releases the memory at once', () => {
    const before = process.memoryUsage().arrayBuffers;
    for (let count = 0; count < 20; count++) {
      const buffer = new ArrayBuffer(BYTES);
      freeBuffer(buffer);
      assert.equal(buffer.byteLength, 0);
    }
    assert.ok(process.memoryUsage().arrayBuffers < before + BYTES);
  });

  it('does nothing to an empty, freed or transferred buffer', () => {
    const buffer = new ArrayBuffer(10);
    structuredClone(buffer, { transfer: [buffer] });
    freeBuffer(buffer);
    freeBuffer(new ArrayBuffer(0));
  });
});

describe('freeChunk', () => {
  it('frees a chunk that has a buffer of its own', () => {
    const chunk = new Uint8Array(100_000);
    freeChunk(chunk);
    assert.equal(chunk.length, 0);
  });

  it('does not free part of a buffer, a pooled buffer or shared memory', () => {
    const whole = new Uint8Array(200_000);
    for (const chunk of [
      whole.subarray(0, 100_000),
      whole.subarray(1),
      Buffer.from('a text in the pool'),
      new Uint8Array(new SharedArrayBuffer(100_000)),
    ]) {
      const { length } = chunk;
      freeChunk(chunk);
      assert.equal(chunk.length, length);
    }
  });
});
