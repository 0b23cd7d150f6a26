import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { WorkLock } from '../../../server/jobs/work-lock.ts';

/** A lock with a record of who has entered it, in order. */
class LockFixture {
  readonly lock = new WorkLock();
  readonly entered: string[] = [];
  readonly leave = new Map<string, () => void>();
  readonly stop = new Map<string, AbortController>();
  readonly refused: unknown[] = [];

  enter(name: string, alone = false): void {
    const controller = new AbortController();
    this.stop.set(name, controller);
    this.lock.enter(alone, controller.signal).then(
      (leave) => {
        this.entered.push(name);
        this.leave.set(name, leave);
      },
      (reason) => this.refused.push(reason),
    );
  }

  async leaves(name: string): Promise<void> {
    this.leave.get(name)!();
    await setImmediate();
  }
}

describe('WorkLock', () => {
  it('admits shared holders together and an exclusive one alone, in order of arrival', async () => {
    const room = new LockFixture();
    room.enter('a');
    room.enter('b');
    room.enter('alone', true);
    room.enter('c');
    await setImmediate();
    assert.deepEqual(room.entered, ['a', 'b']);
    await room.leaves('a');
    assert.deepEqual(room.entered, ['a', 'b']);
    await room.leaves('b');
    assert.deepEqual(room.entered, ['a', 'b', 'alone']);
    room.enter('alone too', true);
    await room.leaves('alone');
    assert.deepEqual(room.entered, ['a', 'b', 'alone', 'c']);
    await room.leaves('c');
    assert.deepEqual(room.entered.at(-1), 'alone too');
  });

  it('drops an aborted waiter, and admits those behind it', async () => {
    const room = new LockFixture();
    room.enter('a');
    room.enter('alone', true);
    room.enter('b');
    await setImmediate();
    room.stop.get('alone')!.abort('stopping');
    await setImmediate();
    assert.deepEqual([room.entered, room.refused], [['a', 'b'], ['stopping']]);
    // Aborting after entry does not release the lock: the work must call `leave` itself.
    room.stop.get('b')!.abort('stopping');
    await room.leaves('b');
    room.leave.get('b')!();
    room.enter('alone', true);
    await setImmediate();
    assert.deepEqual(room.entered, ['a', 'b']);
    await room.leaves('a');
    assert.deepEqual(room.entered, ['a', 'b', 'alone']);
  });

  it('rejects a signal that is already aborted', async () => {
    const lock = new WorkLock();
    await assert.rejects(lock.enter(true, AbortSignal.abort(new Error('stopped'))), /stopped/);
    (await lock.enter(true, new AbortController().signal))();
  });
});
