import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { limitMemory } from '../../codecs/memory-limit.ts';

const PAGE = 65_536;
const HEADER = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];

/** A module that only exports a memory as "m". Its limits are sizes in pages, already encoded. */
const memoryModule = (limits: number[]) =>
  Uint8Array.from([...HEADER, 5, limits.length + 1, 1, ...limits, 7, 5, 1, 1, 0x6d, 2, 0]);

async function memoryOf(wasm: Uint8Array<ArrayBuffer>): Promise<WebAssembly.Memory> {
  const { instance } = await WebAssembly.instantiate(wasm);
  return instance.exports.m as WebAssembly.Memory;
}

test('lets the memory grow to the limit and not beyond', async () => {
  const limits = {
    'without a maximum': [0, 2],
    'with a smaller one': [1, 2, 3],
    'with a larger one': [1, 2, 0x80, 0x80, 0x02],
    'in more bytes than needed': [0, 0x82, 0x00],
  };
  for (const [what, encoded] of Object.entries(limits)) {
    const memory = await memoryOf(limitMemory(memoryModule(encoded), 300 * PAGE));
    assert.equal(memory.buffer.byteLength, 2 * PAGE, what);
    memory.grow(298);
    assert.throws(() => memory.grow(1), RangeError, what);
  }
});

test('leaves the rest of the module unchanged', () => {
  const before = memoryModule([0, 2]);
  const after = limitMemory(before, 4 * PAGE);
  assert.deepEqual([...after.subarray(0, 8)], HEADER);
  assert.deepEqual(after.subarray(-7), before.subarray(-7));
});

test('keeps the real modules valid', async () => {
  for (const file of ['@resvg/resvg-wasm/index_bg.wasm', '@hyzyla/pdfium/pdfium.wasm']) {
    const wasm = await readFile(createRequire(import.meta.url).resolve(file));
    const limited = limitMemory(wasm, 1024 * PAGE);
    assert.ok(Math.abs(limited.length - wasm.length) < 10);
    await WebAssembly.compile(limited);
  }
});

test('rejects a module without a memory', () => {
  assert.throws(() => limitMemory(Uint8Array.from(HEADER), PAGE), /no memory/);
});
