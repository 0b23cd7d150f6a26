import { type Kysely, sql } from 'kysely';

/**
 * The processes that work on the database, what they have claimed, and which reservations of the meters are theirs.
 * The reservations are kept by triggers, so that each is recorded by the statement that makes it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('processes')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('seen_at', 'timestamptz', (column) => column.notNull())
    .execute();

  await db.schema
    .createTable('claims')
    .addColumn('subject', 'text', (column) => column.primaryKey())
    .addColumn('process_id', 'text', (column) => column.notNull().references('processes.id').onDelete('cascade'))
    .addColumn('group', 'text')
    .execute();
  await db.schema.createIndex('claims_process_id').on('claims').column('process_id').execute();
  await db.schema.createIndex('claims_group').on('claims').column('group').execute();

  await db.schema
    .createTable('meter_reservations')
    .addColumn('process_id', 'text', (column) => column.notNull().references('processes.id'))
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('period', 'text', (column) => column.notNull())
    .addColumn('requests', 'integer', (column) => column.notNull())
    .addColumn('ai', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('meter_reservations_primary_key', ['process_id', 'subject', 'period'])
    .execute();

  // `imagecrew.process` is set in the connections of a process that has joined.
  await sql`
    create function limit_release() returns trigger language plpgsql as $$
    declare
      held record;
    begin
      -- What was released when this process seemed to have ended must not be released once more.
      select coalesce(sum(requests), 0) as requests, coalesce(sum(ai), 0) as ai into held from meter_reservations
        where process_id = current_setting('imagecrew.process', true) and subject = new.subject and period = new.period;
      new.reserved_requests := greatest(new.reserved_requests, old.reserved_requests - held.requests);
      new.reserved_ai := greatest(new.reserved_ai, old.reserved_ai - held.ai);
      return new;
    end $$`.execute(db);
  await sql`
    create trigger limit_release before update on meters for each row
    when (nullif(current_setting('imagecrew.process', true), '') is not null and (
      new.reserved_requests < old.reserved_requests or new.reserved_ai < old.reserved_ai))
    execute function limit_release()`.execute(db);

  await sql`
    create function keep_reservation() returns trigger language plpgsql as $$
    declare
      requests bigint := new.reserved_requests;
      ai bigint := new.reserved_ai;
    begin
      if tg_op = 'UPDATE' then
        requests := requests - old.reserved_requests;
        ai := ai - old.reserved_ai;
      end if;
      if requests <> 0 or ai <> 0 then
        insert into meter_reservations as kept (process_id, subject, period, requests, ai)
          values (current_setting('imagecrew.process'), new.subject, new.period, requests, ai)
          on conflict (process_id, subject, period)
          do update set requests = kept.requests + excluded.requests, ai = kept.ai + excluded.ai;
      end if;
      return null;
    end $$`.execute(db);
  await sql`
    create trigger keep_reservation after insert or update on meters for each row
    when (nullif(current_setting('imagecrew.process', true), '') is not null)
    execute function keep_reservation()`.execute(db);
}
