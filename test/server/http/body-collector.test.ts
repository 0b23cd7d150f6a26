import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BodyCollector } from '../../../server/http/body-collector.ts';

const MIB = 2 ** 20;

describe('BodyCollector', () => {
  it('uses little more memory than the bytes while it joins them', async () => {
    // Must run first: memory left by other tests would hide the increase.
    const size = 130 * MIB;
    const before = process.memoryUsage.rss();
    const collector = new BodyCollector();
    const chunk = new Uint8Array(64 * 1024).fill(1);
    while (collector.length < size) collector.push(chunk);
    const whole = await collector.finish();
    const more = process.memoryUsage.rss() - before;
    assert.equal(whole.byteLength, size);
    assert.ok(more < 1.3 * size, `${more}`);
  });

  it('returns a buffer of exactly the bytes, whether their number was announced correctly, wrongly or not at all', async () => {
    for (const lengths of [[], [0], [1, 70_000, 0, 129_999], [5 * MIB, 1, 3 * MIB]])
      for (const expectedBytes of [undefined, 0, 5, 200_000, 8 * MIB + 1]) {
        const collector = new BodyCollector(expectedBytes);
        const chunks = lengths.map((length, index) => new Uint8Array(length).fill(index + 1));
        for (const chunk of chunks) collector.push(chunk);
        const whole = Buffer.concat(chunks);
        assert.equal(collector.length, whole.length);
        const buffer = await collector.finish();
        assert.ok(buffer instanceof ArrayBuffer && !buffer.resizable);
        assert.deepEqual(Buffer.from(buffer), whole);
      }
  });

  it('copies nothing if the announced number was right', async () => {
    const collector = new BodyCollector(4);
    collector.push(Uint8Array.of(1, 2, 3, 4));
    assert.equal(await collector.finish(), await collector.finish());
  });

  it('copies at most a few MB at a time', async ({ mock }) => {
    const copied: number[] = [];
    const set = Uint8Array.prototype.set;
    mock.method(Uint8Array.prototype, 'set', function (this: Uint8Array, from: Uint8Array, at?: number) {
      copied.push(from.length);
      set.call(this, from, at);
    });
    const collector = new BodyCollector();
    const chunk = new Uint8Array(64 * 1024);
    for (let n = 0; n < 64 * 16; n += 1) collector.push(chunk);
    const { byteLength } = await collector.finish();
    assert.equal(byteLength, 64 * MIB);
    assert.ok(Math.max(...copied) <= 4 * MIB);
  });

  it('blocks the event loop for only a few copies at a time', async ({ mock }) => {
    // Lets the event loop round of the previous test end, which was timed by the real clock.
    for (let n = 0; n < 3; n += 1) await new Promise(setImmediate);
    // The clock advances with each reading.
    let now = 0;
    mock.method(performance, 'now', () => (now += 10));
    const collector = new BodyCollector();
    for (let n = 0; n < 16; n += 1) collector.push(new Uint8Array(MIB));
    let rounds = 0;
    let isFinished = false;
    const finished = collector.finish().finally(() => (isFinished = true));
    for (; !isFinished; rounds += 1) await new Promise(setImmediate);
    await finished;
    assert.ok(rounds >= 8, `${rounds}`);
  });
});
