import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Admission, type Ticket } from '../../engine/admission.ts';

const LIMITS = { tasks: 3, bytes: 100, pixels: 1000 };
const ticket = (part: Partial<Ticket> = {}): Ticket => ({ lane: 'interactive', bytes: 10, pixels: 100, ...part });

test('admits until the number of waiting tasks is reached', () => {
  const admission = new Admission<Ticket>(LIMITS, 1);
  assert.deepEqual(
    [1, 2, 3, 4].map(() => admission.admit(ticket())),
    [true, true, true, false],
  );
});

test('running tasks make room in the queue but keep their bytes and pixels', () => {
  const admission = new Admission<Ticket>(LIMITS, 1);
  admission.admit(ticket({ bytes: 60 }));
  assert.ok(admission.next());
  assert.equal(admission.admit(ticket({ bytes: 41 })), false);
  assert.equal(admission.admit(ticket({ bytes: 40 })), true);
  assert.equal(admission.bytes, 100);
});

test('refuses what would pass the estimated pixels, but a lone task always fits', () => {
  const admission = new Admission<Ticket>(LIMITS, 1);
  const poster = ticket({ pixels: 5000, bytes: 5000 });
  assert.equal(admission.admit(poster), true);
  assert.equal(admission.admit(ticket()), false);
  admission.next();
  admission.release(poster);
  assert.equal(admission.admit(ticket()), true);
  assert.deepEqual([admission.bytes, admission.pixels], [10, 100]);
});

test('interactive work goes first, whatever came before it', () => {
  const admission = new Admission<Ticket>(LIMITS, 1);
  const background = ticket({ lane: 'background' });
  const interactive = ticket();
  admission.admit(background);
  admission.admit(interactive);
  assert.equal(admission.next(), interactive);
  assert.equal(admission.next(), undefined, 'one slot runs one task');
  admission.release(interactive);
  assert.equal(admission.next(), background);
});

test('a withdrawn task gives back what it had reserved, once', () => {
  const admission = new Admission<Ticket>(LIMITS, 1);
  const waiting = ticket();
  admission.admit(waiting);
  assert.equal(admission.withdraw(waiting), true);
  assert.equal(admission.withdraw(waiting), false);
  assert.deepEqual([admission.bytes, admission.pixels, admission.next()], [0, 0, undefined]);
});
