/** Measures the processor time of several functions in one process. */

/**
 * Runs the functions in turns.
 * @returns the shortest run of each, in milliseconds
 */
export async function minProcessorTime(works: readonly (() => unknown)[], runs: number): Promise<number[]> {
  const times = works.map(() => Number.POSITIVE_INFINITY);
  for (let run = 0; run < runs; run += 1)
    for (const [index, work] of works.entries()) {
      const before = process.cpuUsage();
      await work();
      const { user, system } = process.cpuUsage(before);
      times[index] = Math.min(times[index]!, (user + system) / 1000);
    }
  return times;
}
