import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { Readable, Writable } from 'node:stream';
import { describe, test } from 'node:test';
import { EventLoopRounds, EventLoopShare } from '../../base/event-loop-share.ts';
import { pipeBody } from '../../server/http/body-stream.ts';

/** Uses up the rest of the share in this round of the event loop. */
function holdEventLoop(): void {
  const share = new EventLoopShare();
  while (!share.isUsedUp);
}

/** Tasks on a clock that only their own work advances. */
class Work {
  /** Time in milliseconds. */
  now = 0;
  /** The name of the task for each piece of work, in order. */
  readonly order: string[] = [];
  readonly #rounds = new EventLoopRounds(() => this.now);

  async do(name: string, pieces: number, pieceMs: number): Promise<void> {
    const share = new EventLoopShare(this.#rounds);
    for (let piece = 0; piece < pieces; piece += 1) {
      if (share.isUsedUp) await share.next();
      this.now += pieceMs;
      this.order.push(name);
    }
  }

  /** Returns the duration of the longest round of the event loop until `tasks` are done. */
  async longestRound(tasks: readonly Promise<void>[]): Promise<number> {
    let longest = 0;
    let last = this.now;
    let isDone = false;
    const done = Promise.all(tasks).then(() => {
      isDone = true;
    });
    while (!isDone) {
      await new Promise((resolve) => setImmediate(resolve));
      longest = Math.max(longest, this.now - last);
      last = this.now;
    }
    await done;
    return longest;
  }
}

describe('event loop share', () => {
  test('runs out after a while, and is restored once requests have run', async () => {
    const share = new EventLoopShare();
    holdEventLoop();
    assert.equal(share.isUsedUp, true);
    let others = 0;
    setImmediate(() => {
      others += 1;
    });
    await share.next();
    assert.deepEqual({ others, isUsedUp: share.isUsedUp }, { others: 1, isUsedUp: false });
  });

  test('is shared by all tasks, however many there are', async () => {
    const work = new Work();
    const tasks = Array.from({ length: 50 }, (_, index) => work.do(String(index), 20, 3));
    const longest = await work.longestRound(tasks);
    assert.ok(longest <= 8 + 3, `a round of ${longest} ms`);
    assert.equal(work.order.length, 50 * 20);
  });

  test('goes first to the tasks that have used least', async () => {
    const work = new Work();
    const long = Array.from({ length: 20 }, () => work.do('long', 20, 8));
    while (work.order.length < 60) await new Promise((resolve) => setImmediate(resolve));
    const before = work.order.length;
    await work.do('short', 10, 0.5);
    const longPieces = work.order.slice(before).filter((name) => name === 'long').length;
    assert.ok(longPieces <= 3, `${longPieces} pieces of the long tasks before the short one was done`);
    await Promise.all(long);
  });

  test('lets other work run while a body arrives all at once', async () => {
    const chunks = Array.from({ length: 10 }, (_, index) => Buffer.from([index]));
    let turns = 0;
    const counting = setInterval(() => {
      turns += 1;
    });
    const taken: number[] = [];
    const turnsOfChunks = new Set<number>();
    const sink = new Writable({
      write(chunk: Buffer, _encoding, done) {
        taken.push(chunk[0]!);
        turnsOfChunks.add(turns);
        holdEventLoop();
        done();
      },
    });
    await pipeBody(Readable.from(chunks, { objectMode: false }) as IncomingMessage, sink, 60);
    clearInterval(counting);
    assert.deepEqual(taken, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert.ok(turnsOfChunks.size >= 9, `10 chunks were taken in ${turnsOfChunks.size} turns`);
  });
});
