/** Memory of a process and its children, from Linux' /proc. Threads are part of their process. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

export interface ProcessMemory {
  /** Resident now, in bytes. */
  resident: number;
  /** The most that was resident at any time, in bytes; of several processes the sum, which they may not have reached at once. */
  peak: number;
}

/** Fields VmRSS and VmHWM of /proc/PID/status (proc_pid_status(5)), which counts in KiB. */
export function parseStatus(status: string): ProcessMemory {
  const bytes = (field: string) => Number(new RegExp(`^${field}:\\s*(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) * 1024;
  return { resident: bytes('VmRSS'), peak: bytes('VmHWM') };
}

/** A process with all its descendants. Only those that a thread of theirs started and that have not been orphaned. */
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

/** Answers nothing on systems without /proc. */
export function memoryOf(pid: number): ProcessMemory | undefined {
  if (process.platform !== 'linux') return undefined;
  const members = processTree(pid).map((member) => parseStatus(readFileSync(`/proc/${member}/status`, 'utf8')));
  return {
    resident: members.reduce((sum, { resident }) => sum + resident, 0),
    peak: members.reduce((sum, { peak }) => sum + peak, 0),
  };
}

/** Sets the peak of each process of the tree to what is resident now (proc_pid_clear_refs(5)). */
export function resetPeak(pid: number): void {
  if (process.platform !== 'linux') return;
  for (const member of processTree(pid)) writeFileSync(`/proc/${member}/clear_refs`, '5');
}
