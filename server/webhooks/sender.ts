/**
 * Delivers webhooks (docs/spec/shapes.md, section 11). Messages are recorded together with the end of their jobs, so that
 * none is lost. This module only sends them. An attempt is recorded when it has ended. An attempt that was running when
 * the process was killed is repeated with the same `webhook-id`, so that receivers can recognise the repetition.
 */

import { type Clock, systemClock } from '../../base/clock.ts';
import { CoalescingTask } from '../../base/coalescing-task.ts';
import { newId } from '../../base/id.ts';
import { timestamp } from '../../base/timestamp.ts';
import type { Database } from '../../storage/ports/database.ts';
import type { AfterAttempt, DueMessage } from '../../storage/ports/webhooks.ts';
import type { WebhookMessage } from '../../storage/records/webhooks.ts';
import type { Log } from '../log.ts';
import { type Attempt, type AttemptOptions, createAttempts, type MakeAttempt } from './attempt.ts';
import { receiverBusy } from './errors.ts';
import { webhookTest } from './event.ts';
import { Slots } from './slots.ts';

/** Waits after failed attempts. After the last one the next failure is final. */
const RETRY_DELAYS_MS = [5000, 30_000, 120_000] as const;

/** A wait can be longer by this share, so that messages that failed together are not retried together. */
const JITTER = 0.1;

const GONE = 410;

/** Looks for due messages at least this often, because the clock may have been set. */
const MAX_POLL_INTERVAL_MS = 60_000;

/** How long a message waits if its attempt could not be made or recorded because of an error of the service. */
const ERROR_DELAY_MS = 60_000;

/** How long a message waits that another process is sending. */
const CLAIMED_DELAY_MS = 60_000;

/** How long running attempts may take to end when the service is stopped. */
const GRACE_MS = 5000;

/** As long as the records of the jobs can be read (docs/spec/shapes.md, section 10.3). */
const RETENTION_MS = 24 * 3_600_000;

/** What came of an attempt to deliver a webhook. */
export const DELIVERY_RESULTS = ['delivered', 'retried', 'failed', 'stopped'] as const;

export interface WebhookMetrics {
  /** Counts an attempt to deliver a webhook: whether it will be retried, and if not, how it ended. */
  webhookDelivered(result: (typeof DELIVERY_RESULTS)[number]): void;
}

export interface WebhookSenderOptions extends Omit<AttemptOptions, 'now'> {
  metrics: WebhookMetrics;
  log: Log;
  clock?: Clock;
  /** Returns a number from 0 to 1, for the jitter. */
  random?: () => number;
}

interface Recordable {
  /** The message when the attempt began. */
  message: WebhookMessage;
  attempt: Attempt;
  after: AfterAttempt;
}

export class WebhookSender {
  readonly #database: Database;
  readonly #attempt: MakeAttempt;
  readonly #metrics: WebhookMetrics;
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #slots = new Slots();
  /** Running deliveries, by the ids of their messages. */
  readonly #running = new Map<string, Promise<void>>();
  /** Times until which messages wait after an error of the service, by message id. */
  readonly #delayed = new Map<string, number>();
  /** Attempts that could not be recorded in the database. They are recorded later instead of being repeated. */
  readonly #unrecorded = new Map<string, Recordable>();
  readonly #abort = new AbortController();
  readonly #search = new CoalescingTask(
    () => this.#searchDue(),
    (error) => this.#log.error({ err: error }, 'pending webhooks could not be read'),
  );
  #stopped = false;
  #cancelTimer: () => void = () => {};

  constructor(options: WebhookSenderOptions) {
    const { database, metrics, log, clock = systemClock, random = Math.random } = options;
    this.#database = database;
    this.#attempt = createAttempts({ ...options, now: () => clock.now() });
    this.#metrics = metrics;
    this.#log = log;
    this.#clock = clock;
    this.#random = random;
  }

  /** Sends what is due, including what an earlier process has left, and from then on each message when it is due. */
  wake(): void {
    void this.#search.ask();
  }

  /**
   * Sends a test once. It is not recorded.
   * @returns the outcome of the attempt
   * @throws Failure 503 while the account's other webhooks use all slots for the receiver
   */
  async test(accountId: string, url: string): Promise<Attempt & { id: string }> {
    const holder = { accountId, url };
    if (!this.#slots.take(holder)) throw receiverBusy();
    try {
      const id = newId('msg');
      const body = webhookTest(timestamp(this.#clock.now()));
      return { id, ...(await this.#attempt({ id, ...holder, body }, this.#abort.signal)) };
    } finally {
      this.#slots.release(holder);
      this.wake();
    }
  }

  /** Resolves when everything that was due has been tried. */
  async settled(): Promise<void> {
    while (this.#search.running || this.#running.size > 0)
      await Promise.all([this.#search.running, ...this.#running.values()]);
  }

  /** Stops sending. Attempts that take longer than a few seconds are aborted, and sent again after the next start. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelTimer();
    void this.#search.end();
    const callOff = this.#clock.after(GRACE_MS, () => this.#abort.abort());
    await this.settled();
    callOff();
  }

  /** Deletes messages that are too old to be read. */
  async sweep(): Promise<void> {
    await this.#database.webhooks.forget(timestamp(this.#clock.now() - RETENTION_MS));
  }

  async #searchDue(): Promise<void> {
    this.#cancelTimer();
    let next: string | undefined;
    try {
      next = await this.#beginDue();
    } finally {
      if (!this.#stopped) this.#wakeAt(next);
    }
  }

  /** @param time undefined if no message is waiting */
  #wakeAt(time: string | undefined): void {
    const wait = time === undefined ? MAX_POLL_INTERVAL_MS : Date.parse(time) - this.#clock.now();
    this.#cancelTimer = this.#clock.after(Math.min(Math.max(0, wait), MAX_POLL_INTERVAL_MS), () => this.wake());
  }

  /** Starts the due attempts for which there are slots. Returns when the next one is due. */
  async #beginDue(): Promise<string | undefined> {
    const { webhooks } = this.#database;
    const now = this.#clock.now();
    for (const message of await webhooks.due(timestamp(now))) {
      if (this.#stopped) break;
      const isResting = (this.#delayed.get(message.id) ?? now) > now;
      if (isResting || this.#running.has(message.id) || !this.#slots.take(message)) continue;
      this.#running.set(message.id, this.#deliver(message));
    }
    return await webhooks.nextDueAfter(timestamp(now));
  }

  /** Never rejects. */
  async #deliver(due: DueMessage): Promise<void> {
    const { claims } = this.#database;
    const claim = `webhook ${due.id}`;
    try {
      if (!(await claims.take(claim))) {
        this.#delayed.set(due.id, this.#clock.now() + CLAIMED_DELAY_MS);
        return;
      }
      this.#delayed.delete(due.id);
      try {
        const made = this.#unrecorded.get(due.id) ?? (await this.#attemptMessage(due.id));
        if (made) await this.#record(made);
      } finally {
        await claims.release(claim);
      }
    } catch (error) {
      if (this.#abort.signal.aborted) return;
      this.#delayed.set(due.id, this.#clock.now() + ERROR_DELAY_MS);
      this.#log.error({ err: error, message_id: due.id }, 'a webhook could not be sent or recorded');
    } finally {
      this.#slots.release(due);
      this.#running.delete(due.id);
      // Other messages may wait for its slot, and it may be due again.
      this.wake();
    }
  }

  async #attemptMessage(id: string): Promise<Recordable | undefined> {
    const message = await this.#database.webhooks.findMessage(id);
    // It was due when it was looked up, but may have been sent since.
    if (message?.status !== 'pending' || (message.nextAttemptAt ?? '') > timestamp(this.#clock.now())) return undefined;
    const attempt = await this.#attempt(message, this.#abort.signal);
    return { message, attempt, after: this.#after(message.attempts, attempt) };
  }

  async #record({ message, attempt, after }: Recordable): Promise<void> {
    this.#unrecorded.set(message.id, { message, attempt, after });
    const { retryAfterMs: _, ...delivery } = attempt;
    await this.#database.transaction(({ webhooks }) => webhooks.recordAttempt(message, delivery, after));
    this.#unrecorded.delete(message.id);
    this.#metrics.webhookDelivered(after.status === 'pending' ? 'retried' : after.status);
    const line = {
      message_id: message.id,
      account_id: message.accountId,
      job_id: message.jobId,
      host: new URL(message.url).host,
      attempt: message.attempts + 1,
      status: attempt.status,
    };
    if (attempt.error === null) this.#log.info(line, 'webhook delivered');
    else
      this.#log.warn(
        { ...line, error: attempt.error, next_attempt_at: after.nextAttemptAt },
        'a webhook could not be delivered',
      );
  }

  /** @param attempts number of earlier attempts in this series */
  #after(attempts: number, { status, error, retryAfterMs }: Attempt): AfterAttempt {
    if (error === null) return { status: 'delivered', nextAttemptAt: null };
    if (status === GONE) return { status: 'stopped', nextAttemptAt: null };
    const wait = RETRY_DELAYS_MS[attempts];
    if (wait === undefined) return { status: 'failed', nextAttemptAt: null };
    const jittered = wait * (1 + JITTER * this.#random());
    return {
      status: 'pending',
      nextAttemptAt: timestamp(this.#clock.now() + Math.max(jittered, retryAfterMs)),
    };
  }
}
