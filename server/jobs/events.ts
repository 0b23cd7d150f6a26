/** `accepted` and `ended` happen once; `started` again after each start of the process; `item` when an item has ended. */
export type JobEvent =
  | { type: 'accepted' | 'started' | 'ended'; jobId: string }
  | { type: 'item'; jobId: string; position: number };
