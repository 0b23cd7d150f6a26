import type { Readable } from 'node:stream';
import type { Environment } from '../config.ts';

/** What a command may use of the process around it. */
export interface Io {
  env: Environment;
  /** Writes text to the standard output. */
  out(text: string): void;
  /** Writes text to the standard error. */
  err(text: string): void;
  /** Writes bytes to the standard output. */
  outBytes?(bytes: Uint8Array): void;
  /** The standard input. */
  readonly input?: Readable;
  /** Whether somebody sees the standard error as it is written. */
  isTerminal?: boolean;
  /** Whether the standard output is a terminal. */
  isOutTerminal?: boolean;
}

/** One record as one line of JSON. */
export function printRecord(io: Io, record: object): void {
  io.out(`${JSON.stringify(record)}\n`);
}
