import type { Kysely } from 'kysely';

/** Records of the cache of images that are made for an address. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('delivered_images')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('file_id', 'text', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('tag', 'text')
    .addColumn('filename', 'text', (column) => column.notNull())
    .addColumn('content_type', 'text', (column) => column.notNull())
    .addColumn('format', 'text', (column) => column.notNull())
    .addColumn('width', 'integer', (column) => column.notNull())
    .addColumn('height', 'integer', (column) => column.notNull())
    .addColumn('bytes', 'integer', (column) => column.notNull())
    .addColumn('sha256', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .addColumn('used_at', 'text', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('delivered_images_used').on('delivered_images').columns(['used_at', 'key']).execute();
  await db.schema.createIndex('delivered_images_file').on('delivered_images').column('file_id').execute();
  await db.schema
    .createIndex('delivered_images_source')
    .on('delivered_images')
    .columns(['account_id', 'source'])
    .execute();
}
