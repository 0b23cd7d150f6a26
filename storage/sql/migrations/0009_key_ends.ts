import { type Kysely, sql } from 'kysely';

/** Finds usable keys and the keys that ended last, however many keys were created and revoked. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('keys_not_revoked')
    .on('keys')
    .columns(['account_id', 'expires_at'])
    .where(sql.ref('revoked_at'), 'is', null)
    .execute();
  await db.schema
    .createIndex('keys_revoked')
    .on('keys')
    .columns(['account_id', 'revoked_at'])
    .where(sql.ref('revoked_at'), 'is not', null)
    .execute();
}
