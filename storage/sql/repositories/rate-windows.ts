import type { RateWindows } from '../../ports/rate-windows.ts';
import type { RateWindow } from '../../records/rate-windows.ts';
import { prepared } from '../prepared.ts';
import { Repository } from '../repository.ts';

interface Bounds {
  now: number;
  /** A window that ends later began before the clock was set back. */
  latestEnd: number;
}

const add = prepared((db, { subject, requests, endsAt, now, latestEnd }: RateWindow & Bounds) =>
  db
    .insertInto('rateWindows')
    .values({ subject, requests, endsAt })
    .onConflict((conflict) =>
      conflict.column('subject').doUpdateSet(({ eb, and, ref }) => {
        const runs = and([eb('rateWindows.endsAt', '>', now), eb('rateWindows.endsAt', '<=', latestEnd)]);
        const sum = eb('rateWindows.requests', '+', ref('excluded.requests'));
        return {
          requests: eb.case().when(runs).then(sum).else(ref('excluded.requests')).end(),
          endsAt: eb.case().when(runs).then(ref('rateWindows.endsAt')).else(ref('excluded.endsAt')).end(),
        };
      }),
    )
    .returningAll(),
);

const read = prepared((db, { subject }: Pick<RateWindow, 'subject'>) =>
  db.selectFrom('rateWindows').selectAll().where('subject', '=', subject),
);

export class SqlRateWindows extends Repository implements RateWindows {
  async add(subject: string, requests: number, now: number, endsAt: number): Promise<RateWindow> {
    const [window] = await add(this.db, { subject, requests, now, endsAt, latestEnd: 2 * endsAt - now });
    return window!;
  }

  async read(subject: string): Promise<RateWindow | undefined> {
    const [window] = await read(this.db, { subject });
    return window;
  }
}
