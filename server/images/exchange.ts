/** What every request that brings an image has in common, whichever way it comes: what belongs to it, its credit, its time on the engine. */
import type { Phases } from '../../engine/result.ts';
import type { Lane, TaskInput, TaskName } from '../../engine/task.ts';
import type { Reservation } from '../account/ledger.ts';
import { ownerOf } from '../account/owner.ts';
import { clientSignal } from '../http/cancel.ts';
import type { Caller, Context, RequestRecord } from '../http/context.ts';
import type { Services } from '../http/endpoint.ts';
import type { UploadRoom } from '../http/uploads.ts';
import { type TimedTask, timedTask } from './timed-task.ts';

/** Work that somebody waits for, with what belongs to it. */
export interface Work {
  services: Services;
  caller: Caller;
  /** Fires when nobody waits any more. */
  signal: AbortSignal;
  room: UploadRoom;
  /** What is noted of it. */
  record: RequestRecord;
}

/** The work of one request of the REST interface. */
export interface Exchange extends Work {
  ctx: Context;
}

/** Answers a request; what it holds of the memory for uploads and results is free when the answer has gone. */
export async function withExchange(
  ctx: Context,
  services: Services,
  caller: Caller,
  work: (exchange: Exchange) => Promise<void>,
): Promise<void> {
  const { record } = ctx.state;
  const exchange = {
    ctx,
    services,
    caller,
    signal: clientSignal(ctx.res),
    room: services.uploads.open(caller.account.id),
    record,
  };
  try {
    await work(exchange);
    ctx.res.once('close', () => exchange.room.release());
  } catch (error) {
    exchange.room.release();
    // Whatever it is, nobody is left to be told.
    exchange.signal.throwIfAborted();
    throw error;
  }
}

/**
 * Does work on credits that are set aside: charges them when the answer is complete, gives them back when it never is.
 * @param work resolves to the bytes of the result, when the answer is complete but for its way to the client
 */
export async function onCredit(
  { record, signal }: Work,
  credit: Reservation,
  work: () => Promise<number>,
): Promise<void> {
  const bytesIn = record.bytesIn ?? 0;
  try {
    const bytesOut = await work();
    signal.throwIfAborted();
    // From here on it has been delivered.
    await credit.charge({ bytesIn, bytesOut });
  } catch (error) {
    // Whatever keeps it from being noted, the first failure is the one to tell.
    await credit.release(bytesIn).catch(() => {});
    throw error;
  }
}

/** What the log line says of a result. */
export interface Summary {
  /** Of the source. */
  pixels: number;
  outcome?: string;
  phases: Phases;
}

/** Notes what became of a task. */
export function noteResult({ record }: Work, { phases, ...facts }: Summary): void {
  Object.assign(record, facts);
  Object.assign(record.phases, phases);
}

/** Runs a task and notes how long it waited. The memory for uploads is free as soon as the engine has the files. */
export async function runTask<N extends TaskName>(
  { record, services, caller, room, signal }: Work,
  task: N,
  input: TaskInput<N>,
  lane: Lane,
): Promise<TimedTask<N>> {
  const running = timedTask(services.engine, task, input, {
    signal,
    lane,
    owner: ownerOf(caller),
    onStart: (waitedMs) => {
      record.phases.queue = waitedMs;
    },
  });
  // The engine accounts for the bytes from here on.
  room.release();
  return await running;
}
