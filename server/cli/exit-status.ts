import { constants } from 'node:os';

export const FAILED = 1;
export const WRONG_USAGE = 2;

/** Of a process that a signal has ended, as shells say it. */
export const statusOfSignal = (name: NodeJS.Signals): number => 128 + constants.signals[name];

/** Thrown by a command that has said what happened: the process ends with its status. */
export class ExitStatus extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`exit status ${status}`);
    this.status = status;
  }
}
