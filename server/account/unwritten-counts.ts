/**
 * Counts that could not be written because the disk is full. Requests that store
 * nothing still work, so their use is added up here until it can be written. Only sums
 * are kept: the memory is limited by the number of accounts, keys and operations.
 */
import type { UsageAmounts, UsageId } from '../../storage/ports/usage.ts';
import type { Account } from '../../storage/records/accounts.ts';
import type { Credits, Meter, MeterId } from '../../storage/records/meters.ts';

/** The change of a meter. */
export interface MeterChange {
  meter: MeterId;
  used: Credits;
  /** Negative if the reservation that ended is in the database. */
  reserved: Credits;
  /** The account that the meter belongs to. Undefined for meters without notices. */
  account?: Account;
}

export interface UsageChange {
  id: UsageId;
  amounts: UsageAmounts;
}

export interface Batch {
  meters: MeterChange[];
  usage: UsageChange[];
}

const NONE: Credits = { requests: 0, ai: 0 };

export class UnwrittenCounts {
  readonly #meters = new Map<string, MeterChange>();
  readonly #usage = new Map<string, UsageChange>();

  get isEmpty(): boolean {
    return this.#meters.size === 0 && this.#usage.size === 0;
  }

  /**
   * Used credits that are not written yet. Counts only meters of
   * accounts, because those of keys count the same credits again.
   */
  get credits(): number {
    return [...this.#meters.values()]
      .filter(({ account }) => account !== undefined)
      .reduce((sum, { used }) => sum + used.requests + used.ai, 0);
  }

  addMeter({ meter, used, reserved, account }: MeterChange): void {
    const key = keyOfMeter(meter);
    const known = this.#meters.get(key);
    const owner = account ?? known?.account;
    this.#meters.set(key, {
      meter,
      used: sum(used, known?.used ?? NONE),
      reserved: sum(reserved, known?.reserved ?? NONE),
      ...(owner && { account: owner }),
    });
  }

  addUsage({ id, amounts }: UsageChange): void {
    const key = keyOfUsage(id);
    const known = this.#usage.get(key)?.amounts;
    this.#usage.set(key, { id, amounts: known ? sumOfUsage(known, amounts) : amounts });
  }

  /** Returns a meter of the database plus its unwritten counts. */
  added(id: MeterId, written: Meter): Meter {
    const change = this.#meters.get(keyOfMeter(id));
    if (!change) return written;
    return {
      ...sum(written, change.used),
      reservedRequests: written.reservedRequests + change.reserved.requests,
      reservedAi: written.reservedAi + change.reserved.ai,
    };
  }

  /** Returns the unwritten use of an account in a month. */
  usageOf(accountId: string, month: string): UsageChange[] {
    return [...this.#usage.values()].filter(({ id }) => id.accountId === accountId && id.month === month);
  }

  /** Removes and returns up to `size` changes. The caller puts back what it cannot write. */
  takeBatch(size: number): Batch {
    const meters = [...this.#meters].slice(0, size);
    for (const [key] of meters) this.#meters.delete(key);
    const usage = [...this.#usage].slice(0, size - meters.length);
    for (const [key] of usage) this.#usage.delete(key);
    return { meters: meters.map(([, change]) => change), usage: usage.map(([, change]) => change) };
  }

  putBack({ meters, usage }: Batch): void {
    for (const change of meters) this.addMeter(change);
    for (const change of usage) this.addUsage(change);
  }
}

/** Ids have no spaces, so the parts of a map key cannot be confused. */
const keyOfMeter = ({ subject, period }: MeterId): string => `${subject} ${period}`;
const keyOfUsage = ({ accountId, month, operation }: UsageId): string => `${accountId} ${month} ${operation}`;

const sum = (one: Credits, other: Credits): Credits => ({
  requests: one.requests + other.requests,
  ai: one.ai + other.ai,
});

export function sumOfUsage(one: UsageAmounts, other: UsageAmounts): UsageAmounts {
  return {
    ...sum(one, other),
    bytesIn: one.bytesIn + other.bytesIn,
    bytesOut: one.bytesOut + other.bytesOut,
    failed: one.failed + other.failed,
  };
}
