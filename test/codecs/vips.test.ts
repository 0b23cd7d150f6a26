/** The libvips of a thread: its memory limit, and that errors belong to their own task. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import sharp from 'sharp';
import { compileModules } from '../../codecs/modules.ts';
import { vipsMessage } from '../../codecs/source.ts';
import { startVips, type VipsInstance } from '../../codecs/vips.ts';

let instance: VipsInstance;
before(async () => {
  // It starts with 256 MiB, so that is the least.
  instance = await startVips(await compileModules(), 1);
});

/** What libvips says of a task that fails. */
function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return vipsMessage(error);
  }
  throw new assert.AssertionError({ message: 'Expected a failure of libvips but there was none.' });
}

test('a picture beyond the bytes that may be held is an error, and the next one is not', () => {
  const { vips, releaseHandles } = instance;
  assert.match(
    messageOf(() => vips.Image.black(20_000, 20_000).copyMemory()),
    /out of memory/,
  );
  assert.equal(releaseHandles(), 0);
  assert.equal(vips.Image.black(2_000, 2_000).copyMemory().width, 2_000);
  assert.equal(releaseHandles(), 0);
});

test('messages that a task ignored do not appear in the error of the next task', async () => {
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
