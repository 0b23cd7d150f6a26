/**
 * The libvips instance of a thread: its memory limit, and errors that belong to their own task and leave nothing
 * behind.
 */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import sharp from 'sharp';
import { compileModules } from '../../codecs/modules.ts';
import { vipsMessage } from '../../codecs/source.ts';
import { startThread, startVips, type VipsInstance } from '../../codecs/vips.ts';
import type { ExceptionExports } from '../../codecs/vips-exceptions.ts';
import { THREAD_FILE } from '../../codecs/vips-thread-list.ts';

let instance: VipsInstance;
let exports: ExceptionExports;
before(async () => {
  const modules = await compileModules();
  const { instantiate } = WebAssembly;
  WebAssembly.instantiate = (async (module: WebAssembly.Module, imports: WebAssembly.Imports) => {
    const instantiated = await instantiate(module, imports);
    if (module === modules.vips) exports = instantiated.exports as unknown as ExceptionExports;
    return instantiated;
  }) as typeof instantiate;
  try {
    // The instance starts with 256 MiB, so the limit cannot be lower.
    instance = await startVips(modules, 1);
  } finally {
    WebAssembly.instantiate = instantiate;
  }
});

/** Returns the message of libvips for a failing task. */
function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return vipsMessage(error);
  }
  throw new assert.AssertionError({ message: 'Expected a failure of libvips but there was none.' });
}

test('an image that our own encoders write needs one thread, which a worker starts; libvips saves with more', {
  skip: THREAD_FILE === undefined && 'threads of threads cannot load TypeScript',
}, () => {
  const { vips, threads } = instance;
  startThread(vips);
  assert.equal(threads.ids.length, 1);
  vips.Image.black(100, 100).resize(0.5).writeToMemory();
  assert.equal(threads.ids.length, 1);
  vips.Image.black(100, 100).writeToBuffer('.png');
  assert.ok(threads.ids.length > 1);
});

test('an image larger than the byte limit is an error, and the next one is not', () => {
  const { vips, releaseHandles } = instance;
  assert.match(
    messageOf(() => vips.Image.black(20_000, 20_000).copyMemory()),
    /out of memory/,
  );
  assert.equal(releaseHandles(), 0);
  assert.equal(vips.Image.black(2_000, 2_000).copyMemory().width, 2_000);
  assert.equal(releaseHandles(), 0);
});

test('messages that a task ignored are not in the error of the next task', async () => {
  const { vips, releaseHandles } = instance;
  const whole = await sharp({ create: { width: 400, height: 400, channels: 3, background: 'red' } })
    .jpeg()
    .toBuffer();
  const tolerated = () =>
    vips.Image.jpegloadBuffer(whole.subarray(0, whole.length - 200), { fail_on: 'none' }).copyMemory();
  const failure = () => messageOf(() => vips.Image.jpegloadBuffer(Uint8Array.of(1, 2)));
  const alone = failure();
  tolerated();
  assert.notEqual(failure(), alone, 'there is a message to forget');
  tolerated();
  assert.equal(releaseHandles(), 0);
  assert.equal(failure(), alone);
});

test('an error does not change the stack pointer', () => {
  const { vips, releaseHandles } = instance;
  const image = vips.Image.black(1, 1);
  const target = new vips.TargetCustom();
  target.onWrite = () => {
    messageOf(() => vips.Image.jpegloadBuffer(Uint8Array.of(1, 2)));
    return -1;
  };
  const failures: Record<string, () => unknown> = {
    load: () => vips.Image.jpegloadBuffer(Uint8Array.of(1, 2)),
    'load of any format': () => vips.Image.newFromBuffer(Uint8Array.of(1, 2), ''),
    method: () => image.crop(0, 0, 2, 2),
    save: () => image.writeToBuffer('.none'),
    'save that fails in a callback': () => image.writeToTarget(target, '.raw'),
  };
  const stackPointer = exports.emscripten_stack_get_current();
  for (const [name, work] of Object.entries(failures)) {
    messageOf(work);
    assert.equal(exports.emscripten_stack_get_current(), stackPointer, name);
  }
  releaseHandles();
  assert.equal(exports.emscripten_stack_get_current(), stackPointer, 'end of the task');
});

test('exceptions are freed, and their memory is used again', () => {
  const { vips } = instance;
  const addresses = new Set<number>();
  for (let count = 0; count < 100; count++) {
    try {
      vips.Image.jpegloadBuffer(Uint8Array.of(1, 2));
    } catch (error) {
      addresses.add((error as { getArg(tag: object, index: number): number }).getArg(exports.__cpp_exception, 0));
    }
  }
  assert.ok(addresses.size > 0 && addresses.size < 50, `${addresses.size} addresses of 100 exceptions`);
});

test('files that fail to load do not stay in memory', () => {
  const { vips, releaseHandles } = instance;
  // Together the files exceed the memory, which is 257 MiB.
  const file = new Uint8Array(32 * 2 ** 20);
  for (let count = 0; count < 10; count++) {
    assert.match(
      messageOf(() => vips.Image.jpegloadBuffer(file)),
      /Not a JPEG file: starts with 0x00 0x00/,
    );
    assert.equal(releaseHandles(), 0);
  }
});
