import type { Kysely } from 'kysely';
import { prepared } from '../prepared.ts';
import type { Tables } from '../schema.ts';

/** Credits of the two allowances. */
export interface Credits {
  requests: number;
  ai: number;
}

/** Identifies a meter: the credits of an account or a key in a month (`2026-11`) or on a day (`2026-11-21`). */
export interface MeterId {
  subject: string;
  period: string;
}

/** Limits for used and reserved credits together; null for no limit. */
export interface MeterLimits {
  requests: number | null;
  ai: number | null;
  /** Limit for both allowances together. */
  total: number | null;
}

type Change = MeterId & Credits;

/** Stands for no limit, so that one statement serves all cases. */
const UNBOUNDED = Number.MAX_SAFE_INTEGER;

/** The maximum of used and reserved credits before the new credits are added. */
type Headroom = { [K in keyof MeterLimits as `${K}Room`]: number };

function headroomFor({ requests, ai }: Credits, limits: MeterLimits): Headroom {
  return {
    // An allowance from which no credits are taken refuses nothing, even when it is used up.
    requestsRoom: limits.requests === null || requests === 0 ? UNBOUNDED : limits.requests - requests,
    aiRoom: limits.ai === null || ai === 0 ? UNBOUNDED : limits.ai - ai,
    totalRoom: limits.total === null ? UNBOUNDED : limits.total - requests - ai,
  };
}

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

export interface Meter extends Credits {
  reservedRequests: number;
  reservedAi: number;
}

const UNUSED: Meter = { requests: 0, ai: 0, reservedRequests: 0, reservedAi: 0 };

/** Whether credits could be reserved on a meter. */
export function hasCredits(meter: Meter, credits: Credits, limits: MeterLimits): boolean {
  const requests = meter.requests + meter.reservedRequests;
  const ai = meter.ai + meter.reservedAi;
  const { requestsRoom, aiRoom, totalRoom } = headroomFor(credits, limits);
  return requests <= requestsRoom && ai <= aiRoom && requests + ai <= totalRoom;
}

/**
 * Counters of credits. A credit is reserved before the work and settled or released after it, so that no more work
 * begins than there are credits. Each change is one statement, which is atomic in every database.
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

  /** Reserves credits. Returns false and changes nothing when they would exceed a limit. */
  async reserve(id: MeterId, credits: Credits, limits: MeterLimits): Promise<boolean> {
    const room = headroomFor(credits, limits);
    // The statement's condition applies only to an existing row, so a new meter is checked here.
    if (Math.min(...Object.values(room)) < 0) return false;
    return (await reserve(this.#db, { ...id, ...credits, ...room })).length > 0;
  }

  /**
   * Counts credits as used. Returns all used credits.
   * @param reserved whether they were reserved; then the reservation ends
   */
  async settle(id: MeterId, credits: Credits, reserved: boolean): Promise<Credits> {
    const held = reserved ? credits : { requests: 0, ai: 0 };
    const [used] = await settle(this.#db, { ...id, ...credits, heldRequests: held.requests, heldAi: held.ai });
    return used!;
  }

  /** Adds used and reserved credits to a meter. Returns its used credits. */
  async change(id: MeterId, used: Credits, reserved: Credits): Promise<Credits> {
    const moved = { movedRequests: reserved.requests, movedAi: reserved.ai };
    const [total] = await change(this.#db, { ...id, ...used, ...moved });
    return total!;
  }

  /** Releases a reservation. */
  async release(id: MeterId, credits: Credits): Promise<void> {
    await release(this.#db, { ...id, ...credits });
  }

  /** Runs at startup, when nothing else runs: releases the reservations of a killed process. */
  async releaseAll(): Promise<void> {
    await this.#db
      .updateTable('meters')
      .set({ reservedRequests: 0, reservedAi: 0 })
      .where(({ eb, or }) => or([eb('reservedRequests', '<>', 0), eb('reservedAi', '<>', 0)]))
      .execute();
  }
}
