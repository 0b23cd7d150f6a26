/** Processor time of single threads of this process, which Linux reports in files (proc(5)). */
import { closeSync, openSync, readSync } from 'node:fs';
import { systemThreadId } from '../base/system-thread-id.ts';
import type { Meter } from './time-division.ts';

/** Processor time of a thread since it started, in milliseconds; undefined if it has ended. */
export type ThreadClock = (id: number) => number | undefined;

/** The files, with their parsers. The scheduler updates them at each of its ticks, and when the thread waits. */
const COUNTERS: Readonly<Record<string, (content: string) => number>> = {
  // Nanoseconds on a processor, then time in the queue. All zero if the kernel does not count (sched-stats.rst).
  schedstat: (content) => Number(content.split(' ', 1)[0]) / 1e6,
  // A tick is 10 ms on every system that Node supports.
  stat: (content) => parseTicks(content) * 10,
};

/** Fields utime and stime of a file `stat` (proc_pid_stat(5)), in ticks. The name before them may contain spaces. */
export function parseTicks(stat: string): number {
  const [utime, stime] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return utime! + stime!;
}

/** @returns undefined if the system does not report the time of threads */
export function findThreadClock(folder = '/proc/self/task'): ThreadClock | undefined {
  const ownId = systemThreadId();
  if (ownId === undefined) return undefined;
  return Object.entries(COUNTERS)
    .map(([name, parse]) => (id: number) => {
      const content = readStart(`${folder}/${id}/${name}`);
      return content === undefined ? undefined : parse(content);
    })
    .find((clock) => (clock(ownId) ?? 0) > 0);
}

const buffer = Buffer.alloc(1024);

/** Three system calls, 3 µs; readFileSync takes 9 µs. */
function readStart(path: string): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    return buffer.toString('latin1', 0, readSync(file, buffer, 0, buffer.length, 0));
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Measures the processor time of threads from now on. @param ids may grow */
export function measureThreads(clock: ThreadClock, ids: () => readonly number[]): Meter {
  const last = new Map(ids().map((id) => [id, clock(id) ?? 0]));
  let usedMs = 0;
  return {
    usedMs() {
      for (const id of ids()) {
        const before = last.get(id) ?? 0;
        const now = Math.max(before, clock(id) ?? 0);
        usedMs += now - before;
        last.set(id, now);
      }
      return usedMs;
    },
  };
}
