import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { discardRest } from '../../../server/http/unread.ts';

const MIB = 2 ** 20;
const CHUNKS = 100;

describe('the rest of a refused body', () => {
  it('is read as fast as it comes at first, then at a bounded rate, and given up after five seconds', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    let read = 0;
    const chunks = function* () {
      for (; read < CHUNKS; read += 1) yield new Uint8Array(MIB);
    };
    const body = Readable.from(chunks(), { highWaterMark: 1 });
    const discarded = discardRest(body);
    const paused = () => new Promise((resolve) => body.once('pause', resolve));
    await paused();
    const first = read;
    assert.ok(first >= 32 && first < 40, `${first}`);
    context.mock.timers.tick(400);
    await paused();
    assert.ok(read > first && read < first + 8, `${read}`);
    context.mock.timers.tick(5000);
    await discarded;
    assert.ok(read < CHUNKS);
  });

  it('ends when the client is gone', async () => {
    const body = new Readable({ read() {} });
    const discarded = discardRest(body);
    body.destroy();
    await discarded;
  });
});
