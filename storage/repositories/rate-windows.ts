import type { Kysely, Selectable } from 'kysely';
import { prepared } from '../prepared.ts';
import type { RateWindowTable, Tables } from '../schema.ts';

/** How many requests a subject has sent in its running window. */
export type RateWindow = Selectable<RateWindowTable>;

const add = prepared((db, { subject, requests, endsAt, now }: RateWindow & { now: number }) =>
  db
    .insertInto('rateWindows')
    .values({ subject, requests, endsAt })
    .onConflict((conflict) =>
      conflict.column('subject').doUpdateSet(({ eb, ref }) => {
        const runs = eb('rateWindows.endsAt', '>', now);
        const sum = eb('rateWindows.requests', '+', ref('excluded.requests'));
        return {
          requests: eb.case().when(runs).then(sum).else(ref('excluded.requests')).end(),
          endsAt: eb.case().when(runs).then(ref('rateWindows.endsAt')).else(ref('excluded.endsAt')).end(),
        };
      }),
    )
    .returningAll(),
);

export class RateWindows {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** Counts requests in the running window, or in a new one when there is none at `now` (times in milliseconds). */
  async add(subject: string, requests: number, now: number, endsAt: number): Promise<RateWindow> {
    const [window] = await add(this.#db, { subject, requests, now, endsAt });
    return window!;
  }

  async find(subject: string): Promise<RateWindow | undefined> {
    return await this.#db.selectFrom('rateWindows').selectAll().where('subject', '=', subject).executeTakeFirst();
  }

  async delete(subject: string): Promise<void> {
    await this.#db.deleteFrom('rateWindows').where('subject', '=', subject).execute();
  }

  /** Removes windows that have ended. */
  async sweep(now: number): Promise<void> {
    await this.#db.deleteFrom('rateWindows').where('endsAt', '<=', now).execute();
  }
}
