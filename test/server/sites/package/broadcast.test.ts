import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { broadcast } from '../../../../server/sites/package/broadcast.ts';
import { collect } from './rows.ts';

async function* upTo(count: number, asked: number[] = []): AsyncGenerator<number> {
  for (let number = 1; number <= count; number += 1) {
    asked.push(number);
    yield number;
  }
}

describe('a broadcast of one source to several readers', () => {
  it('gives everything to each reader', async () => {
    const { readers } = broadcast(upTo(5), 3);
    assert.deepEqual(await Promise.all(readers.map(collect)), new Array(3).fill([1, 2, 3, 4, 5]));
  });

  it('waits for the slowest reader', async () => {
    const asked: number[] = [];
    const { readers } = broadcast(upTo(5, asked), 2);
    const [fast, slow] = readers as [AsyncGenerator<number>, AsyncGenerator<number>];
    const first = fast.next();
    assert.deepEqual(asked, []);
    await slow.next();
    assert.deepEqual([(await first).value, asked], [1, [1]]);
  });

  it('fails for all readers when the source fails or is stopped', async () => {
    const failing = async function* () {
      yield 1;
      throw new RangeError('gone');
    };
    for (const outcome of await Promise.allSettled(broadcast(failing(), 2).readers.map(collect)))
      assert.ok(outcome.status === 'rejected' && outcome.reason instanceof RangeError);
    const { readers, stop } = broadcast(upTo(5), 2);
    const waiting = readers[0]!.next();
    stop(new RangeError('stopped'));
    await assert.rejects(waiting, RangeError);
    await assert.rejects(readers[1]!.next(), RangeError);
  });
});
