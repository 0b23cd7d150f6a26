export const FAILED = 1;
export const WRONG_USAGE = 2;
/** Of a process that was told to stop (128 and the number of SIGINT). */
export const INTERRUPTED = 130;

/** Thrown by a command that has said what happened: the process ends with its status. */
export class ExitStatus extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`exit status ${status}`);
    this.status = status;
  }
}
