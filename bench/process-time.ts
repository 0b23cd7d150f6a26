/** Processor time of a process with its threads, from Linux' /proc. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseTicks } from '../engine/thread-time.ts';

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** User and system time, including threads that have ended. */
export function processorSeconds(pid: number): number {
  return parseTicks(readFileSync(`/proc/${pid}/stat`, 'utf8')) / TICKS_PER_SECOND;
}
