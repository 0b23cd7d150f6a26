import { constants } from 'node:os';

export const FAILED = 1;
export const WRONG_USAGE = 2;

/** Exit status of a process that was ended by a signal, by the convention of shells (128 + signal number). */
export const signalExitStatus = (name: NodeJS.Signals): number => 128 + constants.signals[name];

/** Thrown by a command that has already printed its error. The process exits with this status. */
export class ExitStatus extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`exit status ${status}`);
    this.status = status;
  }
}
