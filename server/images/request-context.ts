/** Common code of all requests with an image, over REST or MCP: their state, credits and engine tasks. */
import type { Phases } from '../../engine/result.ts';
import type { Lane, TaskInput, TaskName } from '../../engine/task.ts';
import { type TimedTask, timedTask } from '../../engine/timed-task.ts';
import type { Reservation } from '../account/ledger.ts';
import { ownerOf } from '../account/owner.ts';
import { clientSignal } from '../http/cancel.ts';
import type { Caller, Context, RequestRecord } from '../http/context.ts';
import type { MemoryReservation } from '../http/uploads.ts';
import type { ImageServices } from './services.ts';

/** The state of a request that a client waits for. */
export interface RequestWork<S extends ImageServices = ImageServices> {
  services: S;
  caller: Caller;
  /** Aborts when the client no longer waits. */
  signal: AbortSignal;
  room: MemoryReservation;
  /** Data for the log line and the metrics. */
  record: RequestRecord;
}

/** The state of one REST request. */
export interface RequestContext<S extends ImageServices = ImageServices> extends RequestWork<S> {
  ctx: Context;
}

/** Handles a request. Its memory for uploads and results is released when the response is closed. */
export async function withRequestContext<S extends ImageServices>(
  ctx: Context,
  services: S,
  caller: Caller,
  work: (exchange: RequestContext<S>) => Promise<void>,
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
    // If the client has disconnected, report that instead of the error.
    exchange.signal.throwIfAborted();
    throw error;
  }
}

/**
 * Runs work on reserved credits. Charges them when the response is complete, and releases them if the work fails.
 * @param work resolves to the bytes of the result, when the response is ready to be sent
 */
export async function withReservation(
  { record, signal }: RequestWork,
  credit: Reservation,
  work: () => Promise<number>,
): Promise<void> {
  const bytesIn = record.bytesIn ?? 0;
  try {
    const bytesOut = await work();
    signal.throwIfAborted();
    // Charge only now: from here on the result counts as delivered.
    await credit.charge({ bytesIn, bytesOut });
  } catch (error) {
    // If the release fails too, report the first error.
    await credit.release(bytesIn).catch(() => {});
    throw error;
  }
}

/** The data of a result for the log line. */
export interface Summary {
  /** Pixels of the source. */
  pixels: number;
  outcome?: string;
  phases: Phases;
}

/** Adds the data of a task to the request's record. */
export function recordResult({ record }: RequestWork, { phases, ...facts }: Summary): void {
  Object.assign(record, facts);
  Object.assign(record.phases, phases);
}

/** Runs a task and records how long it waited. Releases the memory for uploads as soon as the engine has the files. */
export async function runTask<N extends TaskName>(
  { record, services, caller, room, signal }: RequestWork,
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
  // The engine counts the bytes from here on.
  room.release();
  return await running;
}
