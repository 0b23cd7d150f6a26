import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dayOf, monthOf, secondsUntil } from '../../../server/account/period.ts';

describe('a month', () => {
  it('is a calendar month in UTC, including its first moment and excluding that of the next month', () => {
    const start = Date.UTC(2026, 10);
    const end = Date.UTC(2026, 11);
    for (const time of [start, start + 1, Date.UTC(2026, 10, 21, 5, 20), end - 1])
      assert.deepEqual(monthOf(time), { id: '2026-11', start, end });
    assert.equal(monthOf(start - 1).id, '2026-10');
    assert.equal(monthOf(end).id, '2026-12');
  });

  it('handles the end of a year and leap years', () => {
    assert.deepEqual(monthOf(Date.UTC(2026, 11, 31, 23, 59, 59, 999)), {
      id: '2026-12',
      start: Date.UTC(2026, 11),
      end: Date.UTC(2027, 0),
    });
    const { start, end } = monthOf(Date.UTC(2028, 1, 29));
    assert.equal((end - start) / 86_400_000, 29);
  });
});

describe('a day', () => {
  it('is a calendar day in UTC, including its first moment and excluding that of the next day', () => {
    const start = Date.UTC(2026, 10, 21);
    const end = Date.UTC(2026, 10, 22);
    for (const time of [start, start + 1, end - 1]) assert.deepEqual(dayOf(time), { id: '2026-11-21', start, end });
    assert.equal(dayOf(start - 1).id, '2026-11-20');
    assert.equal(dayOf(end).id, '2026-11-22');
    assert.equal(dayOf(Date.UTC(2026, 11, 31)).end, Date.UTC(2027, 0));
  });
});

describe('the time zone of the machine', () => {
  it('changes neither months nor days', () => {
    const zone = process.env.TZ;
    try {
      // A time zone 14 hours ahead of UTC, where December has already begun.
      process.env.TZ = 'Pacific/Kiritimati';
      const time = Date.UTC(2026, 10, 30, 23, 59);
      assert.equal(new Date(time).getMonth(), 11);
      assert.deepEqual([monthOf(time).id, dayOf(time).id], ['2026-11', '2026-11-30']);
      assert.equal(monthOf(time).end, Date.UTC(2026, 11));
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });
});

describe('secondsUntil', () => {
  it('rounds up, and is never negative', () => {
    assert.deepEqual(
      [0, 1, 999, 1000, 1001, -1].map((milliseconds) => secondsUntil(5000 + milliseconds, 5000)),
      [0, 1, 1, 1, 2, 0],
    );
  });
});
