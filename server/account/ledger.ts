/**
 * The credits of accounts and keys (spec/interface.md, "Limits"). One request is one credit of one of two allowances. A
 * credit is reserved before the work and charged after it, so that no more work begins than there are credits for, and
 * what fails costs nothing. Reservations live in the database, as the charges do; those of a killed process are given
 * back when the next one starts.
 */
import type { Failure } from '../../base/failure.ts';
import type { Database, Repositories } from '../../storage/database.ts';
import type { Account } from '../../storage/repositories/accounts.ts';
import type { Key } from '../../storage/repositories/keys.ts';
import type { Credits, MeterId, MeterLimits, Meters } from '../../storage/repositories/meters.ts';
import { timestamp } from '../../storage/schema.ts';
import type { Caller } from './authenticate.ts';
import { keyLimitExceeded, quotaExceeded, testLimitExceeded } from './errors.ts';
import { dayOf, monthOf, type Period, secondsUntil } from './period.ts';
import { type Plan, type Plans, TEST_KEY_LIMITS } from './plans.ts';

/** What a request costs. */
export type Cost = Readonly<Credits>;

export const FREE: Cost = { requests: 0, ai: 0 };
export const ONE_REQUEST: Cost = { requests: 1, ai: 0 };
export const ONE_AI_REQUEST: Cost = { requests: 0, ai: 1 };

/** Shares of a monthly allowance, in percent, at which its owner is told. */
export const NOTICE_THRESHOLDS = [80, 100] as const;

/** The two allowances, in the order in which they are shown. */
export const ALLOWANCES = ['requests', 'ai'] as const;
export type Allowance = (typeof ALLOWANCES)[number];

export const QUOTA_METERS = ['requests', 'ai', 'requests, ai', 'none'] as const;
/** The value of X-Quota-Meter. */
export type QuotaMeter = (typeof QUOTA_METERS)[number];

/** The allowances that a request with this key is counted against. */
export function quotaMeter({ mode }: Key, { requests, ai }: Cost): QuotaMeter {
  if (mode === 'test' || requests + ai === 0) return 'none';
  if (requests > 0 && ai > 0) return 'requests, ai';
  return ai > 0 ? 'ai' : 'requests';
}

/** What was moved for a request. */
export interface Traffic {
  bytesIn: number;
  bytesOut: number;
}

/** How much of something is used; a limit of null is none. */
export interface Standing {
  used: number;
  limit: number | null;
}

export interface Balance {
  month: Period;
  day: Period;
  requests: Standing;
  ai: Standing;
  /** Of the key, both allowances together. */
  key: Standing;
  /** Of the account's test keys, today. */
  test: Standing;
}

export type Alongside = (repositories: Repositories) => Promise<void>;

/** Credits set aside for one piece of work. Either of its methods takes effect once; what comes later does nothing. */
export interface Reservation {
  /**
   * Charges the credits. Where that fails nothing is charged, and they can still be given back.
   * @param alongside what is to be kept together with the charge, or not at all
   * @param used what the work has cost in the end, at most what was set aside: the rest is given back
   */
  charge(traffic: Traffic, alongside?: Alongside, used?: Cost): Promise<void>;
  /**
   * Gives the credits back, because the work has failed or nobody waits for it any more. Where that fails, as on a full
   * disk, the ledger tries again before it admits the next request.
   */
  release(bytesIn: number): Promise<void>;
}

/** One counter that a request moves. */
interface Claim {
  meter: MeterId;
  credits: Credits;
  /** A counter without one needs no reservation. */
  bound?: Bound;
}

interface Bound {
  limits: MeterLimits;
  refuse(meters: Meters): Promise<Failure>;
}

type BoundClaim = Required<Claim>;

const isBound = (claim: Claim): claim is BoundClaim => claim.bound !== undefined;

const NO_LIMITS: MeterLimits = { requests: null, ai: null, total: null };

export class Ledger {
  readonly #database: Database;
  readonly #plans: Plans;
  readonly #now: () => number;
  readonly #onNotice: () => void;
  /** Releases that have failed. */
  readonly #owed: (() => Promise<void>)[] = [];

  /**
   * @param onNotice told that a notice was recorded and waits to be sent
   * @param now the clock, in milliseconds
   */
  constructor(database: Database, plans: Plans, onNotice: () => void = () => {}, now: () => number = Date.now) {
    this.#database = database;
    this.#plans = plans;
    this.#onNotice = onNotice;
    this.#now = now;
  }

  /** At the start: gives back what a killed process has reserved. */
  async recover(): Promise<void> {
    await this.#database.meters.releaseAll();
  }

  /**
   * Refuses early what {@link reserve} would refuse, before a body is received.
   * @throws Failure 429
   */
  async check(caller: Caller, cost: Cost): Promise<void> {
    await this.#giveBackOwed();
    const { meters } = this.#database;
    for (const { meter, credits, bound } of this.#claims(caller, cost, this.#now()).filter(isBound))
      if (!(await meters.hasRoom(meter, credits, bound.limits))) throw await bound.refuse(meters);
  }

  /**
   * Sets the credits of a request aside.
   * @param operation what the usage record shows it under
   * @throws Failure 429 `quota_exceeded`, `key_limit_exceeded` or `test_limit_exceeded`
   */
  async reserve(caller: Caller, operation: string, cost: Cost): Promise<Reservation> {
    await this.#giveBackOwed();
    const now = this.#now();
    const claims = this.#claims(caller, cost, now);
    const limited = claims.filter(isBound);
    const [only] = limited;
    if (only && limited.length === 1) await take(this.#database, only);
    else if (only)
      await this.#database.transaction(async (repositories) => {
        for (const claim of limited) await take(repositories, claim);
      });
    const { account, key } = caller;
    const usage = { accountId: account.id, month: monthOf(now).id, operation };
    const isCharged = key.mode === 'live';
    let ended = false;
    return {
      charge: async ({ bytesIn, bytesOut }, alongside, used = cost) => {
        if (ended) return;
        ended = true;
        let noticed = false;
        const credits = creditsOf(key, used);
        try {
          noticed = await this.#database.transaction(async (repositories) => {
            let isNew = false;
            for (const claim of claims) {
              const total = await settle(repositories, claim, credits);
              if (isCharged && claim.meter.subject === account.id)
                isNew = await this.#recordNotices(repositories, account, usage.month, used, total);
            }
            if (isCharged) await repositories.usage.add(usage, { ...used, bytesIn, bytesOut, failed: 0 });
            await alongside?.(repositories);
            return isNew;
          });
        } catch (error) {
          // Nothing was charged, so that the credits can still be given back.
          ended = false;
          throw error;
        }
        if (noticed) this.#onNotice();
      },
      release: async (bytesIn) => {
        if (ended) return;
        ended = true;
        const giveBack = () =>
          this.#database.transaction(async ({ meters, usage: repository }) => {
            for (const { meter, credits } of limited) await meters.release(meter, credits);
            if (isCharged) await repository.add(usage, { ...FREE, bytesIn, bytesOut: 0, failed: 1 });
          });
        try {
          await giveBack();
        } catch (error) {
          this.#owed.push(giveBack);
          throw error;
        }
      },
    };
  }

  /** Until it works, a credit that nobody uses would be missing to its owner. */
  async #giveBackOwed(): Promise<void> {
    for (let giveBack = this.#owed.shift(); giveBack; giveBack = this.#owed.shift())
      try {
        await giveBack();
      } catch {
        this.#owed.push(giveBack);
        return;
      }
  }

  /** Where a caller stands. */
  async balance({ account, key }: Caller): Promise<Balance> {
    const now = this.#now();
    const [month, day] = [monthOf(now), dayOf(now)];
    const limits = monthlyLimits(this.#plans.of(account));
    const { meters } = this.#database;
    const ofAccount = await meters.read({ subject: account.id, period: month.id });
    const ofKey = await meters.read({ subject: key.id, period: month.id });
    const ofDay = await meters.read({ subject: account.id, period: day.id });
    return {
      month,
      day,
      requests: { used: ofAccount.requests, limit: limits.requests },
      ai: { used: ofAccount.ai, limit: limits.ai },
      key: { used: ofKey.requests + ofKey.ai, limit: key.monthlyLimit },
      test: { used: ofDay.requests, limit: TEST_KEY_LIMITS.requestsPerDay },
    };
  }

  /** The counters that a request moves: of the account, then of the key. */
  #claims({ account, key }: Caller, cost: Cost, now: number): Claim[] {
    if (cost.requests + cost.ai === 0) return [];
    const month = monthOf(now);
    const keyMeter = { subject: key.id, period: month.id };
    if (key.mode === 'test') {
      const day = dayOf(now);
      const credits = creditsOf(key, cost);
      const most = TEST_KEY_LIMITS.requestsPerDay;
      const refuse = async () => testLimitExceeded(most, secondsUntil(day.end, now));
      return [
        {
          meter: { subject: account.id, period: day.id },
          credits,
          bound: { limits: { ...NO_LIMITS, requests: most }, refuse },
        },
        { meter: keyMeter, credits },
      ];
    }
    const seconds = secondsUntil(month.end, now);
    const ofKey: Claim = { meter: keyMeter, credits: cost };
    const most = key.monthlyLimit;
    if (most !== null)
      ofKey.bound = {
        limits: { ...NO_LIMITS, total: most },
        refuse: async () => keyLimitExceeded(most, seconds),
      };
    return [this.#claimOnAccount(account, cost, month, seconds), ofKey];
  }

  #claimOnAccount(account: Account, cost: Cost, month: Period, seconds: number): Claim {
    const limits = monthlyLimits(this.#plans.of(account));
    const claim: Claim = { meter: { subject: account.id, period: month.id }, credits: cost };
    const drawn = ALLOWANCES.filter((allowance) => cost[allowance] > 0 && limits[allowance] !== null);
    if (drawn.length > 0)
      claim.bound = {
        limits: { ...limits, total: null },
        refuse: async (meters) => {
          const rooms = await Promise.all(
            drawn.map((allowance) =>
              meters.hasRoom(claim.meter, { ...FREE, [allowance]: cost[allowance] }, { ...limits, total: null }),
            ),
          );
          // The last where none is found: another request has just given its credit back.
          const exceeded = drawn[rooms.indexOf(false)] ?? drawn.at(-1)!;
          return quotaExceeded(exceeded, limits[exceeded]!, seconds);
        },
      };
    return claim;
  }

  /** True when a notice is new. The key of the table makes it one for each threshold, meter and month. */
  async #recordNotices(
    { notices }: Repositories,
    { id, plan }: Account,
    month: string,
    cost: Cost,
    used: Credits,
  ): Promise<boolean> {
    const limits = monthlyLimits(this.#plans.of({ plan }));
    let recorded = false;
    for (const meter of ALLOWANCES) {
      const limit = limits[meter];
      if (cost[meter] === 0 || limit === null) continue;
      for (const threshold of NOTICE_THRESHOLDS) {
        if (used[meter] * 100 < limit * threshold) continue;
        const notice = { accountId: id, month, meter, threshold, used: used[meter], limit };
        recorded = (await notices.create({ ...notice, createdAt: timestamp(this.#now()) })) || recorded;
      }
    }
    return recorded;
  }
}

function monthlyLimits(plan: Plan): Record<Allowance, number | null> {
  return { requests: plan.requests_per_month, ai: plan.ai_requests_per_month };
}

/** What a counter is moved by. */
function creditsOf({ mode }: Key, { requests, ai }: Cost): Credits {
  // With a test key every request counts as one of the day, whichever allowance it would draw upon.
  return mode === 'test' ? { requests: Math.max(requests, ai), ai: 0 } : { requests, ai };
}

/** Counts `used` of what a claim holds and gives the rest back; returns all that is used. */
async function settle({ meters }: Repositories, claim: Claim, used: Credits): Promise<Credits> {
  const { meter, credits: held } = claim;
  const rest = { requests: held.requests - used.requests, ai: held.ai - used.ai };
  if (isBound(claim) && rest.requests + rest.ai > 0) await meters.release(meter, rest);
  return await meters.settle(meter, used, isBound(claim));
}

async function take({ meters }: Pick<Repositories, 'meters'>, { meter, credits, bound }: BoundClaim): Promise<void> {
  if (!(await meters.reserve(meter, credits, bound.limits))) throw await bound.refuse(meters);
}
