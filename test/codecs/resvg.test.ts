import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wasmMemoryBytes } from '../../codecs/memory.ts';
import { compileModule } from '../../codecs/modules.ts';
import { type Drawing, withDrawing } from '../../codecs/resvg.ts';
import { nightlyOnly } from '../support/nightly.ts';

const svg = (width: number | string, height: number) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"/>`;

function render(drawing: Drawing): number {
  const image = drawing.render();
  const { length } = image.pixels;
  image.free();
  return length;
}

/** Returns the class that draws, which identifies the copy of the package. */
const engine = (module?: WebAssembly.Module) =>
  withDrawing(module, svg(3, 2), {}, (drawing) => {
    assert.equal(render(drawing), 24);
    return drawing.constructor;
  });

test('starts once, from the module or from the file, and its memory is counted', async () => {
  const { instantiate } = WebAssembly;
  const before = wasmMemoryBytes();
  const [first, second] = await Promise.all([engine(await compileModule('resvg')), engine()]);
  assert.equal(first, second);
  assert.ok(wasmMemoryBytes() > before);
  assert.equal(WebAssembly.instantiate, instantiate);
});

test('keeps running after it rejects a drawing', async () => {
  const first = await engine();
  await assert.rejects(withDrawing(undefined, '<svg', {}, render), Error);
  const mistake = new Error('of ours');
  await assert.rejects(
    withDrawing(undefined, svg(3, 2), {}, () => {
      throw mistake;
    }),
    mistake,
  );
  assert.equal(await engine(), first);
});

test('starts again after a trap', async () => {
  const first = await engine();
  await assert.rejects(withDrawing(undefined, svg('1e30', 2), {}, render), WebAssembly.RuntimeError);
  assert.notEqual(await engine(), first);
});

test('gets no more memory than the limit', async () => {
  const before = wasmMemoryBytes();
  await assert.rejects(withDrawing(undefined, svg(20_000, 20_000), {}, render), WebAssembly.RuntimeError);
  assert.ok(wasmMemoryBytes() - before < 2 ** 30);
  await engine();
});

test('leaves no memory allocated', { skip: nightlyOnly }, async () => {
  const large = svg(100, 100).replace('/>', `>${'<rect width="9" height="9"/>'.repeat(10_000)}</svg>`);
  const rounds = async () => {
    for (let round = 0; round < 4; round++) {
      await withDrawing(undefined, large, {}, render);
      await assert.rejects(
        withDrawing(undefined, large, {}, () => assert.fail()),
        assert.AssertionError,
      );
      await assert.rejects(withDrawing(undefined, `${large}<`, {}, render), Error);
    }
    return wasmMemoryBytes();
  };
  assert.equal(await rounds(), await rounds());
});
