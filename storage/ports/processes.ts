/** What the processes that work on one database agree on. */

/** A process that works on the database, as the others see it. */
export interface Presence {
  /** Frees what this process has claimed and reserved. */
  leave(): Promise<void>;
}

/** At most so many claims of a group are held at a time, by all processes together. */
export interface ClaimGroup {
  name: string;
  most: number;
}

/**
 * Claims on work that one process does at a time. A claim lasts until it is released or its process has ended. Within a
 * process, the caller makes sure that nothing is claimed twice.
 */
export interface Claims {
  /**
   * Claims something. With a group, must be called in a transaction.
   * @returns false if another process has it, or if the group is full
   */
  take(subject: string, group?: ClaimGroup): Promise<boolean>;
  release(subject: string): Promise<void>;
  /** Whether no other process works on the database. In a transaction, that stays so until its end. */
  isAlone(): Promise<boolean>;
}
