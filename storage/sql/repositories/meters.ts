import type { Meters } from '../../ports/meters.ts';
import {
  type Credits,
  type Headroom,
  headroomFor,
  type Meter,
  type MeterId,
  type MeterLimits,
} from '../../records/meters.ts';
import { prepared } from '../prepared.ts';
import { Repository } from '../repository.ts';

type Change = MeterId & Credits;

const reserve = prepared((db, { subject, period, requests, ai, requestsRoom, aiRoom, totalRoom }: Change & Headroom) =>
  db
    .insertInto('meters')
    .values({ subject, period, reservedRequests: requests, reservedAi: ai })
    .onConflict((conflict) =>
      conflict
        .columns(['subject', 'period'])
        .doUpdateSet(({ eb, ref }) => ({
          reservedRequests: eb('meters.reservedRequests', '+', ref('excluded.reservedRequests')),
          reservedAi: eb('meters.reservedAi', '+', ref('excluded.reservedAi')),
        }))
        .where(({ eb, and, ref }) => {
          const held = {
            requests: eb('meters.requests', '+', ref('meters.reservedRequests')),
            ai: eb('meters.ai', '+', ref('meters.reservedAi')),
          };
          return and([
            eb(held.requests, '<=', requestsRoom),
            eb(held.ai, '<=', aiRoom),
            eb(eb(held.requests, '+', held.ai), '<=', totalRoom),
          ]);
        }),
    )
    .returning('subject'),
);

const settle = prepared((db, { subject, period, requests, ai, heldRequests, heldAi }: Change & Held) =>
  db
    .insertInto('meters')
    .values({ subject, period, requests, ai })
    .onConflict((conflict) =>
      conflict.columns(['subject', 'period']).doUpdateSet(({ eb, ref }) => ({
        requests: eb('meters.requests', '+', ref('excluded.requests')),
        ai: eb('meters.ai', '+', ref('excluded.ai')),
        reservedRequests: eb('meters.reservedRequests', '-', heldRequests),
        reservedAi: eb('meters.reservedAi', '-', heldAi),
      })),
    )
    .returning(['requests', 'ai']),
);

interface Held {
  heldRequests: number;
  heldAi: number;
}

interface Moved {
  movedRequests: number;
  movedAi: number;
}

const change = prepared((db, { subject, period, requests, ai, movedRequests, movedAi }: Change & Moved) =>
  db
    .insertInto('meters')
    .values({ subject, period, requests, ai, reservedRequests: movedRequests, reservedAi: movedAi })
    .onConflict((conflict) =>
      conflict.columns(['subject', 'period']).doUpdateSet(({ eb, ref }) => ({
        requests: eb('meters.requests', '+', ref('excluded.requests')),
        ai: eb('meters.ai', '+', ref('excluded.ai')),
        reservedRequests: eb('meters.reservedRequests', '+', ref('excluded.reservedRequests')),
        reservedAi: eb('meters.reservedAi', '+', ref('excluded.reservedAi')),
      })),
    )
    .returning(['requests', 'ai']),
);

const release = prepared((db, { subject, period, requests, ai }: Change) =>
  db
    .updateTable('meters')
    .set(({ eb }) => ({
      reservedRequests: eb('reservedRequests', '-', requests),
      reservedAi: eb('reservedAi', '-', ai),
    }))
    .where('subject', '=', subject)
    .where('period', '=', period),
);

const read = prepared((db, { subject, period }: MeterId) =>
  db
    .selectFrom('meters')
    .select(['requests', 'ai', 'reservedRequests', 'reservedAi'])
    .where('subject', '=', subject)
    .where('period', '=', period),
);

const UNUSED: Meter = { requests: 0, ai: 0, reservedRequests: 0, reservedAi: 0 };

export class SqlMeters extends Repository implements Meters {
  async read(id: MeterId): Promise<Meter> {
    const [meter = UNUSED] = await read(this.db, id);
    return meter;
  }

  async reserve(id: MeterId, credits: Credits, limits: MeterLimits): Promise<boolean> {
    const room = headroomFor(credits, limits);
    // The statement's condition applies only to an existing row, so a new meter is checked here.
    if (Math.min(...Object.values(room)) < 0) return false;
    return (await reserve(this.db, { ...id, ...credits, ...room })).length > 0;
  }

  async settle(id: MeterId, credits: Credits, reserved: boolean): Promise<Credits> {
    const held = reserved ? credits : { requests: 0, ai: 0 };
    const [used] = await settle(this.db, { ...id, ...credits, heldRequests: held.requests, heldAi: held.ai });
    return used!;
  }

  async change(id: MeterId, used: Credits, reserved: Credits): Promise<Credits> {
    const moved = { movedRequests: reserved.requests, movedAi: reserved.ai };
    const [total] = await change(this.db, { ...id, ...used, ...moved });
    return total!;
  }

  async release(id: MeterId, credits: Credits): Promise<void> {
    await release(this.db, { ...id, ...credits });
  }
}
