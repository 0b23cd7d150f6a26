import type { Readable, Writable } from 'node:stream';
import type { Environment } from '../server/config.ts';

/** What a command may use of its process. */
export interface Io {
  env: Environment;
  /** Writes text to the standard output. */
  out(text: string): void;
  /** Writes text to the standard error. */
  err(text: string): void;
  /** Writes bytes to the standard output. */
  outBytes?(bytes: Uint8Array): void;
  /** The standard output, for streams: it tells when it takes no more. */
  readonly output?: Writable;
  /** The standard input. */
  readonly input?: Readable;
  /** Whether standard error is a terminal. */
  isTerminal?: boolean;
  /** Whether the standard output is a terminal. */
  isOutTerminal?: boolean;
}

/** Prints a record as one line of JSON. */
export function printRecord(io: Io, record: object): void {
  io.out(`${JSON.stringify(record)}\n`);
}
