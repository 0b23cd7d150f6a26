/**
 * Delivers webhooks (spec/shapes.md, section 11). Messages are recorded together with the end of their jobs, so that none
 * is lost; here they are only sent. An attempt is recorded when it has ended: one that was on its way when the process
 * was killed is made again, with the same `webhook-id`, by which receivers know a repetition.
 */
import { newId } from '../../base/id.ts';
import type { Database } from '../../storage/database.ts';
import type { AfterAttempt, DueMessage, WebhookMessage } from '../../storage/repositories/webhooks.ts';
import { timestamp } from '../../storage/schema.ts';
import { type Clock, systemClock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { Repeated } from '../repeated.ts';
import { type Attempt, type AttemptOptions, createAttempts, type MakeAttempt } from './attempt.ts';
import { receiverBusy } from './errors.ts';
import { webhookTest } from './event.ts';
import { Slots } from './slots.ts';

/** Waits after failed attempts; after one more failure it is given up. */
const WAITS_MS = [5000, 30_000, 120_000] as const;

/** So much longer a wait may be, so that what failed together is not tried again together. */
const JITTER = 0.1;

const GONE = 410;

/** How often is looked for what is due even when nothing is known to be: the clock may have been set. */
const MOST_WAIT_MS = 60_000;

/** How long a message rests whose attempt could not be made or recorded for a fault of our own. */
const REST_MS = 60_000;

/** How long attempts on their way may take to end when the service is stopped. */
const GRACE_MS = 5000;

/** As long as the records of their jobs can be read (spec/shapes.md, section 10.3). */
const REMEMBERED_MS = 24 * 3_600_000;

export interface WebhookSenderOptions extends Omit<AttemptOptions, 'now'> {
  metrics: Pick<Metrics, 'webhookDelivered'>;
  log: Log;
  clock?: Clock;
  /** From 0 to 1, for the jitter. */
  random?: () => number;
}

interface Recordable {
  /** As it was when the attempt began. */
  message: WebhookMessage;
  attempt: Attempt;
  after: AfterAttempt;
}

export class WebhookSender {
  readonly #database: Database;
  readonly #attempt: MakeAttempt;
  readonly #metrics: Pick<Metrics, 'webhookDelivered'>;
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #slots = new Slots();
  /** What is on its way, by the ids of the messages. */
  readonly #underWay = new Map<string, Promise<void>>();
  /** Until when messages rest, by their ids. */
  readonly #resting = new Map<string, number>();
  /** Attempts that the database could not note, so that they are not made again. */
  readonly #unrecorded = new Map<string, Recordable>();
  readonly #ending = new AbortController();
  readonly #search = new Repeated(
    () => this.#searchDue(),
    (error) => this.#log.error({ err: error }, 'pending webhooks could not be read'),
  );
  #stopped = false;
  #disarm: () => void = () => {};

  constructor(options: WebhookSenderOptions) {
    const { database, metrics, log, clock = systemClock, random = Math.random } = options;
    this.#database = database;
    this.#attempt = createAttempts({ ...options, now: () => clock.now() });
    this.#metrics = metrics;
    this.#log = log;
    this.#clock = clock;
    this.#random = random;
  }

  /** Sends what is due, what an earlier process has left too, and from then on each message when its time comes. */
  wake(): void {
    void this.#search.ask();
  }

  /**
   * Sends a test, once; it leaves no trace.
   * @returns what came of it
   * @throws Failure 503 while the account's other webhooks wait for the receiver
   */
  async test(accountId: string, url: string): Promise<Attempt & { id: string }> {
    const holder = { accountId, url };
    if (!this.#slots.take(holder)) throw receiverBusy();
    try {
      const id = newId('msg');
      const body = webhookTest(timestamp(this.#clock.now()));
      return { id, ...(await this.#attempt({ id, ...holder, body }, this.#ending.signal)) };
    } finally {
      this.#slots.release(holder);
      this.wake();
    }
  }

  /** Resolves when everything has been tried that was due. */
  async settled(): Promise<void> {
    while (this.#search.running || this.#underWay.size > 0)
      await Promise.all([this.#search.running, ...this.#underWay.values()]);
  }

  /** Ends the sending; what has not arrived after a few seconds is sent again after the next start. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#disarm();
    void this.#search.end();
    const callOff = this.#clock.after(GRACE_MS, () => this.#ending.abort());
    await this.settled();
    callOff();
  }

  /** Forgets what nobody can ask for any more. */
  async sweep(): Promise<void> {
    await this.#database.webhooks.forget(timestamp(this.#clock.now() - REMEMBERED_MS));
  }

  async #searchDue(): Promise<void> {
    this.#disarm();
    let next: string | undefined;
    try {
      next = await this.#beginDue();
    } finally {
      if (!this.#stopped) this.#wakeAt(next);
    }
  }

  /** @param time undefined when nothing is known to come */
  #wakeAt(time: string | undefined): void {
    const wait = time === undefined ? MOST_WAIT_MS : Date.parse(time) - this.#clock.now();
    this.#disarm = this.#clock.after(Math.min(Math.max(0, wait), MOST_WAIT_MS), () => this.wake());
  }

  /** Begins the attempts that are due and that there is room for; returns when the next one is due. */
  async #beginDue(): Promise<string | undefined> {
    const { webhooks } = this.#database;
    const now = this.#clock.now();
    for (const message of await webhooks.due(timestamp(now))) {
      if (this.#stopped) break;
      const isResting = (this.#resting.get(message.id) ?? now) > now;
      if (isResting || this.#underWay.has(message.id) || !this.#slots.take(message)) continue;
      this.#underWay.set(message.id, this.#deliver(message));
    }
    return await webhooks.nextDueAfter(timestamp(now));
  }

  /** Never fails. */
  async #deliver(due: DueMessage): Promise<void> {
    try {
      const made = this.#unrecorded.get(due.id) ?? (await this.#make(due.id));
      if (made) await this.#record(made);
      this.#resting.delete(due.id);
    } catch (error) {
      if (this.#ending.signal.aborted) return;
      this.#resting.set(due.id, this.#clock.now() + REST_MS);
      this.#log.error({ err: error, message_id: due.id }, 'a webhook could not be sent or recorded');
    } finally {
      this.#slots.release(due);
      this.#underWay.delete(due.id);
      // Its slot may be waited for, and it may be due again.
      this.wake();
    }
  }

  async #make(id: string): Promise<Recordable | undefined> {
    const message = await this.#database.webhooks.findMessage(id);
    // It was read as due before, but may have been sent since.
    if (message?.status !== 'pending' || (message.nextAttemptAt ?? '') > timestamp(this.#clock.now())) return undefined;
    const attempt = await this.#attempt(message, this.#ending.signal);
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

  /** @param attempts those of the series before this one */
  #after(attempts: number, { status, error, retryAfterMs }: Attempt): AfterAttempt {
    if (error === null) return { status: 'delivered', nextAttemptAt: null };
    if (status === GONE) return { status: 'stopped', nextAttemptAt: null };
    const wait = WAITS_MS[attempts];
    if (wait === undefined) return { status: 'failed', nextAttemptAt: null };
    const jittered = wait * (1 + JITTER * this.#random());
    return {
      status: 'pending',
      nextAttemptAt: timestamp(this.#clock.now() + Math.max(jittered, retryAfterMs)),
    };
  }
}
