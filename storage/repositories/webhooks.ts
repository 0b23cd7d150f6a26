import { type Kysely, type Selectable, sql } from 'kysely';
import { newId } from '../../base/id.ts';
import type { Tables, WebhookDeliveryTable, WebhookMessageTable, WebhookSecretTable } from '../schema.ts';

/** What an account's webhooks are signed with. */
export type WebhookSecret = Selectable<WebhookSecretTable>;
/** One event for one receiver. It is pending until it was taken, refused for good or tried often enough. */
export type WebhookMessage = Selectable<WebhookMessageTable>;
/** One attempt to deliver a message. */
export type WebhookDelivery = Selectable<WebhookDeliveryTable>;

export type NewSecret = Pick<WebhookSecret, 'accountId' | 'secret' | 'createdAt'>;
export type NewMessage = Pick<WebhookMessage, 'accountId' | 'jobId' | 'url' | 'body' | 'createdAt'> & { id?: string };
/** A message without what is sent. */
export type WebhookState = Omit<WebhookMessage, 'body'>;
export type DueMessage = Pick<WebhookMessage, 'id' | 'accountId' | 'url'>;
export type NewDelivery = Omit<WebhookDelivery, 'messageId' | 'attempt'>;
/** What becomes of a message after an attempt. */
export type AfterAttempt = Pick<WebhookMessage, 'status' | 'nextAttemptAt'>;

const STATE = [
  'id',
  'accountId',
  'jobId',
  'url',
  'status',
  'attempts',
  'lastStatus',
  'lastAttemptAt',
  'nextAttemptAt',
  'createdAt',
] as const;

/** As the partial index has it: SQLite takes it only for the same words. */
const isPending = sql<boolean>`"status" = 'pending'`;

export class Webhooks {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** The account's secret; where it has none, the one that is given becomes it. */
  async secret({ accountId, secret, createdAt }: NewSecret): Promise<WebhookSecret> {
    const known = await this.#secret(accountId);
    if (known) return known;
    await this.#db
      .insertInto('webhookSecrets')
      .values({ accountId, secret, createdAt, previousSecret: null, previousValidUntil: null })
      // Two first needs at once: both get the same.
      .onConflict((conflict) => conflict.column('accountId').doNothing())
      .execute();
    return (await this.#secret(accountId))!;
  }

  /** Changes the account's secret; the one before it, if there is one, stays valid until the time given. */
  async rotateSecret({ accountId, secret, createdAt }: NewSecret, previousValidUntil: string): Promise<WebhookSecret> {
    return await this.#db
      .insertInto('webhookSecrets')
      .values({ accountId, secret, createdAt, previousSecret: null, previousValidUntil: null })
      .onConflict((conflict) =>
        conflict.column('accountId').doUpdateSet(({ ref }) => ({
          secret,
          createdAt,
          previousSecret: ref('webhookSecrets.secret'),
          previousValidUntil,
        })),
      )
      .returningAll()
      .executeTakeFirstOrThrow();
  }

  /** Records a message, due at once. */
  async createMessage({ id = newId('msg'), ...message }: NewMessage): Promise<void> {
    await this.#db
      .insertInto('webhookMessages')
      .values({
        id,
        ...message,
        status: 'pending',
        lastStatus: null,
        lastAttemptAt: null,
        nextAttemptAt: message.createdAt,
      })
      .execute();
  }

  async findMessage(id: string): Promise<WebhookMessage | undefined> {
    return await this.#db.selectFrom('webhookMessages').selectAll().where('id', '=', id).executeTakeFirst();
  }

  /** The messages of those jobs that have one, in no order. */
  async ofJobs(jobIds: readonly string[]): Promise<WebhookState[]> {
    if (jobIds.length === 0) return [];
    return await this.#db.selectFrom('webhookMessages').select(STATE).where('jobId', 'in', jobIds).execute();
  }

  /** Pending messages whose next attempt is due, the longest due first. */
  async due(now: string): Promise<DueMessage[]> {
    return await this.#db
      .selectFrom('webhookMessages')
      .select(['id', 'accountId', 'url'])
      .where(isPending)
      .where('nextAttemptAt', '<=', now)
      .orderBy('nextAttemptAt')
      .orderBy('id')
      .execute();
  }

  /** When the first pending message is due that is not due yet. */
  async nextDueAfter(now: string): Promise<string | undefined> {
    const row = await this.#db
      .selectFrom('webhookMessages')
      .select('nextAttemptAt')
      .where(isPending)
      .where('nextAttemptAt', '>', now)
      .orderBy('nextAttemptAt')
      .limit(1)
      .executeTakeFirst();
    return row?.nextAttemptAt ?? undefined;
  }

  /**
   * Records an attempt and what follows from it. A message that was asked for again while the attempt was on its way
   * stays due. To be called in a transaction.
   * @param message as it was when the attempt began
   */
  async recordAttempt(message: WebhookState, delivery: NewDelivery, after: AfterAttempt): Promise<void> {
    const { last } = await this.#db
      .selectFrom('webhookDeliveries')
      .select(({ fn, lit }) => fn.coalesce(fn.max('attempt'), lit(0)).as('last'))
      .where('messageId', '=', message.id)
      .executeTakeFirstOrThrow();
    await this.#db
      .insertInto('webhookDeliveries')
      .values({ messageId: message.id, attempt: last + 1, ...delivery })
      .execute();
    await this.#db
      .updateTable('webhookMessages')
      .set({ lastStatus: delivery.status, lastAttemptAt: delivery.at })
      .where('id', '=', message.id)
      .execute();
    await this.#db
      .updateTable('webhookMessages')
      .set({ ...after, attempts: message.attempts + 1 })
      .where('id', '=', message.id)
      .where('attempts', '=', message.attempts)
      .where('nextAttemptAt', '=', message.nextAttemptAt)
      .execute();
  }

  /** Begins a new series of attempts, due at once. False when the job has no message. */
  async restart(jobId: string, now: string): Promise<boolean> {
    const row = await this.#db
      .updateTable('webhookMessages')
      .set({ status: 'pending', attempts: 0, nextAttemptAt: now })
      .where('jobId', '=', jobId)
      .returning('id')
      .executeTakeFirst();
    return row !== undefined;
  }

  /** The attempts for a job, in their order. */
  async deliveriesOf(jobId: string): Promise<WebhookDelivery[]> {
    return await this.#db
      .selectFrom('webhookDeliveries')
      .innerJoin('webhookMessages', 'webhookMessages.id', 'webhookDeliveries.messageId')
      .selectAll('webhookDeliveries')
      .where('webhookMessages.jobId', '=', jobId)
      .orderBy('webhookDeliveries.messageId')
      .orderBy('webhookDeliveries.attempt')
      .execute();
  }

  /** Forgets the messages made at or before `time` that are no longer pending, with their deliveries. */
  async forget(time: string): Promise<void> {
    await this.#db
      .deleteFrom('webhookMessages')
      .where('createdAt', '<=', time)
      .where('status', '!=', 'pending')
      .execute();
  }

  async #secret(accountId: string): Promise<WebhookSecret | undefined> {
    return await this.#db
      .selectFrom('webhookSecrets')
      .selectAll()
      .where('accountId', '=', accountId)
      .executeTakeFirst();
  }
}
