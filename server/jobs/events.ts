/** `accepted` and `ended` happen once per job, `started` once per process start, and `item` when an item has ended. */
export type JobEvent =
  | { type: 'accepted' | 'started' | 'ended'; jobId: string }
  | { type: 'item'; jobId: string; position: number };
