import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Admission } from '../../engine/admission.ts';
import { MemoryBudget, NO_WORKERS } from '../../engine/memory-budget.ts';
import type { Ticket } from '../../engine/ticket.ts';

const LIMITS = { tasks: 3, bytes: 100, pixels: 1000 };
const AMPLE_LIMITS = { tasks: 1000, bytes: 1e9, pixels: 1e9 };
const ONE_SLOT = { regular: 1, extra: { short: 0, long: 0 }, maxShortMs: 1000 };
const NOW = 0;

type Test = Ticket & { label: string };
let made = 0;
function ticket(part: Partial<Test> = {}): Test {
  made += 1;
  const base = {
    lane: 'interactive',
    name: 'compress',
    owner: undefined,
    bytes: 10,
    pixels: 100,
    heldBytes: 0,
    bufferBytes: 0,
    costMs: 100,
  } as const;
  return { label: String(made), ...base, ...part };
}
const of = (account: string, part: Partial<Test> = {}, key = `${account}'s key`) =>
  ticket({ owner: { account, key }, label: account, ...part });

describe('admission limits', () => {
  it('apply to waiting tasks', () => {
    const admission = new Admission<Test>(LIMITS, ONE_SLOT);
    const admitted = [1, 2, 3, 4].map(() => admission.admit(ticket()));
    assert.deepEqual(admitted, [true, true, true, false]);
  });

  it("free a task's place in the queue when it starts, but not its bytes and pixels", () => {
    const admission = new Admission<Test>(LIMITS, ONE_SLOT);
    admission.admit(ticket({ bytes: 60 }));
    assert.ok(admission.next(NOW));
    assert.equal(admission.admit(ticket({ bytes: 41 })), false);
    assert.equal(admission.admit(ticket({ bytes: 40 })), true);
    assert.equal(admission.bytes, 100);
  });

  it('reject tasks that exceed the estimated pixels, but always admit a lone task', () => {
    const admission = new Admission<Test>(LIMITS, ONE_SLOT);
    const poster = ticket({ pixels: 5000, bytes: 5000 });
    assert.equal(admission.admit(poster), true);
    assert.equal(admission.admit(ticket()), false);
    admission.next(NOW);
    admission.release(poster, 1, NOW);
    assert.equal(admission.admit(ticket()), true);
    assert.deepEqual([admission.bytes, admission.pixels], [10, 100]);
  });

  it('let an account take half of what is free, so that another account always fits', () => {
    const admission = new Admission<Test>({ ...AMPLE_LIMITS, tasks: 100 }, ONE_SLOT);
    const admitted = (account: string) => {
      let count = 0;
      while (admission.admit(of(account))) count += 1;
      return count;
    };
    assert.deepEqual([admitted('first'), admitted('second'), admitted('third')], [50, 25, 13]);
    const byBytes = new Admission<Test>({ ...AMPLE_LIMITS, bytes: 100 }, ONE_SLOT);
    assert.deepEqual(
      [1, 2, 3, 4, 5, 6].map(() => byBytes.admit(of('first'))),
      [true, true, true, true, true, false],
    );
    assert.equal(byBytes.admit(of('second', { bytes: 50 })), true, 'its first one needs no more than what is free');
  });

  it('are freed once when a task is withdrawn', () => {
    const admission = new Admission<Test>(LIMITS, ONE_SLOT);
    const waiting = of('one');
    admission.admit(waiting);
    assert.equal(admission.withdraw(waiting), true);
    assert.equal(admission.withdraw(waiting), false);
    assert.deepEqual([admission.bytes, admission.pixels, admission.next(NOW)], [0, 0, undefined]);
  });
});

/** Runs all tickets on one slot and returns their labels in the order in which they ran. */
function runAll(admission: Admission<Test>, usedMs: (done: Test) => number = ({ costMs }) => costMs): string[] {
  const order: string[] = [];
  for (let next = admission.next(NOW); next; next = admission.next(NOW)) {
    order.push(next.label);
    admission.release(next, usedMs(next), NOW);
  }
  return order;
}

describe('admission order', () => {
  it('puts interactive work first, whatever came before it', () => {
    const admission = new Admission<Test>(LIMITS, ONE_SLOT);
    const background = ticket({ lane: 'background' });
    const interactive = ticket();
    admission.admit(background);
    admission.admit(interactive);
    assert.equal(admission.next(NOW), interactive);
    assert.equal(admission.next(NOW), undefined, 'one slot runs one task');
    admission.release(interactive, 1, NOW);
    assert.equal(admission.next(NOW), background);
  });

  it('alternates between accounts, however much one of them has sent', () => {
    const admission = new Admission<Test>(AMPLE_LIMITS, ONE_SLOT);
    for (let n = 0; n < 5; n += 1) admission.admit(of('many'));
    for (let n = 0; n < 2; n += 1) admission.admit(of('few'));
    assert.equal(runAll(admission).join(' '), 'many few many few many many many');
  });

  it('weighs turns by the cost of the tasks', () => {
    const admission = new Admission<Test>(AMPLE_LIMITS, ONE_SLOT);
    for (let n = 0; n < 3; n += 1) admission.admit(of('large', { costMs: 300 }));
    for (let n = 0; n < 6; n += 1) admission.admit(of('small', { costMs: 100 }));
    assert.equal(runAll(admission).join(' '), 'large small small small large small small small large');
  });

  it('alternates between the keys and the operations of an account', () => {
    const admission = new Admission<Test>(AMPLE_LIMITS, ONE_SLOT);
    for (let n = 0; n < 3; n += 1) admission.admit(of('one', { label: 'a' }, 'key a'));
    admission.admit(of('one', { label: 'b' }, 'key b'));
    admission.admit(of('one', { label: 'ocr of a', name: 'ocr' }, 'key a'));
    assert.deepEqual(runAll(admission), ['a', 'b', 'ocr of a', 'a', 'a']);
  });

  it('charges the actual cost, also of failed tasks', () => {
    const admission = new Admission<Test>(AMPLE_LIMITS, ONE_SLOT);
    for (let n = 0; n < 3; n += 1) admission.admit(of('slow'));
    for (let n = 0; n < 3; n += 1) admission.admit(of('quick'));
    const order = runAll(admission, ({ label, costMs }) => (label === 'slow' ? 30_000 : costMs));
    assert.equal(order.join(' '), 'slow quick quick quick slow slow');
  });

  it('gives a returning account no saved turns, and starves no one', () => {
    const admission = new Admission<Test>(AMPLE_LIMITS, ONE_SLOT);
    for (let n = 0; n < 3; n += 1) admission.admit(of('first'));
    runAll(admission);
    for (let n = 0; n < 2; n += 1) admission.admit(of('first'));
    for (let n = 0; n < 2; n += 1) admission.admit(of('late'));
    assert.equal(runAll(admission).join(' '), 'late first late first');
    admission.admit(of('first'));
    runAll(admission, () => 1e9);
    admission.admit(of('first'));
    for (let n = 0; n < 3; n += 1) admission.admit(of('late', { costMs: 50_000 }));
    assert.equal(runAll(admission).join(' '), 'late late first late');
  });

  it('forgets an account that has been idle for a minute', () => {
    const admission = new Admission<Test>(AMPLE_LIMITS, ONE_SLOT);
    admission.admit(of('first'));
    admission.release(admission.next(0)!, 30_000, 0);
    admission.admit(of('other'));
    admission.release(admission.next(60_000)!, 1, 60_000);
    admission.admit(of('other'));
    admission.admit(of('first'));
    assert.equal(admission.next(60_000)?.label, 'first', 'what it has used is forgotten');
  });
});

describe('extra slots', () => {
  const slots = { regular: 2, extra: { short: 2, long: 0 }, maxShortMs: 1000 };
  const long = { costMs: 20_000 };
  const start = (admission: Admission<Test>, ...tickets: Test[]) => {
    for (const each of tickets) admission.admit(each);
    const started: string[] = [];
    for (let next = admission.next(NOW); next; next = admission.next(NOW)) started.push(next.label);
    return started;
  };

  it('run a short task of another account while one account has all regular slots', () => {
    const admission = new Admission<Test>(AMPLE_LIMITS, slots);
    assert.deepEqual(start(admission, of('one'), of('one'), of('one')), ['one', 'one']);
    assert.deepEqual(
      start(admission, of('other', long), of('other')),
      ['other'],
      'a long one waits for a regular slot',
    );
    assert.deepEqual(start(admission, of('third')), ['third']);
    assert.deepEqual(start(admission, of('fourth')), [], 'there are two');
  });

  it('run one short task of an account whose own long tasks have the regular slots', () => {
    const admission = new Admission<Test>(AMPLE_LIMITS, slots);
    assert.equal(start(admission, of('one', long), of('one', long)).length, 2);
    assert.equal(start(admission, of('one'), of('one')).length, 1);
    assert.deepEqual(start(admission, of('other')), ['other'], 'the last one is for others');
  });

  it('run a short task of another key of the account, and leave the last slot to other accounts', () => {
    const admission = new Admission<Test>(AMPLE_LIMITS, slots);
    start(admission, of('one'), of('one'));
    assert.equal(start(admission, of('one', {}, 'second key')).length, 1);
    assert.equal(start(admission, of('one', {}, 'third key')).length, 0);
    assert.deepEqual(start(admission, of('other')), ['other']);
  });

  it('stay free for short tasks while a regular slot is free', () => {
    const admission = new Admission<Test>(AMPLE_LIMITS, { ...slots, extra: { short: 1, long: 0 } });
    const first = of('one', long);
    start(admission, first, of('one', long));
    assert.deepEqual(start(admission, of('other')), ['other']);
    admission.release(first, 1, NOW);
    assert.deepEqual(start(admission, of('third', long)), ['third'], 'in the regular slot that is free again');
    assert.deepEqual(start(admission, of('fourth')), [], 'the extra slot is taken still');
    assert.equal(admission.running, 3);
  });

  it('are closed for a while to an account whose tasks took much longer than estimated', () => {
    const admission = new Admission<Test>(AMPLE_LIMITS, slots);
    const deceiver = of('deceiver');
    admission.admit(deceiver);
    admission.next(NOW);
    admission.release(deceiver, 30_000, NOW);
    start(admission, of('one', long), of('one', long));
    admission.admit(of('deceiver'));
    assert.equal(admission.next(1000), undefined);
    assert.equal(admission.next(150_000)?.label, 'deceiver');
  });

  it('are not used by tasks without a known owner', () => {
    const admission = new Admission<Test>(AMPLE_LIMITS, { ...slots, extra: { short: 2, long: 2 } });
    assert.equal(start(admission, ticket(), ticket(), ticket(), ticket(long)).length, 2);
  });

  it('run one long task of an account that has no running task', () => {
    const admission = new Admission<Test>(AMPLE_LIMITS, { ...slots, extra: { short: 1, long: 1 } });
    const first = of('one', long);
    start(admission, first, of('one', long));
    assert.deepEqual(start(admission, of('one', long)), [], 'not one more of the same account');
    assert.deepEqual(start(admission, of('other', long), of('other', long)), ['other']);
    assert.deepEqual(start(admission, of('third', long)), [], 'there is one');
    assert.deepEqual(start(admission, of('fourth')), ['fourth'], 'the slot for short ones is free still');
    admission.release(first, 1, NOW);
    assert.deepEqual(start(admission), ['third'], 'whoever has used least gets the regular slot');
    assert.deepEqual(start(admission, of('fifth', long)), [], 'the extra slot is taken still');
  });
});

describe('memory for decoded images', () => {
  const MIB = 2 ** 20;
  const slots = { ...ONE_SLOT, regular: 3 };
  const next = (admission: Admission<Test>) => admission.next(NOW)?.label;

  it('is shared by the running tasks of all queues, and does not delay small tasks', () => {
    const memory = new MemoryBudget(100 * MIB);
    const admission = new Admission<Test>(AMPLE_LIMITS, slots, memory.join());
    const other = new Admission<Test>(AMPLE_LIMITS, slots, memory.join());
    const large = ticket({ heldBytes: 60 * MIB });
    admission.admit(large);
    assert.equal(next(admission), large.label);
    other.admit(ticket({ heldBytes: 60 * MIB, label: 'waiting' }));
    other.admit(ticket({ heldBytes: 30 * MIB, label: 'medium' }));
    other.admit(ticket({ heldBytes: MIB, label: 'small' }));
    assert.deepEqual([next(other), next(other)], ['small', undefined], 'what is left is kept for the first that waits');
    let told = 0;
    memory.join({ ...NO_WORKERS, onRoom: () => (told += 1) });
    admission.release(large, 1, NOW);
    assert.equal(told, 1);
    assert.deepEqual([next(other), next(other)], ['waiting', 'medium']);
    assert.equal(memory.runningBytes, 90 * MIB);
  });

  it('goes first to the pool whose task has waited for five seconds', () => {
    const memory = new MemoryBudget(100 * MIB);
    const [admission, other] = [memory, memory].map((each) => new Admission<Test>(AMPLE_LIMITS, slots, each.join()));
    const large = (label: string) => ticket({ heldBytes: 60 * MIB, label });
    for (const label of ['first', 'second', 'third']) admission!.admit(large(label));
    other!.admit(large('other'));
    const start = (queue: Admission<Test>, now: number) => {
      const started = queue.next(now);
      if (started) assert.equal(queue.next(now), undefined);
      return started;
    };
    const first = start(admission!, 0)!;
    assert.equal(start(other!, 1), undefined);
    admission!.release(first, 1, 5000);
    const second = start(admission!, 5000)!;
    assert.equal(second.label, 'second', 'the other one has not waited for so long');
    admission!.release(second, 1, 6000);
    assert.equal(start(admission!, 6000), undefined);
    const waited = start(other!, 6000)!;
    assert.equal(waited.label, 'other');
    other!.release(waited, 1, 7000);
    assert.equal(start(admission!, 7000)?.label, 'third');
  });

  it('is announced to other pools when a waiting task is withdrawn', () => {
    const memory = new MemoryBudget(100 * MIB);
    const admission = new Admission<Test>(AMPLE_LIMITS, slots, memory.join());
    let announced = 0;
    memory.join({ ...NO_WORKERS, onRoom: () => (announced += 1) });
    const [first, second] = [ticket({ heldBytes: 60 * MIB }), ticket({ heldBytes: 60 * MIB })];
    for (const each of [first, second]) admission.admit(each);
    admission.next(NOW);
    assert.equal(admission.next(NOW), undefined);
    admission.withdraw(second);
    admission.next(NOW);
    assert.equal(announced, 1);
  });

  it('counts the memory that a worker already holds, except for buffers', () => {
    for (const [bufferBytes, expected] of [
      [0, []],
      [45 * MIB, [5 * MIB]],
    ] as const) {
      const memory = new MemoryBudget(100 * MIB);
      const wanted: number[] = [];
      const grown = () => 60 * MIB;
      const holder = {
        ...{ ...NO_WORKERS, keptBytes: grown, reusableBytes: grown },
        giveBack: (reusingBytes: number) => void wanted.push(reusingBytes),
      };
      const admission = new Admission<Test>(AMPLE_LIMITS, slots, memory.join(holder));
      admission.admit(ticket({ heldBytes: 50 * MIB, bufferBytes }));
      admission.next(NOW);
      assert.deepEqual(wanted, expected);
    }
  });

  it('is given to a lone task, whatever it needs', () => {
    const admission = new Admission<Test>(AMPLE_LIMITS, slots, new MemoryBudget(MIB).join());
    admission.admit(ticket({ heldBytes: 60 * MIB }));
    admission.admit(ticket({ heldBytes: 60 * MIB }));
    assert.ok(admission.next(NOW));
    assert.equal(admission.next(NOW), undefined);
  });
});

describe('expected wait', () => {
  it('assumes an equal share for each account', () => {
    const admission = new Admission<Test>(AMPLE_LIMITS, { ...ONE_SLOT, regular: 2 });
    assert.equal(admission.expectedWaitMs(of('one')), 0);
    for (let n = 0; n < 10; n += 1) admission.admit(of('one'));
    assert.equal(admission.expectedWaitMs(of('one')), 500, 'ten of 100 ms on two slots');
    assert.equal(admission.expectedWaitMs(of('other')), 50, 'the first one of another account waits for one');
    admission.admit(of('other'));
    assert.equal(admission.expectedWaitMs(of('other')), 150);
    admission.next(NOW);
    assert.equal(admission.expectedWaitMs(of('one')), 500, 'what runs is no longer ahead; the other one is');
  });
});
