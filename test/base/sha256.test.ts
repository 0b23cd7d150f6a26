import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { sha256 } from '../../base/sha256.ts';

describe('sha256', () => {
  it('is that of the whole data, in however many chunks it is hashed', async () => {
    for (const length of [0, 1, 2 ** 20, 2 ** 20 + 1, 2 ** 21 + 5]) {
      const data = Uint8Array.from({ length }, (_, index) => (index * 31) % 251);
      const expected = createHash('sha256').update(data).digest('hex');
      assert.equal(await sha256(data.buffer), expected);
      assert.equal(await sha256(Buffer.concat([Buffer.from('ab'), data]).subarray(2)), expected);
    }
  });

  it('lets other work run between the chunks', async () => {
    let turns = 0;
    const hashing = sha256(new ArrayBuffer(2 ** 22));
    void setImmediate().then(() => (turns += 1));
    await hashing;
    assert.equal(turns, 1);
  });
});
