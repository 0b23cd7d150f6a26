import type { RateWindow } from '../records/rate-windows.ts';

export interface RateWindows {
  /**
   * Counts requests in the current window, or in a new one when none is open at `now` (times in milliseconds). After
   * the clock was set back, a window lasts at most twice its length.
   */
  add(subject: string, requests: number, now: number, endsAt: number): Promise<RateWindow>;
  /** The latest window of a subject, even if it has ended. */
  read(subject: string): Promise<RateWindow | undefined>;
}
