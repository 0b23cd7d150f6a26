import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { compileModules } from '../../../codecs/modules.ts';
import { startVips } from '../../../codecs/vips.ts';
import { retryTruncated } from '../../../engine/operations/retry-truncated.ts';
import type { Warning } from '../../../engine/result.ts';

const SIDE = 1000;

it('what the first try decoded is freed before the second', { timeout: 30_000 }, async () => {
  const { vips, releaseHandles } = await startVips(await compileModules());
  const image = { data: new ArrayBuffer(0) };
  const { warnings } = await retryTruncated(vips, image, async (tolerant): Promise<{ warnings: Warning[] }> => {
    if (tolerant) {
      // libvips counts the memory of its pixels. One of its own threads may be the last to release them.
      while (vips.Stats.mem() >= SIDE * SIDE) await setImmediate();
      return { warnings: [] };
    }
    vips.Image.black(SIDE, SIDE).copyMemory();
    assert.ok(vips.Stats.mem() >= SIDE * SIDE);
    vips.Image.newFromBuffer(new Uint8Array([1, 2, 3]));
    throw new Error('it is no image');
  });
  assert.deepEqual(warnings, ['truncated_source']);
  assert.equal(releaseHandles(), 0);
});
