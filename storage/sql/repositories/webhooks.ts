import { sql } from 'kysely';
import { newId } from '../../../base/id.ts';
import type {
  AfterAttempt,
  DueMessage,
  NewDelivery,
  NewMessage,
  NewSecret,
  WebhookState,
  Webhooks,
} from '../../ports/webhooks.ts';
import type { WebhookDelivery, WebhookMessage, WebhookSecret } from '../../records/webhooks.ts';
import { Repository } from '../repository.ts';

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

/** In the exact wording of the partial index: SQLite uses it only for an identical condition. */
const isPending = sql<boolean>`"status" = 'pending'`;

export class SqlWebhooks extends Repository implements Webhooks {
  async secret({ accountId, secret, createdAt }: NewSecret): Promise<WebhookSecret> {
    const known = await this.#secret(accountId);
    if (known) return known;
    await this.db
      .insertInto('webhookSecrets')
      .values({ accountId, secret, createdAt, previousSecret: null, previousValidUntil: null })
      // Two concurrent first calls both get the same secret.
      .onConflict((conflict) => conflict.column('accountId').doNothing())
      .execute();
    return (await this.#secret(accountId))!;
  }

  async rotateSecret({ accountId, secret, createdAt }: NewSecret, previousValidUntil: string): Promise<WebhookSecret> {
    return await this.db
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

  async createMessage({ id = newId('msg'), ...message }: NewMessage): Promise<void> {
    await this.db
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
    return await this.db.selectFrom('webhookMessages').selectAll().where('id', '=', id).executeTakeFirst();
  }

  async ofJobs(jobIds: readonly string[]): Promise<WebhookState[]> {
    if (jobIds.length === 0) return [];
    return await this.db.selectFrom('webhookMessages').select(STATE).where('jobId', 'in', jobIds).execute();
  }

  async due(now: string): Promise<DueMessage[]> {
    return await this.db
      .selectFrom('webhookMessages')
      .select(['id', 'accountId', 'url'])
      .where(isPending)
      .where('nextAttemptAt', '<=', now)
      .orderBy('nextAttemptAt')
      .orderBy('id')
      .execute();
  }

  async nextDueAfter(now: string): Promise<string | undefined> {
    const row = await this.db
      .selectFrom('webhookMessages')
      .select('nextAttemptAt')
      .where(isPending)
      .where('nextAttemptAt', '>', now)
      .orderBy('nextAttemptAt')
      .limit(1)
      .executeTakeFirst();
    return row?.nextAttemptAt ?? undefined;
  }

  async recordAttempt(message: WebhookState, delivery: NewDelivery, after: AfterAttempt): Promise<void> {
    const { last } = await this.db
      .selectFrom('webhookDeliveries')
      .select(({ fn, lit }) => fn.coalesce(fn.max('attempt'), lit(0)).as('last'))
      .where('messageId', '=', message.id)
      .executeTakeFirstOrThrow();
    await this.db
      .insertInto('webhookDeliveries')
      .values({ messageId: message.id, attempt: last + 1, ...delivery })
      .execute();
    await this.db
      .updateTable('webhookMessages')
      .set({ lastStatus: delivery.status, lastAttemptAt: delivery.at })
      .where('id', '=', message.id)
      .execute();
    await this.db
      .updateTable('webhookMessages')
      .set({ ...after, attempts: message.attempts + 1 })
      .where('id', '=', message.id)
      .where('attempts', '=', message.attempts)
      .where('nextAttemptAt', '=', message.nextAttemptAt)
      .execute();
  }

  async restart(jobId: string, now: string): Promise<boolean> {
    const row = await this.db
      .updateTable('webhookMessages')
      .set({ status: 'pending', attempts: 0, nextAttemptAt: now })
      .where('jobId', '=', jobId)
      .returning('id')
      .executeTakeFirst();
    return row !== undefined;
  }

  async deliveriesOf(jobId: string): Promise<WebhookDelivery[]> {
    return await this.db
      .selectFrom('webhookDeliveries')
      .innerJoin('webhookMessages', 'webhookMessages.id', 'webhookDeliveries.messageId')
      .selectAll('webhookDeliveries')
      .where('webhookMessages.jobId', '=', jobId)
      .orderBy('webhookDeliveries.messageId')
      .orderBy('webhookDeliveries.attempt')
      .execute();
  }

  async forget(time: string): Promise<void> {
    await this.db
      .deleteFrom('webhookMessages')
      .where('createdAt', '<=', time)
      .where('status', '!=', 'pending')
      .execute();
  }

  async #secret(accountId: string): Promise<WebhookSecret | undefined> {
    return await this.db.selectFrom('webhookSecrets').selectAll().where('accountId', '=', accountId).executeTakeFirst();
  }
}
