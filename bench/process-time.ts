/** Processor time of a process, from Linux' /proc. Its threads are part of it. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** Fields utime and stime of /proc/PID/stat (proc_pid_stat(5)), in ticks. The name before them may hold spaces. */
export function parseTicks(stat: string): number {
  const [utime, stime] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return utime! + stime!;
}

/** User and system time, including threads that have ended. */
export function processorSeconds(pid: number): number {
  return parseTicks(readFileSync(`/proc/${pid}/stat`, 'utf8')) / TICKS_PER_SECOND;
}
