import { type Kysely, sql } from 'kysely';
import type { ClaimGroup, Claims } from '../ports/processes.ts';
import type { Tables } from '../sql/schema.ts';
import type { OwnTables } from './tables.ts';

export class PostgresClaims implements Claims {
  readonly #db: Kysely<Tables & OwnTables>;
  readonly #processId: string;

  constructor(db: Kysely<Tables>, processId: string) {
    this.#db = db.withTables<OwnTables>();
    this.#processId = processId;
  }

  async take(subject: string, group?: ClaimGroup): Promise<boolean> {
    const { name = null, most = 0 } = group ?? {};
    const { rows } = await sql`
      insert into claims (subject, process_id, "group")
      select ${subject}::text, ${this.#processId}::text, ${name}::text
      where ${name}::text is null
        or (select count(*) from claims where "group" = ${name} and subject <> ${subject}) < ${most}
      on conflict (subject) do update set "group" = excluded."group" where claims.process_id = excluded.process_id
      returning subject`.execute(this.#db);
    return rows.length > 0;
  }

  async release(subject: string): Promise<void> {
    await this.#db
      .deleteFrom('claims')
      .where('subject', '=', subject)
      .where('processId', '=', this.#processId)
      .execute();
  }

  async isAlone(): Promise<boolean> {
    const other = await this.#db
      .selectFrom('processes')
      .select('id')
      .where('id', '<>', this.#processId)
      .limit(1)
      .executeTakeFirst();
    return other === undefined;
  }
}
