/** Browsers show anything shorter for 100 ms. */
const SHORTEST = 2;
/** What 16 bits hold. */
export const LONGEST_DELAY = 65_535;

/**
 * Times in hundredths of a second, 2 to 65535 each. What rounding takes from one frame the next gets, so that the whole
 * does not drift.
 * @param delays milliseconds
 */
export function centiseconds(delays: readonly number[]): number[] {
  const inside = (time: number) => Math.min(Math.max(time, SHORTEST), LONGEST_DELAY);
  let exact = 0;
  let rounded = 0;
  return delays.map((delay) => {
    exact += inside(delay / 10);
    const time = inside(Math.round(exact) - rounded);
    rounded += time;
    return time;
  });
}
