/** One process of {@link file://./operations.ts}: one contender repeats one operation. */
import { readFile } from 'node:fs/promises';
import { answer } from './fresh-process.ts';
import { prepareInput } from './inputs.ts';
import { type ContenderName, operationNamed } from './operation-peers.ts';

export interface OperationRun {
  /** Milliseconds of each request. */
  times: number[];
  /** Size of the result. */
  bytes: number;
}

const WARM_UP = 1;

interface Order {
  operation: string;
  contender: ContenderName;
  requests: number;
}

await answer<Order, OperationRun | null>(async ({ operation, contender, requests }) => {
  const { input, peers } = operationNamed(operation);
  const { path } = await prepareInput(input);
  const start = peers[contender];
  if (!start) return null;
  const { job, close } = await start(path);
  const source = new Uint8Array(await readFile(path));
  const times: number[] = [];
  let bytes = 0;
  for (let n = -WARM_UP; n < requests; n += 1) {
    const startedAt = performance.now();
    bytes = await job(source);
    if (n >= 0) times.push(performance.now() - startedAt);
  }
  await close?.();
  return { times, bytes };
});
