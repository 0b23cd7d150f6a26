/** What stays in memory of a decoded image, and for how long. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { compileModules } from '../../codecs/modules.ts';
import { openSource } from '../../codecs/read.ts';
import { decode, WHOLE_IMAGE } from '../../codecs/source.ts';
import { startVips, trackHandles, type VipsApi, withFreedHandles } from '../../codecs/vips.ts';
import { scene } from '../support/scenes.ts';
import { png, sharpOf } from '../support/test-images.ts';

const WIDTH = 320;
const HEIGHT = 240;

describe('an image in memory', () => {
  let modules: Awaited<ReturnType<typeof compileModules>>;
  let vips: VipsApi;
  let releaseHandles: () => number;

  before(async () => {
    modules = await compileModules();
    ({ vips, releaseHandles } = await startVips(modules));
    // Those of other tests of this process.
    releaseHandles();
  });

  it('is the only handle left after decoding', { timeout: 30_000 }, async () => {
    const bytes = await sharpOf(scene('photo', WIDTH, HEIGHT))
      .webp()
      .toBuffer();
    const source = await openSource({ vips, modules }, { bytes, format: 'webp', page: 1 });
    assert.equal(vips.deletionQueue.length, 0);
    const { frames } = await decode(vips, source, WHOLE_IMAGE);
    assert.deepEqual([...vips.deletionQueue], frames);
    // libvips counts the memory of its pixels.
    assert.ok(vips.Stats.mem() < 1.5 * WIDTH * HEIGHT * 3, `${vips.Stats.mem()} bytes`);
    assert.equal(frames[0].writeToMemory().length, WIDTH * HEIGHT * 3);
    assert.equal(releaseHandles(), 0);
    // A libvips thread may be the last to release the rows that it has read ahead.
    while (vips.Stats.mem() >= WIDTH) await setImmediate();
  });

  it('is freed with all other handles if it cannot be decoded', async () => {
    const bytes = (await png(scene('photo', WIDTH, HEIGHT))).subarray(0, -2000);
    const source = await openSource({ vips, modules }, { bytes, format: 'png', page: 1 });
    await assert.rejects(decode(vips, source, WHOLE_IMAGE));
    assert.equal(vips.deletionQueue.length, 0);
  });
});

describe('handles', () => {
  it('are freed when the work ends or fails, and earlier ones are kept', async () => {
    const { vips, releaseHandles } = await startVips(await compileModules());
    const kept = vips.Image.black(4, 4);
    let made = kept;
    const work = async () => {
      made = kept.invert();
      return made.width;
    };
    assert.equal(await withFreedHandles(vips, work), 4);
    assert.ok(made.isDeleted());
    const failing = withFreedHandles(vips, async () => {
      await work();
      throw new Error('broken off');
    });
    await assert.rejects(failing, /broken off/);
    assert.ok(made.isDeleted());
    const handles = trackHandles(vips);
    const [first, second] = [kept.invert(), kept.invert()];
    handles.free([second]);
    assert.deepEqual(
      [kept, first, second].map((handle) => handle.isDeleted()),
      [false, true, false],
    );
    assert.equal(releaseHandles(), 0);
    assert.ok(kept.isDeleted() && second.isDeleted());
  });
});
