import { type Kysely, sql } from 'kysely';

/** Finds the keys that can be used, and those that ended last, among any number that were made and revoked again. */
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
