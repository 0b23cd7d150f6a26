/** A task as the queue sees it. */
import type { Lane, TaskName } from './task.ts';

/** Who a task is for. Accounts take turns, and so do the keys of one account. */
export interface Owner {
  account: string;
  key: string;
}

export interface Ticket {
  lane: Lane;
  name: TaskName;
  /** Undefined for the command line and the service itself, which nobody needs protection from. */
  owner: Owner | undefined;
  bytes: number;
  pixels: number;
  /** Estimated memory for decoded pictures while it runs. */
  heldBytes: number;
  /** The part of it that lies outside of the memory of libvips, which its worker may have grown before. */
  bufferBytes: number;
  /** Estimated processor time, in milliseconds. */
  costMs: number;
}
