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

export interface Meter extends Credits {
  reservedRequests: number;
  reservedAi: number;
}

/** Stands for no limit, so that one statement serves all cases. */
const UNBOUNDED = Number.MAX_SAFE_INTEGER;

/** The maximum of used and reserved credits before the new credits are added. */
export type Headroom = { [K in keyof MeterLimits as `${K}Room`]: number };

export function headroomFor({ requests, ai }: Credits, limits: MeterLimits): Headroom {
  return {
    // An allowance from which no credits are taken refuses nothing, even when it is used up.
    requestsRoom: limits.requests === null || requests === 0 ? UNBOUNDED : limits.requests - requests,
    aiRoom: limits.ai === null || ai === 0 ? UNBOUNDED : limits.ai - ai,
    totalRoom: limits.total === null ? UNBOUNDED : limits.total - requests - ai,
  };
}

/** Whether credits could be reserved on a meter. */
export function hasCredits(meter: Meter, credits: Credits, limits: MeterLimits): boolean {
  const requests = meter.requests + meter.reservedRequests;
  const ai = meter.ai + meter.reservedAi;
  const { requestsRoom, aiRoom, totalRoom } = headroomFor(credits, limits);
  return requests <= requestsRoom && ai <= aiRoom && requests + ai <= totalRoom;
}
