/** Browsers replace shorter delays by 100 ms. */
const MIN_DELAY_CS = 2;
/** Maximum of the 16-bit field. */
export const MAX_DELAY_CS = 65_535;

/**
 * Converts delays to hundredths of a second, 2 to 65535 each. Rounding errors are carried over to the next frame, so
 * that the total does not drift.
 * @param delays milliseconds
 */
export function centiseconds(delays: readonly number[]): number[] {
  const inside = (time: number) => Math.min(Math.max(time, MIN_DELAY_CS), MAX_DELAY_CS);
  let exact = 0;
  let rounded = 0;
  return delays.map((delay) => {
    exact += inside(delay / 10);
    const time = inside(Math.round(exact) - rounded);
    rounded += time;
    return time;
  });
}
