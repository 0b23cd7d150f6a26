/** A task in the queue. */
import type { Lane, TaskName } from './task.ts';

/** Whom a task is for. Accounts share the processor time fairly, and so do the keys of one account. */
export interface Owner {
  account: string;
  key: string;
}

export interface Ticket {
  lane: Lane;
  name: TaskName;
  /** Undefined for the command line and the service itself, whose tasks need no fair share. */
  owner: Owner | undefined;
  bytes: number;
  pixels: number;
  /** Estimated memory for decoded images while it runs, in bytes. */
  heldBytes: number;
  /**
   * The part of it that is not in libvips' memory. A worker may already have grown libvips' memory for earlier tasks.
   */
  bufferBytes: number;
  /** Estimated processor time, in milliseconds. */
  costMs: number;
}
