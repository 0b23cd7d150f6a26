/** The counters that a request changes, with their limits. */

import type { Failure } from '../../base/failure.ts';
import type { Database, Repositories } from '../../storage/ports/database.ts';
import type { Account } from '../../storage/records/accounts.ts';
import type { Key } from '../../storage/records/keys.ts';
import { type Credits, hasCredits, type Meter, type MeterId, type MeterLimits } from '../../storage/records/meters.ts';
import type { Caller } from '../http/context.ts';
import { type Cost, FREE, monthlyLimits, QUOTAS, type Quota } from './credits.ts';
import { type CreditsInUse, keyLimitExceeded, quotaExceeded, testLimitExceeded } from './errors.ts';
import { dayOf, monthOf, type Period, secondsUntil } from './period.ts';
import { type Plan, type Plans, TEST_KEY_LIMITS } from './plans.ts';

/** One counter that a request changes. */
export interface CounterChange {
  meter: MeterId;
  credits: Credits;
  /** Undefined if the counter has no limit and so needs no reservation. */
  bound?: Limit;
}

interface Limit {
  limits: MeterLimits;
  refuse(read: ReadMeter): Promise<Failure>;
}

type ReadMeter = (id: MeterId) => Promise<Meter>;

export type BoundClaim = Required<CounterChange>;

export const isLimited = (claim: CounterChange): claim is BoundClaim => claim.bound !== undefined;

const NO_LIMITS: MeterLimits = { requests: null, ai: null, total: null };

/** The data that claims are built from. */
interface ClaimSources {
  database: Pick<Database, 'keys'>;
  plans: Plans;
}

/** Returns the counters that a request changes: of the account, of the key, and of the limited keys that created it. */
export async function counterChangesFor(
  { account, key }: Caller,
  cost: Cost,
  now: number,
  { database, plans }: ClaimSources,
): Promise<CounterChange[]> {
  if (cost.requests + cost.ai === 0) return [];
  const month = monthOf(now);
  const keyMeter = { subject: key.id, period: month.id };
  if (key.mode === 'test') {
    const day = dayOf(now);
    const credits = creditsOf(key, cost);
    const most = TEST_KEY_LIMITS.requestsPerDay;
    const meter = { subject: account.id, period: day.id };
    const refuse = async (read: ReadMeter) =>
      testLimitExceeded(most, creditsInUse(await read(meter)), secondsUntil(day.end, now));
    return [
      {
        meter,
        credits,
        bound: { limits: { ...NO_LIMITS, requests: most }, refuse },
      },
      { meter: keyMeter, credits },
    ];
  }
  const seconds = secondsUntil(month.end, now);
  const makers = key.limitedBy.length === 0 ? [] : await database.keys.some(key.limitedBy);
  const ofKeys = [key, ...makers].map((each) => claimOnKey(each, cost, month, seconds));
  return [claimOnAccount(account, plans.of(account), cost, month, seconds), ...ofKeys];
}

function claimOnAccount(account: Account, plan: Plan, cost: Cost, month: Period, seconds: number): CounterChange {
  const limits = monthlyLimits(plan);
  const claim: CounterChange = { meter: { subject: account.id, period: month.id }, credits: cost };
  const drawn = QUOTAS.filter((allowance) => cost[allowance] > 0 && limits[allowance] !== null);
  if (drawn.length > 0)
    claim.bound = {
      limits: { ...limits, total: null },
      refuse: async (read) => {
        const meter = await read(claim.meter);
        const rooms = drawn.map((allowance) =>
          hasCredits(meter, { ...FREE, [allowance]: cost[allowance] }, { ...limits, total: null }),
        );
        // If none is exceeded any more, another request has just released its credit. Report the last one.
        const exceeded = drawn[rooms.indexOf(false)] ?? drawn.at(-1)!;
        return quotaExceeded(exceeded, limits[exceeded]!, creditsInUse(meter, [exceeded]), { seconds, at: month.end });
      },
    };
  return claim;
}

function claimOnKey({ id, monthlyLimit: limit }: Key, cost: Cost, month: Period, seconds: number): CounterChange {
  const claim = { meter: { subject: id, period: month.id }, credits: cost };
  if (limit === null) return claim;
  return {
    ...claim,
    bound: {
      limits: { ...NO_LIMITS, total: limit },
      refuse: async (read) =>
        keyLimitExceeded(limit, creditsInUse(await read(claim.meter)), { seconds, at: month.end }),
    },
  };
}

/** Sums the credits that are used and reserved. */
function creditsInUse(meter: Meter, quotas: readonly Quota[] = QUOTAS): CreditsInUse {
  const reserved = { requests: meter.reservedRequests, ai: meter.reservedAi };
  const sum = (credits: Credits) => quotas.reduce((total, quota) => total + credits[quota], 0);
  return { used: sum(meter), reserved: sum(reserved) };
}

/** Returns the amount that a counter changes by. */
export function creditsOf({ mode }: Key, { requests, ai }: Cost): Credits {
  // With a test key every request counts as one of the day, whichever quota it would use.
  return mode === 'test' ? { requests: Math.max(requests, ai), ai: 0 } : { requests, ai };
}

/** Reserves the credits of a claim. @throws Failure 429 when they exceed its limit */
export async function take(
  { meters }: Pick<Repositories, 'meters'>,
  { meter, credits, bound }: BoundClaim,
): Promise<void> {
  if (!(await meters.reserve(meter, credits, bound.limits))) throw await bound.refuse((id) => meters.read(id));
}

/** Counts `used` of the reserved credits and releases the rest. Returns the new total of the counter. */
export async function settle({ meters }: Repositories, claim: CounterChange, used: Credits): Promise<Credits> {
  const { meter, credits: held } = claim;
  const rest = { requests: held.requests - used.requests, ai: held.ai - used.ai };
  if (isLimited(claim) && rest.requests + rest.ai > 0) await meters.release(meter, rest);
  return await meters.settle(meter, used, isLimited(claim));
}
