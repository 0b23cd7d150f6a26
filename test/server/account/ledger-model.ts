/** A model of the ledger in plain numbers: the expected counts of its property test. */

import type { Cost } from '../../../server/account/credits.ts';
import type { Caller } from '../../../server/http/context.ts';

/** The plans of the test: requests and AI requests per month; null means no limit. */
export const PLANS: Readonly<Record<string, { requests: number | null; ai: number | null }>> = {
  small: { requests: 12, ai: 5 },
  tiny: { requests: 3, ai: 2 },
  none: { requests: 0, ai: 0 },
  half: { requests: 8, ai: null },
  open: { requests: null, ai: null },
};
export const PLAN_NAMES = Object.keys(PLANS);

const TEST_REQUESTS_A_DAY = 50;

export interface Counter {
  requests: number;
  ai: number;
  reservedRequests: number;
  reservedAi: number;
}

export interface UsageCounter {
  requests: number;
  ai: number;
  bytesIn: number;
  bytesOut: number;
  failed: number;
}

/** The change of one counter by a reservation. */
interface CounterChange {
  id: string;
  credits: Cost;
  isReserved: boolean;
}

export interface ModelReservation {
  moves: CounterChange[];
  caller: Caller;
  cost: Cost;
  month: string;
  state: 'open' | 'ended';
}

export type Refusal = 'quota_exceeded' | 'key_limit_exceeded' | 'test_limit_exceeded';

export class LedgerModel {
  readonly counters = new Map<string, Counter>();
  readonly usage = new Map<string, UsageCounter>();
  readonly notices = new Set<string>();

  counter(id: string): Counter {
    const known = this.counters.get(id) ?? { requests: 0, ai: 0, reservedRequests: 0, reservedAi: 0 };
    this.counters.set(id, known);
    return known;
  }

  /** Returns the error code with which the request would be refused, or undefined. */
  refusal({ account, key }: Caller, cost: Cost, time: number): Refusal | undefined {
    if (cost.requests + cost.ai === 0) return undefined;
    const held = (id: string) => {
      const { requests, ai, reservedRequests, reservedAi } = this.counter(id);
      return { requests: requests + reservedRequests, ai: ai + reservedAi };
    };
    if (key.mode === 'test') {
      const asked = Math.max(cost.requests, cost.ai);
      return held(dayMeter(account.id, time)).requests + asked > TEST_REQUESTS_A_DAY
        ? 'test_limit_exceeded'
        : undefined;
    }
    const plan = PLANS[account.plan]!;
    const ofAccount = held(monthMeter(account.id, time));
    for (const meter of ['requests', 'ai'] as const) {
      const limit = plan[meter];
      if (cost[meter] > 0 && limit !== null && ofAccount[meter] + cost[meter] > limit) return 'quota_exceeded';
    }
    const ofKey = held(monthMeter(key.id, time));
    const isOver = key.monthlyLimit !== null && ofKey.requests + ofKey.ai + cost.requests + cost.ai > key.monthlyLimit;
    return isOver ? 'key_limit_exceeded' : undefined;
  }

  reserve(caller: Caller, cost: Cost, time: number): ModelReservation {
    const { account, key } = caller;
    const moves: CounterChange[] = [];
    if (cost.requests + cost.ai > 0 && key.mode === 'test') {
      const credits = { requests: Math.max(cost.requests, cost.ai), ai: 0 };
      moves.push({ id: dayMeter(account.id, time), credits, isReserved: true });
      moves.push({ id: monthMeter(key.id, time), credits, isReserved: false });
    } else if (cost.requests + cost.ai > 0) {
      const plan = PLANS[account.plan]!;
      const isLimited = (['requests', 'ai'] as const).some((meter) => cost[meter] > 0 && plan[meter] !== null);
      moves.push({ id: monthMeter(account.id, time), credits: cost, isReserved: isLimited });
      moves.push({ id: monthMeter(key.id, time), credits: cost, isReserved: key.monthlyLimit !== null });
    }
    for (const move of moves) this.#hold(move, 1);
    return { moves, caller: structuredClone(caller), cost, month: monthOf(time), state: 'open' };
  }

  /** @param cost the actual cost of the work */
  charge(reservation: ModelReservation, bytesIn: number, bytesOut: number, cost: Cost = reservation.cost): void {
    if (reservation.state === 'ended') return;
    reservation.state = 'ended';
    const { caller, month } = reservation;
    const isTest = caller.key.mode === 'test';
    for (const move of reservation.moves) {
      this.#hold(move, -1);
      const counter = this.counter(move.id);
      counter.requests += isTest ? Math.max(cost.requests, cost.ai) : cost.requests;
      counter.ai += isTest ? 0 : cost.ai;
    }
    if (isTest) return;
    this.#addUsage(reservation, { ...cost, bytesIn, bytesOut, failed: 0 });
    const counter = this.counter(`${caller.account.id} ${month}`);
    for (const meter of ['requests', 'ai'] as const) {
      const limit = PLANS[caller.account.plan]![meter];
      if (cost[meter] === 0 || limit === null) continue;
      for (const threshold of [80, 100])
        if (counter[meter] >= (limit * threshold) / 100)
          this.notices.add([caller.account.id, month, meter, threshold].join(' '));
    }
  }

  release(reservation: ModelReservation, bytesIn: number): void {
    if (reservation.state === 'ended') return;
    reservation.state = 'ended';
    for (const move of reservation.moves) this.#hold(move, -1);
    if (reservation.caller.key.mode === 'live')
      this.#addUsage(reservation, { requests: 0, ai: 0, bytesIn, bytesOut: 0, failed: 1 });
  }

  /** Drops all reservations, which are lost when the process is killed. */
  restart(): void {
    for (const counter of this.counters.values()) Object.assign(counter, { reservedRequests: 0, reservedAi: 0 });
  }

  #hold({ id, credits, isReserved }: CounterChange, times: 1 | -1): void {
    if (!isReserved) return;
    const counter = this.counter(id);
    counter.reservedRequests += times * credits.requests;
    counter.reservedAi += times * credits.ai;
  }

  #addUsage({ caller, month }: ModelReservation, amounts: UsageCounter): void {
    const id = `${caller.account.id} ${month}`;
    const known = this.usage.get(id) ?? { requests: 0, ai: 0, bytesIn: 0, bytesOut: 0, failed: 0 };
    for (const name of Object.keys(known) as (keyof UsageCounter)[]) known[name] += amounts[name];
    this.usage.set(id, known);
  }
}

export function monthOf(time: number): string {
  return new Date(time).toISOString().slice(0, 'yyyy-mm'.length);
}

export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 'yyyy-mm-dd'.length);
}

export function monthMeter(subject: string, time: number): string {
  return `${subject} ${monthOf(time)}`;
}

export function dayMeter(subject: string, time: number): string {
  return `${subject} ${dayOf(time)}`;
}
