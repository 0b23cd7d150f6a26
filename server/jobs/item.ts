/**
 * Processes one image of a job, from its source to the transaction
 * that stores its result, its charge and its end together.
 */

import { timestamp } from '../../base/timestamp.ts';
import type { StoredStep } from '../../engine/pipeline/parse.ts';
import type { SourceFile } from '../../engine/task.ts';
import type { Repositories } from '../../storage/ports/database.ts';
import type { Job, JobItem } from '../../storage/records/jobs.ts';
import type { Cost } from '../account/credits.ts';
import type { Traffic } from '../account/ledger.ts';
import type { Caller } from '../http/context.ts';
import type { MemoryReservation } from '../http/uploads.ts';
import { endIfComplete } from './end.ts';
import { accountDisabled } from './errors.ts';
import type { ItemResult } from './record.ts';
import type { JobServices } from './services.ts';
import { JobSources } from './sources.ts';
import type { WorkLock } from './work-lock.ts';

/** An image and how to process it. */
export interface ItemTask {
  caller: Caller;
  job: Job;
  image: SourceFile;
  watermark?: SourceFile;
  /** Number of the image in its job, from 1. */
  index: number;
  signal: AbortSignal;
  /** Called when the engine starts to count the bytes. */
  onAdmitted: () => void;
  /** Called whenever a worker starts a task of the image. */
  onStart: () => void;
}

/** A result that has not been charged yet. Call either `charge` or `release`. */
export interface ExecutedItem {
  data: ArrayBuffer;
  description: Omit<ItemResult, 'expires_at' | 'sha256'>;
  originalBytes: number;
  cost: Cost;
  charge(traffic: Traffic, inTransaction: (repositories: Repositories) => Promise<void>): Promise<void>;
  release(bytesIn: number): Promise<void>;
}

export type ExecuteItem = (order: ItemTask) => Promise<ExecutedItem>;

/** The services that items use. */
export type ItemServices = Pick<
  JobServices,
  'database' | 'results' | 'jobs' | 'outgoing' | 'uploads' | 'plans' | 'now' | 'baseUrl'
>;

/** This process no longer holds the item: its job was cancelled, or its lease has expired and been taken over. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** The phases of an item: waiting for its source; waiting for a worker and being processed; being stored. */
export type ItemPhase = 'source' | 'work' | 'keep';

export interface ItemWork {
  job: Job;
  item: JobItem;
  signal: AbortSignal;
  lock: WorkLock;
  /** Called when a phase begins. */
  onPhase: (phase: ItemPhase) => void;
  /** Called whenever a worker starts a task of the item. */
  onStart: () => void;
}

export interface ItemEnd {
  /** Whether the job ended with this item. */
  jobEnded: boolean;
  bytesIn: number;
  bytesOut: number;
  outcome: string;
}

/**
 * Processes one image and stores its result.
 * @throws Failure of the image or of the service; LeaseLost, in which case nothing was stored; the reason of the signal
 */
export async function runItem(work: ItemWork, services: ItemServices, execute: ExecuteItem): Promise<ItemEnd> {
  const { job, item, signal, lock, onStart } = work;
  const room = services.uploads.open();
  try {
    const caller = await callerOf(job, services);
    const image = await readSource(work, caller, room, services);
    const watermark = await readWatermark(job, room, image, services);
    work.onPhase('work');
    const bytesIn = image.data.byteLength;
    const order = { caller, job, image, ...(watermark && { watermark }), index: item.position + 1, signal, onStart };
    const leave = await lock.enter(item.attempts > 0, signal);
    const executed = await execute({ ...order, onAdmitted: () => room.release() }).finally(leave);
    try {
      signal.throwIfAborted();
      work.onPhase('keep');
      return await storeResult(work, executed, bytesIn, services);
    } catch (error) {
      await executed.release(bytesIn).catch(() => {});
      throw error;
    }
  } finally {
    room.release();
  }
}

async function callerOf({ accountId, keyId }: Job, { database }: ItemServices): Promise<Caller> {
  const account = await database.accounts.find(accountId);
  const key = await database.keys.find(keyId, accountId);
  // A key revoked since then is no reason to fail: the job was accepted, and its owner can cancel it.
  if (!account || account.disabled || !key) throw accountDisabled();
  return { account, key };
}

async function readSource(
  { item, signal }: ItemWork,
  { account, key }: Caller,
  room: MemoryReservation,
  { outgoing, jobs, plans }: ItemServices,
): Promise<SourceFile> {
  const maxBytes = plans.fileLimitBytes(account, key);
  const reserve = (bytes: number) => room.reserve(bytes);
  if (item.sourceKind === 'url') {
    const { data, filename } = await outgoing.fetchImage(item.source, { maxBytes, signal, reserve });
    return { data, ...(filename === undefined ? {} : { filename }) };
  }
  const data = await jobs.sources.read(item.source, reserve);
  return { data, ...(item.filename === null ? {} : { filename: item.filename }) };
}

/** Reads the image of a watermark step, if the job has one. */
async function readWatermark(
  { id, steps }: Job,
  room: MemoryReservation,
  { data: image }: SourceFile,
  { jobs }: ItemServices,
): Promise<SourceFile | undefined> {
  const sent = JSON.parse(steps) as StoredStep[];
  if (!sent.some(({ op, params }) => op === 'watermark' && params.logo === true)) return undefined;
  const name = JobSources.watermarkOf(id);
  return { data: await jobs.sources.read(name, (bytes) => room.reserve(image.byteLength + bytes)) };
}

/** Stores the result, the charge and the end of the item, or nothing. */
async function storeResult(
  { job, item }: ItemWork,
  { data, description, originalBytes, cost, charge }: ExecutedItem,
  bytesIn: number,
  { results, now, baseUrl }: ItemServices,
): Promise<ItemEnd> {
  const { filename, content_type: contentType, format, width, height } = description;
  const bytesOut = data.byteLength;
  // An upload is removed when its result is stored. If both had to
  // fit, jobs whose uploads fill the storage could never finish.
  const replacedBytes = item.sourceKind === 'file' ? bytesIn : 0;
  const stored = { data, replacedBytes, filename, contentType, format, width, height };
  const file = await results.write(job.accountId, stored);
  const result: ItemResult = { ...description, expires_at: file.expiresAt, sha256: file.sha256 };
  let jobEnded = false;
  try {
    await charge({ bytesIn, bytesOut }, async (repositories) => {
      const finishedAt = timestamp(now());
      await repositories.files.insert(file);
      const done = { fileId: file.id, result: JSON.stringify(result), originalBytes, bytes: bytesOut, finishedAt };
      if (!(await repositories.jobQueue.complete(item, { ...done, ...cost }))) throw new LeaseLost();
      jobEnded = await endIfComplete(repositories, job.id, finishedAt, baseUrl);
    });
  } catch (error) {
    await results.discard(file);
    throw error;
  }
  return { jobEnded, bytesIn, bytesOut, outcome: description.outcome };
}
