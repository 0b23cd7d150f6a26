/** Applies random sequences of events to the ledger and to a plain model, and compares their counts. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Failure } from '../../../base/failure.ts';
import type { SqliteConnection } from '../../../base/sqlite/connection.ts';
import { openSqlite } from '../../../base/sqlite/open.ts';
import type { Cost } from '../../../server/account/credits.ts';
import { issueKey } from '../../../server/account/keys.ts';
import { Ledger, type Reservation } from '../../../server/account/ledger.ts';
import { Plans } from '../../../server/account/plans.ts';
import type { Caller } from '../../../server/http/context.ts';
import type { Database } from '../../../storage/ports/database.ts';
import type { Account } from '../../../storage/records/accounts.ts';
import type { Key } from '../../../storage/records/keys.ts';
import { openDatabase } from '../../../storage/sqlite/database.ts';
import { withFolder } from '../../support/folder.ts';
import { isNightly, nightlyOnly } from '../../support/nightly.ts';
import { Random } from '../../support/random.ts';
import { type TestService, withService } from '../../support/service.ts';
import { openSocket } from '../../support/socket.ts';
import { verifies } from '../../support/verifies.ts';
import {
  type Counter,
  dayMeter,
  dayOf,
  LedgerModel,
  type ModelReservation,
  monthMeter,
  monthOf,
  PLAN_NAMES,
  PLANS,
} from './ledger-model.ts';

const START = Date.UTC(2026, 9, 28, 22, 0, 0);
const HOUR = 3_600_000;

const COSTS: readonly Cost[] = [
  { requests: 1, ai: 0 },
  { requests: 1, ai: 0 },
  { requests: 0, ai: 1 },
  { requests: 1, ai: 1 },
  { requests: 3, ai: 0 },
  { requests: 0, ai: 2 },
  { requests: 20, ai: 0 },
  { requests: 2, ai: 9 },
  { requests: 0, ai: 0 },
];

const EVENTS = {
  reserve: 30,
  burst: 4,
  check: 8,
  charge: 24,
  release: 12,
  again: 6,
  brokenCharge: 4,
  crash: 3,
  hours: 6,
  month: 2,
  plan: 3,
  keyLimit: 3,
};

interface OpenReservation {
  real: Reservation;
  model: ModelReservation;
}

const plans = new Plans(
  Object.fromEntries(
    Object.entries(PLANS).map(([name, { requests, ai }]) => [
      name,
      { requests_per_month: requests, ai_requests_per_month: ai },
    ]),
  ),
);

/** A database with its accounts, and a model of its counts. */
class LedgerComparison {
  readonly random: Random;
  readonly #folder: string;
  readonly #model = new LedgerModel();
  readonly #accounts: Account[] = [];
  readonly #keys: Key[] = [];
  #database!: Database;
  #ledger!: Ledger;
  /** A second connection, used to read every row. */
  #rows!: SqliteConnection;
  #time = START;
  #open: OpenReservation[] = [];
  /** Ended reservations of this process. A simulated crash clears them. */
  #ended: OpenReservation[] = [];

  constructor(seed: number, folder: string) {
    this.random = new Random(seed);
    this.#folder = folder;
  }

  async begin(): Promise<void> {
    await this.#openDatabase();
    for (const name of ['anna', 'ben', 'chris']) {
      const account = await this.#database.accounts.create({ name, email: null, plan: this.random.pick(PLAN_NAMES) });
      this.#accounts.push(account);
      for (const [mode, monthlyLimit] of [
        ['live', null],
        ['live', 4],
        ['live', 9],
        ['test', null],
        ['test', 1],
      ] as const) {
        const options = { accountId: account.id, name: 'a', mode, scopes: [], monthlyLimit, expiresAt: null };
        this.#keys.push((await issueKey(this.#database.keys, options)).record);
      }
    }
    this.#rows = openSqlite(join(this.#folder, 'imagecrew.sqlite'), { readonly: true });
  }

  async end(): Promise<void> {
    this.#rows.close();
    await this.#database.close();
  }

  /** Applies one random event and compares the counts; returns a description of the event. */
  async step(): Promise<string> {
    const event = this.random.weighted(EVENTS);
    const outcome = await this.#applyEvent(event);
    await this.#compare();
    return `${event} ${outcome}`;
  }

  async #applyEvent(event: keyof typeof EVENTS): Promise<string> {
    switch (event) {
      case 'reserve':
        return await this.#reserve(this.#caller(), this.random.pick(COSTS));
      case 'burst':
        return await this.#burst();
      case 'check':
        return await this.#check();
      case 'charge':
        return await this.#end(this.#open, 'charge');
      case 'release':
        return await this.#end(this.#open, 'release');
      case 'again':
        return await this.#end(this.#ended, this.random.pick(['charge', 'release'] as const));
      case 'brokenCharge':
        return await this.#breakCharge();
      case 'crash':
        return await this.#crash();
      case 'hours':
        this.#time += this.random.integer(30 * HOUR);
        return monthOf(this.#time);
      case 'month':
        this.#time += 31 * 24 * HOUR;
        return monthOf(this.#time);
      case 'plan':
        return await this.#changePlan();
      case 'keyLimit': {
        const key = this.random.pick(this.#keys);
        key.monthlyLimit = this.random.pick([null, 1, 4, 30]);
        return `${key.id} ${key.monthlyLimit}`;
      }
    }
  }

  async #openDatabase(): Promise<void> {
    this.#database = await openDatabase(this.#folder);
    this.#ledger = new Ledger(
      this.#database,
      plans,
      () => {},
      () => this.#time,
    );
    await this.#database.join();
  }

  #caller(): Caller {
    const key = this.random.pick(this.#keys);
    return { key, account: this.#accounts.find(({ id }) => id === key.accountId)! };
  }

  async #reserve(caller: Caller, cost: Cost): Promise<string> {
    const refusal = this.#model.refusal(caller, cost, this.#time);
    // A clone, because the ledger must not depend on later changes of the caller's records.
    const real = await this.#ledger.reserve(structuredClone(caller), 'compress', cost).catch((error: unknown) => error);
    if (real instanceof Failure) this.#compareRefusal(real, refusal);
    else if (real instanceof Error) throw real;
    else {
      assert.equal(refusal, undefined, 'the ledger admits what the model refuses');
      this.#open.push({ real: real as Reservation, model: this.#model.reserve(caller, cost, this.#time) });
    }
    return `${caller.key.mode} ${caller.account.plan} ${JSON.stringify(cost)} ${refusal ?? 'admitted'}`;
  }

  #compareRefusal({ code, retryAfter }: Failure, refusal: string | undefined): void {
    assert.equal(code, refusal);
    const time = new Date(this.#time + retryAfter! * 1000).toISOString();
    const [year = 0, month = 0, day = 0] = dayOf(this.#time).split('-').map(Number);
    const renewed = code === 'test_limit_exceeded' ? Date.UTC(year, month - 1, day + 1) : Date.UTC(year, month);
    assert.ok(this.#time + retryAfter! * 1000 >= renewed, `${time} is too early`);
    assert.ok(this.#time + (retryAfter! - 1) * 1000 < renewed, `${time} is too late`);
  }

  /** Reserves several times at once. The model tells how many are admitted; which ones does not matter. */
  async #burst(): Promise<string> {
    const caller = this.#caller();
    const cost = this.random.pick(COSTS);
    const size = 2 + this.random.integer(8);
    const results = await Promise.allSettled(
      Array.from({ length: size }, () => this.#ledger.reserve(structuredClone(caller), 'compress', cost)),
    );
    for (const result of results) {
      if (result.status !== 'fulfilled') continue;
      assert.equal(this.#model.refusal(caller, cost, this.#time), undefined);
      this.#open.push({ real: result.value, model: this.#model.reserve(caller, cost, this.#time) });
    }
    for (const result of results)
      if (result.status === 'rejected')
        this.#compareRefusal(result.reason as Failure, this.#model.refusal(caller, cost, this.#time));
    return `${size}`;
  }

  async #check(): Promise<string> {
    const caller = this.#caller();
    const cost = this.random.pick(COSTS);
    const refusal = this.#model.refusal(caller, cost, this.#time);
    const failure = await this.#ledger.check(caller, cost).catch((error: unknown) => error);
    assert.equal((failure as Failure | undefined)?.code, refusal);
    return refusal ?? 'admitted';
  }

  async #end(from: OpenReservation[], how: 'charge' | 'release'): Promise<string> {
    if (from.length === 0) return 'nothing';
    const [each] = from.splice(this.random.integer(from.length), 1);
    const { real, model } = each!;
    const [bytesIn, bytesOut] = [this.random.integer(1000), this.random.integer(1000)];
    if (how === 'charge') {
      const { requests, ai } = model.cost;
      const less: Cost = { requests: this.random.integer(requests + 1), ai: this.random.integer(ai + 1) };
      const used = this.random.pick([undefined, less]);
      await real.charge({ bytesIn, bytesOut }, undefined, used);
      this.#model.charge(model, bytesIn, bytesOut, used);
    } else {
      await real.release(bytesIn);
      this.#model.release(model, bytesIn);
    }
    this.#ended.push(each!);
    return how;
  }

  /** Fails the callback inside the transaction of a charge: nothing is charged and the credits stay reserved. */
  async #breakCharge(): Promise<string> {
    if (this.#open.length === 0) return 'nothing';
    const { real } = this.random.pick(this.#open);
    const broken = real.charge({ bytesIn: 1, bytesOut: 1 }, async () => {
      throw new RangeError('broken');
    });
    await assert.rejects(broken, RangeError);
    return '';
  }

  async #crash(): Promise<string> {
    await this.#database.close();
    const lost = this.#open.length;
    [this.#open, this.#ended] = [[], []];
    await this.#openDatabase();
    this.#model.restart();
    return `${lost} lost`;
  }

  async #changePlan(): Promise<string> {
    const account = this.random.pick(this.#accounts);
    account.plan = this.random.pick(PLAN_NAMES);
    await this.#database.accounts.update(account.id, { plan: account.plan });
    return account.plan;
  }

  async #compare(): Promise<void> {
    this.#compareMeters();
    this.#compareUsage();
    this.#compareNotices();
    await this.#compareBalance();
  }

  #compareMeters(): void {
    const rows = this.#rows
      .prepare('select subject, period, requests, ai, reserved_requests, reserved_ai from meters')
      .all() as { subject: string; period: string; [column: string]: unknown }[];
    const stored = rows.map(({ subject, period, ...row }) => [
      `${subject} ${period}`,
      {
        requests: row.requests,
        ai: row.ai,
        reservedRequests: row.reserved_requests,
        reservedAi: row.reserved_ai,
      },
    ]);
    assert.deepEqual(counted(stored as [string, Counter][]), counted([...this.#model.counters]));
  }

  #compareUsage(): void {
    const rows = this.#rows
      .prepare('select account_id, month, operation, requests, ai, bytes_in, bytes_out, failed from usage')
      .all() as Record<string, unknown>[];
    const stored = rows.map(({ account_id, month, operation, requests, ai, bytes_in, bytes_out, failed }) => {
      assert.equal(operation, 'compress');
      return [`${account_id} ${month}`, { requests, ai, bytesIn: bytes_in, bytesOut: bytes_out, failed }] as const;
    });
    assert.deepEqual(new Map(stored), this.#model.usage);
  }

  #compareNotices(): void {
    const rows = this.#rows.prepare('select account_id, month, meter, threshold from notices').all() as Record<
      string,
      unknown
    >[];
    const stored = rows.map(({ account_id, month, meter, threshold }) =>
      [account_id, month, meter, threshold].join(' '),
    );
    assert.deepEqual(new Set(stored), this.#model.notices);
  }

  /** Compares the balance that callers receive. */
  async #compareBalance(): Promise<void> {
    const caller = this.#caller();
    const { account, key } = caller;
    const { requests, ai, key: ofKey, test } = await this.#ledger.balance(caller);
    const ofAccount = this.#model.counter(monthMeter(account.id, this.#time));
    const own = this.#model.counter(monthMeter(key.id, this.#time));
    const today = this.#model.counter(dayMeter(account.id, this.#time));
    const plan = PLANS[account.plan]!;
    assert.deepEqual(
      [requests, ai, ofKey, test],
      [
        { used: ofAccount.requests, limit: plan.requests },
        { used: ofAccount.ai, limit: plan.ai },
        { used: own.requests + own.ai, limit: key.monthlyLimit },
        { used: today.requests, limit: 50 },
      ],
    );
  }
}

/** Omits counters that are zero, because they need not have a row. */
function counted(counters: readonly (readonly [string, Counter])[]): Map<string, Counter> {
  return new Map(counters.filter(([, counter]) => Object.values(counter).some((count) => count !== 0)));
}

const SEQUENCES = isNightly ? 60 : 6;
const STEPS = 60;

/** Runs a sequence of random events for each seed. A failure names the seed and the last events. */
async function repeat(seeds: number, run: (seed: number, events: string[]) => Promise<void>): Promise<void> {
  for (let seed = 1; seed <= seeds; seed += 1) {
    const events: string[] = [];
    try {
      await run(seed, events);
    } catch (error) {
      const last = events.slice(-10).join('; ');
      const message = `Seed ${seed}, after ${events.length} events (${last}): ${(error as Error).message}`;
      throw new Error(message, { cause: error });
    }
  }
}

describe('the ledger', { timeout: 120_000 }, () => {
  it(`counts the same as a model, through ${SEQUENCES} random sequences of ${STEPS} events`, async () => {
    verifies('limits.key-monthly', 'limits.test-key.no-quota', 'limits.test-key.per-day');
    await repeat(SEQUENCES, (seed, events) =>
      withFolder(async (folder) => {
        const trial = new LedgerComparison(seed, folder);
        await trial.begin();
        try {
          for (let step = 0; step < STEPS; step += 1) events.push(await trial.step());
        } finally {
          await trial.end();
        }
      }),
    );
  });
});

const REQUESTS = {
  done: 30,
  stored: 6,
  failing: 12,
  badParameter: 6,
  noImage: 3,
  leaving: 12,
  leavingEarly: 5,
  together: 6,
  month: 4,
};

interface Sender {
  key: string;
  /** Subjects of the meters that count its requests, with their limits. */
  meters: [subject: string, limit: number][];
}

const LIMIT = 12;

/** Compares the meters with the number of responses with status 200. */
class HttpComparison {
  readonly #service: TestService;
  readonly #clock: { time: number };
  readonly #random: Random;
  readonly #senders: Sender[] = [];
  readonly #used = new Map<string, number>();
  #onReleased: () => void = () => {};

  constructor(service: TestService, clock: { time: number }, random: Random) {
    this.#service = service;
    this.#clock = clock;
    this.#random = random;
  }

  async begin(): Promise<void> {
    const { database, ledger } = this.#service.services;
    for (const name of ['chris', 'dana']) {
      const { id } = await database.accounts.create({ name, email: null, plan: 'few' });
      for (const monthlyLimit of [null, 5]) {
        const options = { accountId: id, name, mode: 'live', scopes: [], monthlyLimit, expiresAt: null } as const;
        const { key, record } = await issueKey(database.keys, options);
        this.#senders.push({
          key,
          meters: [
            [id, LIMIT],
            [record.id, monthlyLimit ?? Number.POSITIVE_INFINITY],
          ],
        });
      }
    }
    const reserve = ledger.reserve.bind(ledger);
    // A disconnected client receives no response, so the test itself observes when the credit is released.
    ledger.reserve = async (...request) => {
      const credit = await reserve(...request);
      return { ...credit, release: (bytesIn) => credit.release(bytesIn).finally(() => this.#onReleased()) };
    };
  }

  async step(): Promise<string> {
    const event = this.#random.weighted(REQUESTS);
    const sender = this.#random.pick(this.#senders);
    const outcome = await this.#happen(event, sender);
    await this.#compare();
    return `${event} ${this.#senders.indexOf(sender)} ${outcome}`;
  }

  async #happen(event: keyof typeof REQUESTS, sender: Sender): Promise<string> {
    const { engine } = this.#service;
    engine.behave = async () => ({});
    switch (event) {
      case 'done':
        return await this.#expect(sender, '', 200);
      case 'stored':
        return await this.#expect(sender, '?output=json', 200);
      case 'failing':
        engine.behave = async () => {
          throw new Failure('corrupt_image', 'broken');
        };
        return await this.#expect(sender, '', 422);
      case 'badParameter':
        assert.equal((await this.#send(sender, '?quality=0')).status, 400);
        return '';
      case 'noImage':
        return await this.#expect(sender, '', 400, '');
      case 'leaving':
        return await this.#disconnect(sender);
      case 'leavingEarly':
        return await this.#disconnectDuringUpload(sender);
      case 'together':
        return await this.#sendTogether(sender);
      case 'month':
        this.#clock.time += 31 * 24 * HOUR;
        return monthOf(this.#clock.time);
    }
  }

  #counted(subject: string): number {
    return this.#used.get(monthMeter(subject, this.#clock.time)) ?? 0;
  }

  /** Returns how many more requests of a sender can succeed. */
  #remainingCredits({ meters }: Sender): number {
    return Math.min(...meters.map(([subject, limit]) => limit - this.#counted(subject)));
  }

  #count({ meters }: Sender, answers: number): void {
    for (const [subject] of meters)
      this.#used.set(monthMeter(subject, this.#clock.time), this.#counted(subject) + answers);
  }

  async #send({ key }: Sender, query: string, body = 'abcdefgh', signal?: AbortSignal): Promise<Response> {
    const answer = await this.#service.call(`/api/v1/compress${query}`, {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${key}` },
      ...(signal ? { signal } : {}),
    });
    await answer.arrayBuffer();
    return answer;
  }

  async #expect(sender: Sender, query: string, status: number, body?: string): Promise<string> {
    const expected = this.#remainingCredits(sender) > 0 ? status : 429;
    const answer = await this.#send(sender, query, body);
    assert.equal(answer.status, expected);
    assert.equal(answer.headers.get('x-quota-meter'), expected === 200 ? 'requests' : 'none');
    if (expected === 200) this.#count(sender, 1);
    return String(expected);
  }

  /** Disconnects while the engine works. */
  async #disconnect(sender: Sender): Promise<string> {
    const { engine } = this.#service;
    if (this.#remainingCredits(sender) <= 0) return await this.#expect(sender, '', 200);
    const leaving = new AbortController();
    const released = new Promise<void>((resolve) => {
      this.#onReleased = resolve;
    });
    engine.behave = ({ options: { signal } }) =>
      new Promise((_, reject) => {
        signal!.addEventListener('abort', () => reject(signal!.reason));
        leaving.abort();
      });
    await assert.rejects(this.#send(sender, '', 'abcdefgh', leaving.signal));
    await released;
    return '';
  }

  /** Disconnects in the middle of its upload. */
  async #disconnectDuringUpload({ key }: Sender): Promise<string> {
    const { port, services } = this.#service;
    const socket = await openSocket(port);
    const lines = ['POST /api/v1/compress HTTP/1.1', 'Host: a', `Authorization: Bearer ${key}`, 'Content-Length: 1000'];
    const before = services.uploads.heldBytes;
    socket.write(`${lines.join('\r\n')}\r\n\r\nabc`);
    while (services.uploads.heldBytes === before && !socket.closed && socket.bytesRead === 0) await setImmediate();
    socket.destroy();
    while (services.uploads.heldBytes > 0) await setImmediate();
    return '';
  }

  async #sendTogether(sender: Sender): Promise<string> {
    const size = 2 + this.#random.integer(8);
    const answers = await Promise.all(Array.from({ length: size }, () => this.#send(sender, '')));
    const done = answers.filter(({ status }) => status === 200).length;
    assert.equal(done, Math.max(0, Math.min(size, this.#remainingCredits(sender))));
    assert.equal(answers.filter(({ status }) => status === 429).length, size - done);
    this.#count(sender, done);
    return `${done} of ${size}`;
  }

  async #compare(): Promise<void> {
    const { meters } = this.#service.services.database;
    for (const { meters: own } of this.#senders)
      for (const [subject] of own) {
        const stored = await meters.read({ subject, period: monthOf(this.#clock.time) });
        const requests = this.#counted(subject);
        assert.deepEqual(stored, { requests, ai: 0, reservedRequests: 0, reservedAi: 0 });
      }
  }
}

describe('requests over HTTP', { timeout: 120_000 }, () => {
  it('use one credit for each response with status 200, whatever else happens', { skip: nightlyOnly }, async () => {
    await withFolder(async (folder) => {
      const file = join(folder, 'plans.json');
      await writeFile(file, JSON.stringify({ few: { requests_per_month: LIMIT, requests_per_minute: null } }));
      const env = { IC_PLANS_FILE: file, IC_LOG_LEVEL: 'silent' };
      await repeat(4, async (seed, events) => {
        const clock = { time: START };
        await withService(
          async (service) => {
            const trial = new HttpComparison(service, clock, new Random(seed));
            await trial.begin();
            for (let step = 0; step < 80; step += 1) events.push(await trial.step());
          },
          { env, now: () => clock.time },
        );
      });
    });
  });
});
