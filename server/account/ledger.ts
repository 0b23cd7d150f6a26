/**
 * The credits of accounts and keys (docs/spec/interface.md, "Limits"). One request is one credit of one
 * of two monthly quotas. A credit is reserved before the work and charged after it, so that no work
 * begins without credits, and failed work costs nothing. Reservations are stored in the database,
 * like charges. The reservations of a killed process are released by the others, or when the next one
 * starts (`Database.join`).
 *
 * While the disk is full, both are counted in memory against the same limits, and
 * written as soon as the disk allows it. Each change is either in the database or
 * in memory, never in both. Only a process killed in this state loses its counts.
 */

import { timestamp } from '../../base/timestamp.ts';
import { Turns } from '../../base/turns.ts';
import { isStorageFull } from '../../storage/errors.ts';
import type { Database, Repositories } from '../../storage/ports/database.ts';
import type { UsageAmounts, UsageId } from '../../storage/ports/usage.ts';
import type { Account } from '../../storage/records/accounts.ts';
import { type Credits, hasCredits, type Meter, type MeterId } from '../../storage/records/meters.ts';
import type { OperationUsage } from '../../storage/records/usage.ts';
import type { Caller } from '../http/context.ts';
import type { Log } from '../log.ts';
import {
  type BoundClaim,
  type CounterChange,
  counterChangesFor,
  creditsOf,
  isLimited,
  settle,
  take,
} from './claims.ts';
import { type Cost, FREE, monthlyLimits, QUOTAS } from './credits.ts';
import { dayOf, monthOf, type Period } from './period.ts';
import { type Plans, TEST_KEY_LIMITS } from './plans.ts';
import { type Batch, sumOfUsage, UnwrittenCounts } from './unwritten-counts.ts';

/** Percentages of a monthly quota at which the account's owner is notified. */
export const NOTICE_THRESHOLDS = [80, 100] as const;

/** The bytes of a request and its response. */
export interface Traffic {
  bytesIn: number;
  bytesOut: number;
}

/** The use of one quota. A limit of null means unlimited. */
export interface QuotaUsage {
  used: number;
  limit: number | null;
}

export interface Balance {
  month: Period;
  day: Period;
  requests: QuotaUsage;
  ai: QuotaUsage;
  /** Of the key, both quotas together. */
  key: QuotaUsage;
  /** Of the account's test keys, today. */
  test: QuotaUsage;
}

export type TransactionCallback = (repositories: Repositories) => Promise<void>;

/** Credits reserved for one piece of work. Only the first call of either method has an effect. */
export interface Reservation {
  /**
   * Charges the credits. If the disk is full and there is no `inTransaction`, they are counted in memory. If the charge
   * fails, nothing is charged, and the credits can still be released.
   * @param inTransaction writes that are committed together with the charge, or not at all
   * @param used the actual cost, at most the reserved credits: the rest is released
   */
  charge(traffic: Traffic, inTransaction?: TransactionCallback, used?: Cost): Promise<void>;
  /**
   * Releases the credits, because the work failed or its client disconnected.
   * If the disk is full, this is counted in memory and written later.
   */
  release(bytesIn: number): Promise<void>;
}

/** How often unwritten counts are retried if no request writes them. */
const RETRY_MS = 5000;

/** Changes written in one transaction. 100 take 2 ms. */
const BATCH_SIZE = 100;

export class Ledger {
  readonly #database: Database;
  readonly #plans: Plans;
  readonly #onNotice: () => void;
  readonly #now: () => number;
  readonly #log: Pick<Log, 'warn' | 'error'> | undefined;
  readonly #unwritten = new UnwrittenCounts();
  /** Serialises changes of the counters: while both sources are read, no count may move from memory to the database. */
  readonly #turns = new Turns();
  #retry: NodeJS.Timeout | undefined;

  /**
   * @param onNotice called when a notice was recorded and waits to be sent
   * @param now returns the current time in milliseconds
   * @param log gets a line when the disk is full, and one when the counts are written
   */
  constructor(
    database: Database,
    plans: Plans,
    onNotice: () => void = () => {},
    now: () => number = Date.now,
    log?: Pick<Log, 'warn' | 'error'>,
  ) {
    this.#database = database;
    this.#plans = plans;
    this.#onNotice = onNotice;
    this.#now = now;
    this.#log = log;
  }

  /** Whether there are counts in memory that could not be written because the disk is full. */
  get isWaitingForDisk(): boolean {
    return !this.#unwritten.isEmpty;
  }

  /**
   * Writes the counts in memory before the database is closed.
   * If it still takes no writes, they are lost, which is logged.
   */
  async stop(): Promise<void> {
    clearTimeout(this.#retry);
    if (await this.#turns.take(() => this.#writeUnwritten())) return;
    this.#log?.error(
      { credits: this.#unwritten.credits },
      'the database takes no writes: used credits were not written and are lost',
    );
  }

  /**
   * Refuses early what {@link reserve} would refuse, before a body is received.
   * @throws Failure 429
   */
  async check(caller: Caller, cost: Cost): Promise<void> {
    if (this.isWaitingForDisk) await this.#turns.take(() => this.#writeUnwritten());
    await this.#checkRoom((await this.#claims(caller, cost, this.#now())).filter(isLimited));
  }

  /**
   * Reserves the credits of a request.
   * @param operation name in the usage record
   * @throws Failure 429 `quota_exceeded`, `key_limit_exceeded` or `test_limit_exceeded`
   */
  async reserve(caller: Caller, operation: string, cost: Cost): Promise<Reservation> {
    const now = this.#now();
    const claims = await this.#claims(caller, cost, now);
    const limited = claims.filter(isLimited);
    if (limited.length > 0) await this.#turns.take(() => this.#reserve(limited));
    const { account, key } = caller;
    const usage = { accountId: account.id, month: monthOf(now).id, operation };
    const isCharged = key.mode === 'live';
    let ended = false;
    return {
      charge: async ({ bytesIn, bytesOut }, inTransaction, used = cost) => {
        if (ended) return;
        ended = true;
        const entry = { caller, claims, usage, used, amounts: { ...used, bytesIn, bytesOut, failed: 0 } };
        let isNoticed = false;
        try {
          isNoticed = await this.#turns.take(() => this.#charge(entry, inTransaction));
        } catch (error) {
          // Nothing was charged, so the credits can still be released.
          ended = false;
          throw error;
        }
        if (isNoticed) this.#onNotice();
      },
      release: async (bytesIn) => {
        if (ended) return;
        ended = true;
        const failed = isCharged ? { id: usage, amounts: { ...FREE, bytesIn, bytesOut: 0, failed: 1 } } : undefined;
        await this.#turns.take(() => this.#release(limited, failed));
      },
    };
  }

  async #reserve(limited: readonly BoundClaim[]): Promise<void> {
    if (await this.#writeUnwritten())
      try {
        const [only, ...more] = limited;
        if (only && more.length === 0) await take(this.#database, only);
        else
          await this.#database.transaction(async (repositories) => {
            for (const claim of limited) await take(repositories, claim);
          });
        return;
      } catch (error) {
        if (!isStorageFull(error)) throw error;
      }
    await this.#checkRoom(limited);
    for (const { meter, credits } of limited)
      this.#addUnwritten({ meters: [{ meter, used: FREE, reserved: credits }], usage: [] });
  }

  /** Returns whether a notice was recorded. */
  async #charge(
    { caller, claims, usage, used, amounts }: ChargeEntry,
    inTransaction?: TransactionCallback,
  ): Promise<boolean> {
    const { account, key } = caller;
    const isCharged = key.mode === 'live';
    const credits = creditsOf(key, used);
    // `inTransaction` needs the disk, so counting in memory is not an option.
    if ((await this.#writeUnwritten()) || inTransaction)
      try {
        return await this.#database.transaction(async (repositories) => {
          let noticed = false;
          for (const claim of claims) {
            const total = await settle(repositories, claim, credits);
            if (isCharged && claim.meter.subject === account.id)
              noticed = await this.#recordNotices(repositories, account, usage.month, used, total);
          }
          if (isCharged) await repositories.usage.add(usage, amounts);
          await inTransaction?.(repositories);
          return noticed;
        });
      } catch (error) {
        if (inTransaction || !isStorageFull(error)) throw error;
      }
    const meters = claims.map((claim) => ({
      meter: claim.meter,
      used: credits,
      reserved: isLimited(claim) ? negative(claim.credits) : FREE,
      ...(isCharged && claim.meter.subject === account.id && { account }),
    }));
    this.#addUnwritten({ meters, usage: isCharged ? [{ id: usage, amounts }] : [] });
    return false;
  }

  async #release(
    limited: readonly BoundClaim[],
    failed: { id: UsageId; amounts: UsageAmounts } | undefined,
  ): Promise<void> {
    if (await this.#writeUnwritten())
      try {
        await this.#database.transaction(async ({ meters, usage }) => {
          for (const { meter, credits } of limited) await meters.release(meter, credits);
          if (failed) await usage.add(failed.id, failed.amounts);
        });
        return;
      } catch {
        // A reservation that stays would count against the account's limit, so it is released in memory.
      }
    const meters = limited.map(({ meter, credits }) => ({ meter, used: FREE, reserved: negative(credits) }));
    this.#addUnwritten({ meters, usage: failed ? [failed] : [] });
  }

  /** Counts in memory until the database is writable. */
  #addUnwritten(batch: Batch): void {
    if (this.#unwritten.isEmpty && batch.meters.length + batch.usage.length > 0) {
      this.#log?.warn('the database takes no writes: credits are counted in memory');
      this.#retryLater();
    }
    this.#unwritten.putBack(batch);
  }

  #retryLater(): void {
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => {
      void this.#turns
        .take(() => this.#writeUnwritten())
        .then((isWritten) => {
          if (!isWritten) this.#retryLater();
        });
    }, RETRY_MS);
    this.#retry.unref();
  }

  /** Writes the counts in memory. Returns true if none are left. */
  async #writeUnwritten(): Promise<boolean> {
    if (this.#unwritten.isEmpty) return true;
    // The first batch is a single change: a cheap test of the disk.
    let isNoticed = false;
    for (let size = 1; !this.#unwritten.isEmpty; size = BATCH_SIZE) {
      const batch = this.#unwritten.takeBatch(size);
      try {
        isNoticed = (await this.#write(batch)) || isNoticed;
      } catch {
        this.#unwritten.putBack(batch);
        return false;
      }
    }
    // In a microtask, so that an error of the listener does not reach the current request.
    if (isNoticed) queueMicrotask(this.#onNotice);
    this.#log?.warn('credits that were counted in memory are written');
    return true;
  }

  /** Returns whether a notice was recorded. */
  async #write({ meters: changes, usage: amounts }: Batch): Promise<boolean> {
    return await this.#database.transaction(async (repositories) => {
      let noticed = false;
      for (const { meter, used, reserved, account } of changes) {
        const total = await repositories.meters.change(meter, used, reserved);
        if (account) noticed = (await this.#recordNotices(repositories, account, meter.period, used, total)) || noticed;
      }
      for (const { id, amounts: added } of amounts) await repositories.usage.add(id, added);
      return noticed;
    });
  }

  async #checkRoom(claims: readonly BoundClaim[]): Promise<void> {
    const read = (id: MeterId) => this.#read(id);
    for (const { meter, credits, bound } of claims)
      if (!hasCredits(await read(meter), credits, bound.limits)) throw await bound.refuse(read);
  }

  /** Returns a meter of the database plus its unwritten counts. */
  async #read(id: MeterId): Promise<Meter> {
    const written = await this.#database.meters.read(id);
    return this.#unwritten.added(id, written);
  }

  /** Returns the use of an account in a month, by operation. */
  async operations(accountId: string, month: string): Promise<OperationUsage[]> {
    const written = await this.#database.usage.ofMonth(accountId, month);
    const all = new Map(written.map((row) => [row.operation, row]));
    for (const { id, amounts } of this.#unwritten.usageOf(accountId, month)) {
      const known = all.get(id.operation);
      all.set(id.operation, { ...id, ...(known ? sumOfUsage(known, amounts) : amounts) });
    }
    return [...all.values()].sort((one, other) => (one.operation < other.operation ? -1 : 1));
  }

  /** Returns the caller's use and limits. */
  async balance({ account, key }: Caller): Promise<Balance> {
    const now = this.#now();
    const [month, day] = [monthOf(now), dayOf(now)];
    const limits = monthlyLimits(this.#plans.of(account));
    const ofAccount = await this.#read({ subject: account.id, period: month.id });
    const ofKey = await this.#read({ subject: key.id, period: month.id });
    const ofDay = await this.#read({ subject: account.id, period: day.id });
    return {
      month,
      day,
      requests: { used: ofAccount.requests, limit: limits.requests },
      ai: { used: ofAccount.ai, limit: limits.ai },
      key: { used: ofKey.requests + ofKey.ai, limit: key.monthlyLimit },
      test: { used: ofDay.requests, limit: TEST_KEY_LIMITS.requestsPerDay },
    };
  }

  #claims(caller: Caller, cost: Cost, now: number): Promise<CounterChange[]> {
    return counterChangesFor(caller, cost, now, { database: this.#database, plans: this.#plans });
  }

  /** Returns whether a notice is new. The table's key allows one for each threshold, meter and month. */
  async #recordNotices(
    { notices }: Repositories,
    { id, plan }: Account,
    month: string,
    cost: Cost,
    used: Credits,
  ): Promise<boolean> {
    const limits = monthlyLimits(this.#plans.of({ plan }));
    let recorded = false;
    for (const meter of QUOTAS) {
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

interface ChargeEntry {
  caller: Caller;
  claims: readonly CounterChange[];
  usage: UsageId;
  used: Cost;
  amounts: UsageAmounts;
}

const negative = ({ requests, ai }: Credits): Credits => ({ requests: -requests, ai: -ai });
