import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('pipelines')
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('description', 'text')
    .addColumn('output_name', 'text')
    .addColumn('steps', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('pipelines_primary_key', ['account_id', 'name', 'version'])
    .execute();

  await db.schema
    .createTable('jobs')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('key_id', 'text', (column) => column.notNull().references('keys.id'))
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('pipeline_name', 'text')
    .addColumn('pipeline_version', 'integer')
    .addColumn('output_name', 'text')
    .addColumn('steps', 'text', (column) => column.notNull())
    .addColumn('webhook_url', 'text')
    .addColumn('error_code', 'text')
    .addColumn('error_message', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('started_at', 'text')
    .addColumn('leased_at', 'text')
    .addColumn('finished_at', 'text')
    .execute();
  await db.schema.createIndex('jobs_account_id').on('jobs').columns(['account_id', 'created_at']).execute();
  // Contains only the few jobs that have not ended.
  await db.schema
    .createIndex('jobs_open')
    .on('jobs')
    .columns(['account_id', 'id'])
    .where(sql.ref('status'), 'in', [sql.lit('queued'), sql.lit('running')])
    .execute();

  await db.schema
    .createTable('job_items')
    .addColumn('job_id', 'text', (column) => column.notNull().references('jobs.id').onDelete('cascade'))
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('source_kind', 'text', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('filename', 'text')
    .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('lease_until', 'text')
    .addColumn('next_attempt_at', 'text')
    .addColumn('file_id', 'text')
    .addColumn('result', 'text')
    .addColumn('original_bytes', 'integer')
    .addColumn('bytes', 'integer')
    .addColumn('requests', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('ai', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('error_code', 'text')
    .addColumn('error_message', 'text')
    .addColumn('finished_at', 'text')
    .addPrimaryKeyConstraint('job_items_primary_key', ['job_id', 'position'])
    .execute();
  await db.schema
    .createIndex('job_items_open')
    .on('job_items')
    .columns(['job_id', 'position'])
    .where(sql.ref('status'), 'in', [sql.lit('queued'), sql.lit('running')])
    .execute();
  // Contains only items being processed: never more than the service processes at a time.
  await db.schema
    .createIndex('job_items_running')
    .on('job_items')
    .column('job_id')
    .where(sql.ref('status'), '=', sql.lit('running'))
    .execute();

  await db.schema
    .createTable('idempotency_keys')
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('request_hash', 'text', (column) => column.notNull())
    .addColumn('job_id', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('idempotency_keys_primary_key', ['account_id', 'key'])
    .execute();

  await db.schema
    .createTable('webhook_secrets')
    .addColumn('account_id', 'text', (column) => column.primaryKey().references('accounts.id'))
    .addColumn('secret', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('previous_secret', 'text')
    .addColumn('previous_valid_until', 'text')
    .execute();

  await db.schema
    .createTable('webhook_messages')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('job_id', 'text')
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('last_status', 'integer')
    .addColumn('last_attempt_at', 'text')
    .addColumn('next_attempt_at', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('webhook_messages_job_id').on('webhook_messages').column('job_id').execute();
  // Contains all columns of the query for due messages. Otherwise it would read the rows, which contain bodies.
  await db.schema
    .createIndex('webhook_messages_pending')
    .on('webhook_messages')
    .columns(['next_attempt_at', 'id', 'account_id', 'url'])
    .where(sql.ref('status'), '=', sql.lit('pending'))
    .execute();

  await db.schema
    .createTable('webhook_deliveries')
    .addColumn('message_id', 'text', (column) => column.notNull().references('webhook_messages.id').onDelete('cascade'))
    .addColumn('attempt', 'integer', (column) => column.notNull())
    .addColumn('at', 'text', (column) => column.notNull())
    .addColumn('status', 'integer')
    .addColumn('duration_ms', 'integer', (column) => column.notNull())
    .addColumn('error', 'text')
    .addPrimaryKeyConstraint('webhook_deliveries_primary_key', ['message_id', 'attempt'])
    .execute();
}
