/** Calendar periods in UTC over which credits are counted (docs/spec/shapes.md, section 14). */

export interface Period {
  /** `2026-11` or `2026-11-21`. */
  id: string;
  /** In milliseconds. The end is the start of the next period. */
  start: number;
  end: number;
}

export function monthOf(time: number): Period {
  const date = new Date(time);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return { id: date.toISOString().slice(0, 7), start: Date.UTC(year, month), end: Date.UTC(year, month + 1) };
}

const DAY_MS = 24 * 3600 * 1000;

export function dayOf(time: number): Period {
  const start = time - (time % DAY_MS);
  return { id: new Date(time).toISOString().slice(0, 10), start, end: start + DAY_MS };
}

/** Whole seconds until a time, rounded up, so that waiting that long is never too short. */
export const secondsUntil = (moment: number, now: number): number => Math.max(0, Math.ceil((moment - now) / 1000));
