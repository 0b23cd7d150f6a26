import { constants } from 'node:os';

export const FAILED = 1;
export const WRONG_USAGE = 2;

/** Exit status of a process that was ended by a signal, by the convention of shells (128 + signal number). */
export const signalExitStatus = (name: NodeJS.Signals): number => 128 + constants.signals[name];

/**
 * Ends this process as the signal does by default. Unlike `process.exit` this does not wait for calls of the file
 * system that never return. Returns only as process 1 of a container, for which the kernel ignores such signals.
 */
export function endBySignal(name: NodeJS.Signals): void {
  process.removeAllListeners(name);
  process.kill(process.pid, name);
}

/** Thrown by a command that has already printed its error. The process exits with this status. */
export class ExitStatus extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`exit status ${status}`);
    this.status = status;
  }
}
