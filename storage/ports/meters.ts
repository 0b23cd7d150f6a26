import type { Credits, Meter, MeterId, MeterLimits } from '../records/meters.ts';

/**
 * Counters of credits. A credit is reserved before the work and settled or released after it, so that no more work
 * begins than there are credits. Each change is one statement, which is atomic in every database.
 */
export interface Meters {
  read(id: MeterId): Promise<Meter>;
  /** Reserves credits. Returns false and changes nothing when they would exceed a limit. */
  reserve(id: MeterId, credits: Credits, limits: MeterLimits): Promise<boolean>;
  /**
   * Counts credits as used. Returns all used credits.
   * @param reserved whether they were reserved; then the reservation ends
   */
  settle(id: MeterId, credits: Credits, reserved: boolean): Promise<Credits>;
  /** Adds used and reserved credits to a meter. Returns its used credits. */
  change(id: MeterId, used: Credits, reserved: Credits): Promise<Credits>;
  /** Releases a reservation. */
  release(id: MeterId, credits: Credits): Promise<void>;
}
