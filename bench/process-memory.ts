/** Memory of a process and its children, from Linux' /proc. Threads are part of their process. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

export interface ProcessMemory {
  /** Current resident memory, in bytes. */
  resident: number;
  /**
   * Peak resident memory, in bytes. For several processes it is the sum of their peaks, which may not have occurred at
   * once.
   */
  peak: number;
}

/** Parses the fields VmRSS and VmHWM of /proc/PID/status (proc_pid_status(5)), which are in KiB. */
export function parseStatus(status: string): ProcessMemory {
  const bytes = (field: string) => Number(new RegExp(`^${field}:\\s*(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) * 1024;
  return { resident: bytes('VmRSS'), peak: bytes('VmHWM') };
}

/** Lists a process with all its descendants. Only children started by their threads and not orphaned are found. */
function processTree(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    childrenOf(`/proc/${pid}/task/${thread}`).split(' ').filter(Boolean).map(Number),
  );
  return [pid, ...children.flatMap(processTree)];
}

/** A thread may end after it was listed. */
function childrenOf(thread: string): string {
  try {
    return readFileSync(`${thread}/children`, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}

/** Returns undefined on systems without /proc. */
export function memoryOf(pid: number): ProcessMemory | undefined {
  if (process.platform !== 'linux') return undefined;
  const members = processTree(pid).map((member) => parseStatus(readFileSync(`/proc/${member}/status`, 'utf8')));
  return {
    resident: members.reduce((sum, { resident }) => sum + resident, 0),
    peak: members.reduce((sum, { peak }) => sum + peak, 0),
  };
}

/** Resets the peak of each process of the tree to the current resident memory (proc_pid_clear_refs(5)). */
export function resetPeak(pid: number): void {
  if (process.platform !== 'linux') return;
  for (const member of processTree(pid)) writeFileSync(`/proc/${member}/clear_refs`, '5');
}
