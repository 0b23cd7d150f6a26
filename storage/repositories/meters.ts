import type { Kysely } from 'kysely';
import { prepared } from '../prepared.ts';
import type { Tables } from '../schema.ts';

/** Credits of the two allowances. */
export interface Credits {
  requests: number;
  ai: number;
}

/** What is counted: the credits of an account or a key in a month (`2026-11`) or on a day (`2026-11-21`). */
export interface MeterId {
  subject: string;
  period: string;
}

/** Bounds of what is used and reserved together; null is none. */
export interface MeterLimits {
  requests: number | null;
  ai: number | null;
  /** Of both allowances together. */
  total: number | null;
}

type Change = MeterId & Credits;

/** Where there is no bound; the same statement serves all. */
const UNBOUNDED = Number.MAX_SAFE_INTEGER;

/** The most that may be in use and reserve before the credits are added. */
type Room = { [K in keyof MeterLimits as `${K}Room`]: number };

function roomFor({ requests, ai }: Credits, limits: MeterLimits): Room {
  return {
    // An allowance that is not drawn upon refuses nothing, even when it is used up.
    requestsRoom: limits.requests === null || requests === 0 ? UNBOUNDED : limits.requests - requests,
    aiRoom: limits.ai === null || ai === 0 ? UNBOUNDED : limits.ai - ai,
    totalRoom: limits.total === null ? UNBOUNDED : limits.total - requests - ai,
  };
}

const reserve = prepared((db, { subject, period, requests, ai, requestsRoom, aiRoom, totalRoom }: Change & Room) =>
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

export interface Meter extends Credits {
  reservedRequests: number;
  reservedAi: number;
}

const UNUSED: Meter = { requests: 0, ai: 0, reservedRequests: 0, reservedAi: 0 };

/** Whether credits could be set aside on a meter. */
export function hasRoom(meter: Meter, credits: Credits, limits: MeterLimits): boolean {
  const requests = meter.requests + meter.reservedRequests;
  const ai = meter.ai + meter.reservedAi;
  const { requestsRoom, aiRoom, totalRoom } = roomFor(credits, limits);
  return requests <= requestsRoom && ai <= aiRoom && requests + ai <= totalRoom;
}

/**
 * Counters of credits. A credit is reserved before the work and either settled or released after it, so that no more work
 * begins than there are credits for. Each change is one statement, which is atomic in every database.
 */
export class Meters {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async read(id: MeterId): Promise<Meter> {
    const [meter = UNUSED] = await read(this.#db, id);
    return meter;
  }

  /** Sets credits aside. False, and nothing is changed, where they would pass a limit. */
  async reserve(id: MeterId, credits: Credits, limits: MeterLimits): Promise<boolean> {
    const room = roomFor(credits, limits);
    // The statement bounds what is there already; a meter that is not yet there has no row to look at.
    if (Math.min(...Object.values(room)) < 0) return false;
    return (await reserve(this.#db, { ...id, ...credits, ...room })).length > 0;
  }

  /**
   * Counts credits as used; returns all that are.
   * @param reserved whether they were reserved, so that the reservation ends
   */
  async settle(id: MeterId, credits: Credits, reserved: boolean): Promise<Credits> {
    const held = reserved ? credits : { requests: 0, ai: 0 };
    const [used] = await settle(this.#db, { ...id, ...credits, heldRequests: held.requests, heldAi: held.ai });
    return used!;
  }

  /** Adds used and reserved credits to a meter; returns its used credits. */
  async change(id: MeterId, used: Credits, reserved: Credits): Promise<Credits> {
    const moved = { movedRequests: reserved.requests, movedAi: reserved.ai };
    const [total] = await change(this.#db, { ...id, ...used, ...moved });
    return total!;
  }

  /** Gives a reservation back. */
  async release(id: MeterId, credits: Credits): Promise<void> {
    await release(this.#db, { ...id, ...credits });
  }

  /** At the start, when nobody works: gives back what a killed process has held. */
  async releaseAll(): Promise<void> {
    await this.#db
      .updateTable('meters')
      .set({ reservedRequests: 0, reservedAi: 0 })
      .where(({ eb, or }) => or([eb('reservedRequests', '<>', 0), eb('reservedAi', '<>', 0)]))
      .execute();
  }
}
