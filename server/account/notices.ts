/**
 * Notifies account owners of their use of a monthly quota (docs/spec/interface.md, "Events" 6): by e-mail if there is a mail
 * server and an address, otherwise in the log. Notices are recorded together with the charge that causes them, so each
 * exists once and none is lost. This module only delivers them, and retries until it succeeds.
 */

import { CoalescingTask } from '../../base/coalescing-task.ts';
import { groupBy } from '../../base/group-by.ts';
import { timestamp } from '../../base/timestamp.ts';
import type { Database } from '../../storage/ports/database.ts';
import type { Account } from '../../storage/records/accounts.ts';
import type { Notice } from '../../storage/records/notices.ts';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import { createMailer, type MailError, type Mailer, type Message } from './mail.ts';
import { monthOf } from './period.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** How often waiting notices are looked up. */
const POLL_INTERVAL_MS = MINUTE_MS;

/** Waits after failed attempts. The last one repeats. */
const RETRY_DELAYS_MS = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS] as const;

/** After this time the last attempt by e-mail is made. */
const MAX_EMAIL_AGE_MS = 24 * HOUR_MS;

/** Messages sent in parallel, so that a slow mail server does not delay all of them. */
const MAX_PARALLEL_MESSAGES = 4;

/** One process at a time sends, so that no notice is sent twice. */
const CLAIM = 'notices';

export interface NoticesOptions {
  database: Database;
  config: Pick<Config, 'smtpUrl' | 'mailFrom'>;
  log: Log;
  /** Returns the current time in milliseconds. */
  now?: () => number;
}

export class NoticeSender {
  readonly #database: Database;
  readonly #mailer: Mailer | undefined;
  readonly #log: Log;
  readonly #now: () => number;
  /** Ids of messages that were sent but could not be recorded in the database. They are not sent again. */
  readonly #unrecorded = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  readonly #sending = new CoalescingTask(
    () => this.#sendDue(),
    (error) => this.#log.error({ err: error }, 'pending notices could not be read'),
  );
  #stopped = false;

  private constructor({ database, log, now = Date.now }: NoticesOptions, mailer: Mailer | undefined) {
    this.#database = database;
    this.#mailer = mailer;
    this.#log = log;
    this.#now = now;
  }

  /** @throws Failure if the mail server's address cannot be used */
  static async create(options: NoticesOptions): Promise<NoticeSender> {
    return new NoticeSender(options, await createMailer(options.config));
  }

  /** Sends what an earlier process has left, then retries every minute. */
  start(): void {
    void this.wake();
    this.#timer = setInterval(() => void this.wake(), POLL_INTERVAL_MS);
    this.#timer.unref();
  }

  /**
   * Sends what is due, one run at a time. A call during a run causes one more run.
   * @returns always resolves, when everything that was due at the time of the call has been tried
   */
  wake(): Promise<void> {
    return this.#sending.ask();
  }

  /** Stops sending. Resolves when the messages being sent have arrived or failed. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopped = true;
    await this.#sending.end();
    this.#mailer?.close();
  }

  async #sendDue(): Promise<void> {
    const { claims } = this.#database;
    // Otherwise another process sends them, and this one looks again in a minute.
    if (!(await claims.take(CLAIM))) return;
    try {
      await this.#sendWaiting();
    } finally {
      await claims.release(CLAIM);
    }
  }

  async #sendWaiting(): Promise<void> {
    const waiting = seriesOf(await this.#database.notices.due(timestamp(this.#now())));
    const work = async () => {
      for (let series = waiting.shift(); series; series = waiting.shift()) {
        if (this.#stopped) return;
        await this.#sendSeries(series).catch((error) =>
          this.#log.error({ err: error }, 'a notice could not be recorded'),
        );
      }
    };
    await Promise.all(Array.from({ length: MAX_PARALLEL_MESSAGES }, work));
  }

  /** Sends the notices of one meter and month in order, so that nobody reads of 80% after 100%. */
  async #sendSeries(series: readonly Notice[]): Promise<void> {
    for (const [index, notice] of series.entries()) {
      if (this.#stopped) return;
      const nextAttemptAt = await this.#deliver(notice);
      if (nextAttemptAt === undefined) continue;
      for (const later of series.slice(index + 1))
        await this.#database.notices.postpone(later, later.attempts, nextAttemptAt);
      return;
    }
  }

  /** Delivers a notice. Returns when to retry, or undefined if there is no retry. */
  async #deliver(notice: Notice): Promise<string | undefined> {
    // Read again for each attempt, because the address may have been corrected.
    const account = await this.#database.accounts.find(notice.accountId);
    if (!this.#mailer || !account?.email) return await this.#writeToLog(notice);
    const message = messageFor(notice, account, account.email);
    if (!this.#unrecorded.has(message.id)) {
      const fault = await this.#mailer.send(message);
      if (fault) return await this.#noteFault(notice, fault);
    }
    this.#unrecorded.add(message.id);
    await this.#database.notices.markSent(notice, timestamp(this.#now()), 'email');
    this.#unrecorded.delete(message.id);
    return undefined;
  }

  async #noteFault(notice: Notice, { permanent, ...fault }: MailError): Promise<string | undefined> {
    const attempts = notice.attempts + 1;
    this.#log.warn({ ...shown(notice), attempt: attempts, ...fault }, 'a notice could not be sent by e-mail');
    const now = this.#now();
    const end = Date.parse(notice.createdAt) + MAX_EMAIL_AGE_MS;
    if (permanent || now >= end) return await this.#writeToLog(notice);
    const wait = RETRY_DELAYS_MS[notice.attempts] ?? HOUR_MS;
    const nextAttemptAt = timestamp(Math.min(now + wait, end));
    await this.#database.notices.postpone(notice, attempts, nextAttemptAt);
    return nextAttemptAt;
  }

  async #writeToLog(notice: Notice): Promise<undefined> {
    const { used, limit } = notice;
    this.#log.warn({ ...shown(notice), used, limit }, `${notice.threshold}% of a monthly allowance is used`);
    await this.#database.notices.markSent(notice, timestamp(this.#now()), 'log');
  }
}

/** Returns the log fields of a notice. They contain nothing personal. */
const shown = ({ accountId, month, meter, threshold }: Notice) => ({ account_id: accountId, month, meter, threshold });

/** Groups notices by account, month and meter, in the order of their first notices. */
const seriesOf = (notices: readonly Notice[]): Notice[][] => [
  ...groupBy(notices, ({ accountId, month, meter }) => `${accountId} ${month} ${meter}`).values(),
];

const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });

const REQUESTS: Record<Notice['meter'], string> = { requests: 'requests', ai: 'AI requests' };

function messageFor(
  { accountId, month, meter, threshold, used, limit }: Notice,
  account: Account,
  to: string,
): Message {
  const name = onOneLine(account.name);
  const requests = REQUESTS[meter];
  const { start, end } = monthOf(Date.parse(`${month}-01T00:00:00.000Z`));
  const inMonth = MONTH.format(start);
  const resets = `on ${DAY.format(end)} at 00:00 UTC`;
  const usedUp = threshold === 100;
  const figures = `The account ${name} has used ${used.toLocaleString('en')} of its ${limit.toLocaleString('en')} ${requests} for ${inMonth}`;
  const refused = 'refused with the status 429 and the error code quota_exceeded';
  const lines = usedUp
    ? [`${figures}: all of them.`, '', `Further ${requests} are ${refused} until the allowance resets ${resets}.`]
    : [
        `${figures}: ${threshold}% of them or more.`,
        '',
        `The allowance resets ${resets}. If it is used up before, further ${requests} are ${refused} until then.`,
      ];
  return {
    id: `notice.${accountId}.${month}.${meter}.${threshold}`,
    to,
    subject: `Imagecrew: ${name} has used ${usedUp ? 'all' : `${threshold}%`} of its ${requests} for ${inMonth}`,
    text: `${lines.join('\n')}\n`,
  };
}

/** A name may contain anything. A line break in it must not look like a line of this message. */
const onOneLine = (name: string): string => name.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
